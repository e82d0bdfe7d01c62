"""Compares the promises of two versions of a prompt: reads both, asks models, and lets the files follow."""

import shlex
from dataclasses import dataclass
from pathlib import Path

from gate.bootstrap.ask_models import Telling, Terms, Work, ask_models, housed, keyless
from gate.bootstrap.resolving import DiskSource, beside
from gate.bootstrap.running import Running
from gate.config.policy import RunPolicy
from gate.domain.model import ModelRef, Params
from gate.domain.promises import Promises
from gate.domain.prompt import PromptVersion
from gate.domain.promptspec import Specification
from gate.domain.record_promises import PromisesRecord
from gate.domain.suite import Arm, Exam, Suite
from gate.domain.usage import Cost, Usage
from gate.errors import GateError
from gate.flows.files import read_prompt
from gate.flows.promises_update import Update, Writers, follow
from gate.flows.resolved import Resolved
from gate.flows.run_promises import Order, Reading
from gate.git.repo import Repo
from gate.inputs import prompts
from gate.inputs.parts import Library
from gate.inputs.problems import quoted
from gate.inputs.source import FileSource
from gate.inputs.text import decode
from gate.providers.factory import Factory
from gate.settings.services import Settings
from gate.testgen.effort import EffortSettings
from gate.testgen.forecast import GenerationForecast, Member, Staffing
from gate.testgen.specdiff.foresee import Change, foreseen
from gate.testgen.subject import subject_of
from gate.testgen.written import specification as specfile
from gate.testgen.written.specification import SpecFile


@dataclass(frozen=True, slots=True)
class DiffWanted:
    """A comparison to be made.

    Args:
        prompt: path of the new version.
        base: the commit that has the old one.
        spec: path of the specification.
        generator, judge: models.
        params: of both, where they are of one provider.
        answering: the model that answers tests for the new rules, for both versions; None for no tests.
        settings: how much work goes into it.
        update: let the files follow.
        terms: limits.
    """

    prompt: str
    base: str
    spec: Path
    generator: ModelRef
    judge: ModelRef
    params: Params
    answering: ModelRef | None
    settings: EffortSettings
    update: bool
    terms: Terms


@dataclass(frozen=True, slots=True)
class PromptPair:
    """What was read.

    Args:
        base, head: both versions.
        kept: the specification file as it lies in the folder; None where there is none to update.
        given: the specification of the old version; None where it is extracted.
        followed: the file is of the new version already, so that there is nothing to update.
    """

    base: PromptVersion
    head: PromptVersion
    kept: SpecFile | None
    given: SpecFile | None
    followed: bool = False

    @property
    def specification(self) -> Specification | None:
        """What the old version promises, where somebody has written it down."""
        return None if self.given is None else self.given.specification


@dataclass(frozen=True, slots=True)
class Comparison:
    """What came out.

    Args:
        record: the promises before and after.
        update: what the files need; None where they are not to follow.
    """

    record: PromisesRecord
    update: Update | None


def read_versions(wanted: DiffWanted) -> PromptPair:
    """Both versions of the prompt, and what was written about the old one.

    Args:
        wanted: where they are.

    Raises:
        InputErrors, GateError: a version that is not there, mistakes in a file, nothing to update.
    """
    disk = DiskSource()
    head = read_prompt(disk, wanted.prompt, beside)
    spec = wanted.spec
    kept = _spec(disk, str(spec))
    if wanted.update and kept is None:
        raise GateError(f"there is no {spec} to update", f"make one first: gate generate {shlex.quote(wanted.prompt)}")
    repo = Repo.open(Path(wanted.prompt).absolute())
    source = repo.at(wanted.base)
    base = _at(source, _inside(repo.root, Path(wanted.prompt)))
    old = _spec(source, _inside(repo.root, spec)) if spec.absolute().is_relative_to(repo.root) else None
    of = "" if kept is None else kept.specification.prompt
    followed = kept is not None and of == head.prompt.digest != base.prompt.digest
    fits = kept is not None and not followed and (wanted.update or of in (base.prompt.digest, ""))
    return PromptPair(base, head, None if followed else kept, kept if fits else old, followed)


