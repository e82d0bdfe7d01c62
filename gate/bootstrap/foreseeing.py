"""What a generation is made from, and what it would take: reads files, asks nobody."""

from dataclasses import dataclass
from pathlib import Path

from gate.bootstrap.ask_models import Terms, housed, keyless
from gate.bootstrap.resolving import DiskSource, beside
from gate.domain.model import ModelRef, Params
from gate.domain.prompt import PromptVersion
from gate.domain.promptspec import Specification
from gate.domain.usage import Cost, Usage
from gate.errors import GateError
from gate.flows.files import read_prompt
from gate.flows.generate_files import SPEC
from gate.inputs.text import decode
from gate.providers.factory import Factory
from gate.settings.services import Settings
from gate.testgen.effort import EffortSettings
from gate.testgen.forecast import GenerationForecast, Member, Staffing, forecast
from gate.testgen.specify import foreign
from gate.testgen.subject import PromptSubject, subject_of
from gate.testgen.written import specification as specfile


@dataclass(frozen=True, slots=True)
class Wanted:
    """A generation to be carried out.

    Args:
        prompt: path of the prompt.
        spec: where its specification lies, if there is one already.
        generator, judge: models; the generator gives expected outputs, too.
        params: of the generator's requests.
        settings: how much work goes into it.
        terms: limits.
        evaluation: the models that answer the tests; None where nobody is evaluated.
    """

    prompt: str
    spec: Path
    generator: ModelRef
    judge: ModelRef
    params: Params
    settings: EffortSettings
    terms: Terms
    evaluation: "Evaluation | None" = None

    @property
    def member(self) -> Member:
        """The generator with its parameters."""
        return self.generator, self.params


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Models under test.

    Args:
        models: one or more.
        control: make control cases, too.
        sees_input: the judge is shown inputs.
    """

    models: tuple[ModelRef, ...]
    control: bool = True
    sees_input: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """What was read.

    Args:
        version: the prompt.
        subject: the same, as the stages read it.
        given: a specification that there is already; None where all of it is to be extracted.
    """

    version: PromptVersion
    subject: PromptSubject
    given: Specification | None = None


def read(wanted: Wanted) -> Found:
    """Read the prompt, and the specification that somebody may have edited.

    Args:
        wanted: where they are.

    Raises:
        InputErrors, GateError: mistakes in either.
    """
    source = DiskSource()
    version = read_prompt(source, wanted.prompt, beside)
    data = source.read(str(wanted.spec))
    given: Specification | None = None
    if data is not None:
        given = specfile.parse(decode(data, str(wanted.spec)), str(wanted.spec))
    subject = subject_of(version.prompt)
    if given is not None and foreign(given, subject):
        said = f"{wanted.spec} is of another prompt: nothing that its rules quote stands in {wanted.prompt}"
        raise GateError(said, "name another folder with --out")
    return Found(version, subject, given)


def own_folder(prompt: str) -> Path | None:
    """The folder of a prompt where it holds the prompt's own specification; None where it holds none.

    Args:
        prompt: its path.
    """
    source, spec = DiskSource(), Path(prompt).parent / SPEC
    try:
        data = source.read(str(spec))
        if data is None:
            return None
        given = specfile.parse(decode(data, str(spec)), str(spec))
        subject = subject_of(read_prompt(source, prompt, beside).prompt)
    except GateError:
        return None
    return None if foreign(given, subject) else spec.parent


def foresee(wanted: Wanted, found: Found, settings: Settings) -> GenerationForecast:
    """What it would take; sends nothing and needs no key.

    Args:
        wanted: models and settings.
        found: the prompt and its specification.
        settings: addresses, which decide on prices.
    """
    factory = keyless(settings, wanted.terms)

    def price(model: ModelRef, params: Params, usage: Usage) -> Cost:
        return factory.price(model, params, model.name, usage)

    staff = Staffing(
        wanted.member,
        judging(wanted, factory),
        referring(wanted),
        price,
        tested=tuple(answering(wanted, factory).items()),
        control=wanted.evaluation is not None and wanted.evaluation.control,
    )
    return forecast(found.subject, wanted.settings, found.given, staff)


def judging(wanted: Wanted, factory: Factory) -> Member:
    """Who judges, with parameters."""
    return wanted.judge, factory.cold(wanted.judge, housed(wanted.judge, wanted.member))


def referring(wanted: Wanted) -> Member:
    """Who gives expected outputs, with parameters."""
    return wanted.generator, housed(wanted.generator, wanted.member)


def answering(wanted: Wanted, factory: Factory) -> dict[ModelRef, Params]:
    """The models under test: as in the paper, at temperature 1 where the interface takes one."""
    models = wanted.evaluation.models if wanted.evaluation is not None else ()

    def warm(model: ModelRef) -> Params:
        params = housed(model, wanted.member)
        warmed = params.model_copy(update={"temperature": 1.0})
        return warmed if factory.takes(model, warmed) else params

    return {model: warm(model) for model in models}
