"""Carries a generation out: reads the prompt and what was written before, and has tests made."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from gate.bootstrap.ask_models import Telling, Terms, Work, ask_models, cool, keyless
from gate.bootstrap.resolving import DiskSource, beside
from gate.bootstrap.running import Running
from gate.domain.absence import Failed
from gate.domain.model import ModelRef, Params
from gate.domain.prompt import Message, Prompt, PromptVersion
from gate.domain.promptspec import GeneratedTest, Specification
from gate.domain.sample import Reply, effort_of
from gate.domain.suite import Arm, Budget, Exam
from gate.domain.usage import Cost, Effort, Usage
from gate.errors import GateError
from gate.flows.files import read_prompt
from gate.flows.generate import Bounded, Generated, Job, Team, ended, make
from gate.flows.generate_evaluate import Comparing, Evaluated, Examiners, evaluate_models
from gate.flows.ports import Steps
from gate.inputs import specfile
from gate.inputs.text import decode
from gate.providers.factory import Factory
from gate.settings.services import Settings
from gate.targets.port import Question
from gate.testgen.agreement_of_specs import spec_prompt
from gate.testgen.asking import Asker
from gate.testgen.casing import case_of
from gate.testgen.effort import EffortSettings
from gate.testgen.forecast import GenerationForecast, Member, Staffing, forecast
from gate.testgen.specify import foreign
from gate.testgen.subject import subject_of

SUITE = "generate"
FEW = 200
"""Calls that surprise nobody."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A generation to be carried out.

    Args:
        prompt: path of the prompt.
        spec: where its specification lies, if there is one already.
        generator, judge, reference: models; the reference gives expected outputs.
        params: of the generator's requests.
        settings: how much work goes into it.
        terms: limits.
        evaluation: the models that answer the tests; None where nobody is evaluated.
    """

    prompt: str
    spec: Path
    generator: ModelRef
    judge: ModelRef
    reference: ModelRef
    params: Params
    settings: EffortSettings
    terms: Terms
    evaluation: "Evaluation | None" = None


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
        job: what is to be generated from it.
    """

    version: PromptVersion
    job: Job


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
        raise GateError(said, "name another folder with --out, or a specification of this prompt with --spec")
    return Found(version, Job(subject, wanted.settings, given))


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
        (wanted.generator, wanted.params),
        _judge(wanted, factory),
        (wanted.reference, wanted.params),
        price,
        tested=tuple(_warm(wanted, factory).items()),
        control=wanted.evaluation is not None and wanted.evaluation.control,
    )
    return forecast(found.job.subject, found.job.settings, found.job.given, staff)


@dataclass(frozen=True, slots=True)
class Done:
    """What came out.

    Args:
        made: the specification and the tests.
        evaluated: what models made of the tests; None where nobody was evaluated.
        effort: of all of it.
    """

    made: Generated
    evaluated: Evaluated | None
    effort: Effort


def carry(
    wanted: Wanted, found: Found, settings: Settings, telling: Telling, keep: Callable[[Generated], None]
) -> Done:
    """Have the tests made, and run where that is wanted.

    Args:
        wanted: models and limits.
        found: the prompt and its specification.
        settings: keys and addresses.
        telling: tells the user.
        keep: is given the tests before any of them is run, so that they are there whatever comes of that.

    Raises:
        MissingKey, Misconfigured, GateError: before anything is spent.
        CannotEvaluate: no rule was found, no test was made, or a limit was met; what was answered is kept.
        Interrupted: by Ctrl-C; what was answered is kept.
    """
    factory = keyless(settings, wanted.terms)
    foreseen = foresee(wanted, found, settings).calls
    if wanted.terms.budget == Budget() and (found.job.given is None or not found.job.given.rules):
        found = replace(found, job=replace(found.job, most=max(FEW, 3 * foreseen)))
    staff = _Staff(wanted, found, _judge(wanted, factory), _warm(wanted, factory), telling, keep)

    return ask_models(staff.members, wanted.terms, settings, telling, Work(foreseen, staff.work))