def foresee(wanted: DiffWanted, versions: PromptPair, settings: Settings) -> GenerationForecast:
    """What it would take; sends nothing and needs no key.

    Args:
        wanted: models and settings.
        versions: of the prompt.
        settings: addresses, which decide on prices.
    """
    factory = keyless(settings, wanted.terms)

    def price(model: ModelRef, params: Params, usage: Usage) -> Cost:
        return factory.price(model, params, model.name, usage)

    own, tried = (wanted.generator, wanted.params), wanted.answering is not None
    tested = (_answering(wanted),) if tried else ()
    staff = Staffing(own, _judge(wanted, factory), own, price, tested)
    pair = subject_of(versions.base.prompt), subject_of(versions.head.prompt)
    made = tried or (wanted.update and versions.kept is not None)
    return foreseen(Change(*pair, versions.specification, wanted.settings, tried, made), staff)


def _judge(wanted: DiffWanted, factory: Factory) -> Member:
    return wanted.judge, factory.cold(wanted.judge, housed(wanted.judge, (wanted.generator, wanted.params)))


def _answering(wanted: DiffWanted) -> Member:
    model = wanted.answering or wanted.generator
    return model, housed(model, (wanted.generator, wanted.params))


def compare(wanted: DiffWanted, versions: PromptPair, settings: Settings, telling: Telling) -> Comparison:
    """Compare the promises.

    Args:
        wanted: models and limits.
        versions: of the prompt.
        settings: keys and addresses.
        telling: tells the user.

    Raises:
        CannotEvaluate, Interrupted, GateError: as `gate.bootstrap.ask_models.ask_models`.
    """
    judge = _judge(wanted, keyless(settings, wanted.terms))
    tests = 0 if wanted.answering is None else wanted.settings.tests_per_rule
    given = versions.specification
    promises = Promises(wanted.generator, wanted.params, wanted.judge, tests, given, judging=judge[1])
    arms = [Arm(version, *_answering(wanted)) for version in (versions.base, versions.head)]
    exam = Exam(ref="", digest="", cases=(), scorers=())
    suite = Suite(Path(wanted.prompt).name, arms[0], arms[1], exam, samples=1, promises=promises)

    async def do(run: Running) -> Comparison:
        resolved = Resolved((suite,), {}, (), (), RunPolicy(), wanted.terms.budget, None)
        reading = Reading(suite, promises, resolved, run.tools, Order(run.seed, run.stop), telling.say, wanted.settings)
        compared = await reading.compared()
        record = await reading.record(compared)
        if not wanted.update or versions.kept is None:
            return Comparison(record, None)
        writers = Writers(reading.generator, reading.judge, wanted.settings, telling.say)
        return Comparison(record, await follow(versions.kept, compared, subject_of(versions.head.prompt), writers))

    members = [(wanted.generator, wanted.params), judge]
    if wanted.answering is not None:
        members.append(_answering(wanted))
    return ask_models(tuple(dict.fromkeys(members)), wanted.terms, settings, telling, Work(0, do))


def _spec(source: FileSource, path: str) -> SpecFile | None:
    data = source.read(path)
    return None if data is None else specfile.read(decode(data, path), path)


def _inside(root: Path, path: Path) -> str:
    try:
        return path.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        raise GateError(f"{path} lies outside of the repository {root}", "name a prompt of the repository") from None


def _at(source: FileSource, path: str) -> PromptVersion:
    data = source.read(path)
    if data is None:
        raise GateError(f"{quoted(source.label)} has no {path}", "name a commit that has it with --base")
    prompt = prompts.parse(decode(data, path), path, library=Library(path, source.read))
    return PromptVersion(path, source.label, source.sha, prompt)