@dataclass(frozen=True, slots=True)
class _Staff:
    """Everybody who works on a generation.

    Args:
        wanted, found: models and limits; the prompt.
        judge: with parameters.
        tested: parameters of each model under test.
        telling: tells the user.
        keep: is given the tests.
    """

    wanted: Wanted
    found: Found
    judge: Member
    tested: Mapping[ModelRef, Params]
    telling: Telling
    keep: Callable[[Generated], None]

    @property
    def members(self) -> tuple[Member, ...]:
        """Who is asked, each once."""
        reference = ((self.wanted.reference, self.wanted.params),) * self.wanted.settings.expected
        own = (self.wanted.generator, self.wanted.params)
        return tuple(dict.fromkeys((own, self.judge, *reference, *self.tested.items())))

    async def work(self, run: Running) -> Done:
        """Generate, then evaluate."""
        desk = _Desk(run, self.telling.steps)
        calls = Bounded(run.tools.calls, run.tools.exhausted)
        generator = Asker(calls, self.wanted.generator, self.wanted.params, desk.step)
        judge = Asker(calls, *self.judge, desk.step)
        arm = Arm(self.found.version, self.wanted.reference, self.wanted.params)

        async def expected(test: GeneratedTest) -> str | Failed:
            reply = await desk.answer(arm, test)
            return reply if isinstance(reply, Failed) else reply.text

        made = await make(self.found.job, Team(generator, judge, expected, self.telling.say))
        self.keep(made)
        wanted = self.wanted.evaluation
        if wanted is None:
            return Done(made, None, generator.effort + judge.effort + desk.effort)
        spec = _from_spec(self.found.version, made.specification)

        async def answer(model: ModelRef, test: GeneratedTest) -> Reply | Failed:
            return await desk.answer(Arm(self.found.version, model, self.tested[model]), test)

        async def answer_spec(model: ModelRef, test: GeneratedTest) -> Reply | Failed:
            # A specification has no variables: all that is put in is one message.
            told = replace(test, input=test.said, vars={})
            return await desk.answer(Arm(spec, model, self.tested[model]), told)

        job = Comparing(
            self.wanted.prompt, self.found.job.subject, wanted.models, wanted.control, wanted.sees_input,
            self.wanted.settings,
        )  # fmt: skip
        team = Examiners(generator, judge, answer, answer_spec, self.telling.say)
        evaluated = await evaluate_models(job, made, team)
        return Done(made, evaluated, generator.effort + judge.effort + desk.effort)


@dataclass(slots=True)
class _Desk:
    """Where answers are asked for."""

    run: Running
    steps: Steps
    effort: Effort = field(default_factory=Effort)

    def step(self) -> None:
        self.steps.step(self.run.tools.spent_usd())

    async def answer(self, arm: Arm, test: GeneratedTest) -> Reply | Failed:
        """The answer of an arm to a test."""
        exam = Exam(ref="", digest="", cases=(), scorers=())
        reply = await self.run.tools.target.answer(Question(SUITE, arm, case_of(test), 0, exam))
        self.effort += effort_of(reply)
        self.step()
        if isinstance(reply, Failed):
            ended(self.run.tools.exhausted())
        return reply


def _judge(wanted: Wanted, factory: Factory) -> Member:
    own = wanted.judge.provider == wanted.generator.provider
    return cool(wanted.judge, wanted.params if own else Params(), factory)


def _from_spec(version: PromptVersion, specification: Specification) -> PromptVersion:
    """The prompt that a specification makes."""
    return replace(version, prompt=Prompt((Message("system", spec_prompt(specification)),)))


def _warm(wanted: Wanted, factory: Factory) -> dict[ModelRef, Params]:
    """As in the paper, at temperature 1 where the interface takes one."""
    models = wanted.evaluation.models if wanted.evaluation is not None else ()
    warm = Params(temperature=1.0)
    return {model: warm if factory.takes(model, warm) else Params() for model in models}
