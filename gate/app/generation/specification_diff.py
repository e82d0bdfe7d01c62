"""Compares the specifications of two versions of a prompt, and lets the files follow."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gate.app.environment.settings import Settings
from gate.app.forecast import keyless_factory, pricer
from gate.app.generation.model_calls import GenerationProgress, GenerationRequest, ask_models
from gate.app.runs import Running
from gate.app.sources import DiskSource, folder_of
from gate.calls.providers.factory import Factory
from gate.cases.reading import parse
from gate.config import gatefile
from gate.config import specification as specfile
from gate.config import specification as written
from gate.config.documents import decode, quoted
from gate.config.gatefile import Promises
from gate.config.policy import RunPolicy
from gate.config.specification import SpecFile, Specification
from gate.engine.rule_changes import Order, Reading
from gate.errors import GateError, InputErrors
from gate.git.repository import Repo
from gate.prompts.files import FileSource
from gate.prompts.partials import Library
from gate.prompts.reading import parse as parse_prompt
from gate.prompts.version import PromptVersion
from gate.record.run import PromisesRecord
from gate.resolve.resolved import Resolved
from gate.resolve.two_files import read_prompt
from gate.store.files import rewrite_all
from gate.suite import Arm, Exam, Suite
from gate.testgen.files import is_generated, with_more_tests, with_obsolete_rules
from gate.testgen.forecast import ForecastModels, GenerationForecast, ModelWithParams
from gate.testgen.prompt_under_test import subject_of
from gate.testgen.specdiff.comparison import PromptChange, forecast_comparison
from gate.testgen.specdiff.update import SpecificationUpdate, UpdateModels, stamp_of_tests, update_specification
from gate.values import counted


@dataclass(frozen=True, slots=True)
class PromptPair:
    """Both versions of a prompt, and what was written about the old one.

    Args:
        kept: the specification file in the folder; None where there is none to update.
        given: the specification of the old version; None where it is extracted.
        followed: the file already describes the new version, so there is nothing to update.
    """

    base: PromptVersion
    head: PromptVersion
    kept: SpecFile | None
    given: SpecFile | None
    followed: bool = False

    @property
    def specification(self) -> Specification | None:
        """The written specification of the old version, if there is one."""
        return None if self.given is None else self.given.specification


@dataclass(frozen=True, slots=True)
class SpecificationComparison:
    """The result of a comparison.

    Args:
        update: for the files; None where they are not updated.
    """

    record: PromisesRecord
    update: SpecificationUpdate | None


def read_versions(wanted: GenerationRequest) -> PromptPair:
    """Read both versions of the prompt, and the specification of the old one.

    Raises:
        InputErrors, GateError: a version that does not exist, mistakes in a file, nothing to update.
    """
    disk = DiskSource()
    head = read_prompt(disk, wanted.prompt, folder_of)
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


def forecast_diff(wanted: GenerationRequest, versions: PromptPair, settings: Settings) -> GenerationForecast:
    """The forecast of a comparison; sends nothing and needs no key."""
    factory = keyless_factory(settings)
    tried = wanted.answering is not None
    tested = (_answering(wanted),) if tried else ()
    staff = ForecastModels(wanted.member, _judge(wanted, factory), wanted.member, pricer(factory), tested)
    pair = subject_of(versions.base.prompt), subject_of(versions.head.prompt)
    made = tried or (wanted.update and versions.kept is not None)
    return forecast_comparison(PromptChange(*pair, versions.specification, wanted.settings, tried, made), staff)


def _judge(wanted: GenerationRequest, factory: Factory) -> ModelWithParams:
    return wanted.judge, factory.cold(*wanted.beside(wanted.judge))


def _answering(wanted: GenerationRequest) -> ModelWithParams:
    return wanted.beside(wanted.answering or wanted.generator)


def compare_specifications(
    wanted: GenerationRequest, versions: PromptPair, settings: Settings, telling: GenerationProgress
) -> SpecificationComparison:
    """Compare the promises of both versions."""
    judge = _judge(wanted, keyless_factory(settings))
    tests = 0 if wanted.answering is None else wanted.settings.tests_per_rule
    given = versions.specification
    promises = Promises(wanted.generator, wanted.params, wanted.judge, tests, given, judging=judge[1])
    arms = [Arm(version, *_answering(wanted)) for version in (versions.base, versions.head)]
    exam = Exam(ref="", digest="", cases=(), scorers=())
    suite = Suite(Path(wanted.prompt).name, arms[0], arms[1], exam, samples=1, promises=promises)

    async def do(run: Running) -> SpecificationComparison:
        resolved = Resolved((suite,), {}, (), (), RunPolicy(), wanted.budget, None)
        reading = Reading(suite, promises, resolved, run.tools, Order(run.seed, run.stop), telling.say, wanted.settings)
        compared = await reading.compared()
        record = await reading.record(compared)
        if not wanted.update or versions.kept is None:
            return SpecificationComparison(record, None)
        writers = UpdateModels(reading.generator, reading.judge, wanted.settings, telling.say)
        return SpecificationComparison(
            record, await update_specification(versions.kept, compared, subject_of(versions.head.prompt), writers)
        )

    members = [wanted.member, judge]
    if wanted.answering is not None:
        members.append(_answering(wanted))
    return ask_models(tuple(dict.fromkeys(members)), wanted.budget, settings, telling, do)


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
    prompt = parse_prompt(decode(data, path), path, library=Library(path, source.read))
    return PromptVersion(path, source.label, source.sha, prompt)


CONFIG = "gate.yaml"
CASES = ("cases.yaml", "cases.jsonl")


@dataclass(frozen=True, slots=True)
class SpecificationFiles:
    """The files of a specification and its tests.

    Args:
        cases: the file of generated tests, to which more are added; None where there is none.
        others: further case files, in which tests are only marked.
    """

    spec: Path
    cases: Path | None
    others: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()

    def check(self) -> None:
        """Check, before anything is spent, that the files can be updated.

        Raises:
            InputErrors, GateError: a case file cannot be read.
        """
        for path in (self.cases, *self.others):
            if path is not None:
                is_generated(_text(path), str(path))


@dataclass(frozen=True, slots=True)
class FollowedChange:
    """The result of an update.

    Args:
        done: a line for each file, and what is left to do.
    """

    done: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def specification_files(prompt: str, spec: Path, folder: Path) -> SpecificationFiles:
    """The files of a prompt: the case files that suites of `gate.yaml` name, and those beside the specification.

    Tests are added to the first one that holds generated tests, and never to a file that people wrote.
    """
    lying = [path for path in (folder / name for name in CASES) if path.is_file()]
    numbered = (path for name in CASES for path in folder.glob(name.replace(".", "-[0-9]*.")) if path.is_file())
    lying += sorted(numbered, key=lambda path: (len(path.name), path.name))
    named, notes = _named(prompt)
    found = {path.resolve(): path for path in reversed((*named, *lying)) if path.is_file()}
    every = tuple(reversed(found.values()))
    cases = next(filter(_may_hold_generated, every), None)
    return SpecificationFiles(spec, cases, tuple(path for path in every if path != cases), notes)


def _named(prompt: str) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """The case files of the suites of a prompt, where the command runs beside a readable configuration."""
    data = DiskSource().read(CONFIG)
    try:
        suites = gatefile.load(decode(data, CONFIG), CONFIG).suites if data is not None else ()
    except InputErrors as error:
        return (), (
            f"The case files that {CONFIG} names were not looked at, for it has a mistake: {error.problems[0]}",
        )
    here = Path(prompt).resolve()
    return tuple(Path(suite.cases) for suite in suites if Path(suite.prompt).resolve() == here), ()


def _may_hold_generated(path: Path) -> bool:
    """May the file hold generated tests? `SpecificationFiles.check` reports an unreadable one before it is changed."""
    try:
        return is_generated(_text(path), str(path))
    except GateError:
        return True


def follow_change(update: SpecificationUpdate, files: SpecificationFiles, wanted: GenerationRequest) -> FollowedChange:
    """Update the specification and the cases to the prompt; texts that people wrote stay.

    Raises:
        InputErrors, GateError: a file cannot be read or written; all are then unchanged.
    """
    plan, spec, cases = update.plan, files.spec, files.cases
    texts = {spec: written.updated(_text(spec), update.specification, str(spec))}
    said = [*files.notes, f"{spec}: {', '.join((*_counts(update),))}"]
    if plan.open:
        said.append(f"{spec}: left as they are until somebody decides: {', '.join(plan.open)}")
    if cases is None:
        said.append("there is no case file with generated tests: those of the new rules are made by gate generate")
    else:
        after = with_more_tests(_text(cases), update.tests, str(cases))
        texts[cases] = with_obsolete_rules(after, plan.obsolete, str(cases))
        said.append(f"{cases}: {counted(len(update.tests), 'test')} added; those of obsolete rules marked")
        if not plan.open and _covered(specfile.parse(texts[spec], str(spec)), texts[cases], cases):
            made = stamp_of_tests(specfile.parse(texts[spec], str(spec)), wanted.settings, wanted.generator)
            texts[spec] = written.stamped(texts[spec], made, str(spec))
    for path in files.others:
        before = _text(path)
        after = with_obsolete_rules(before, plan.obsolete, str(path)) if is_generated(before, str(path)) else before
        told = "left as it is" if after == before else "the tests of obsolete rules marked"
        texts |= {path: after} if after != before else {}
        said.append(f"{path}: {told}")
    warnings = tuple(warning for path in texts if path != spec for warning in _shrunk(path, texts[path]))
    rewrite_all(texts)
    return FollowedChange((*said,), warnings)


def _shrunk(path: Path, after: str) -> Iterator[str]:
    """Warns where half of an exam or more is marked obsolete."""
    old, new = ({case.id for case in parse(text, str(path)) if not case.obsolete} for text in (_text(path), after))
    gone = len(old - new)
    if not new:
        yield f"{path}: the exam is empty now, all {counted(len(old), 'case')} are marked obsolete"
    elif 2 * gone >= len(old) > 0:
        yield f"{path}: {gone:,} of {counted(len(old), 'case')} are marked obsolete; look whether that is meant"


def _counts(update: SpecificationUpdate) -> Iterator[str]:
    plan = update.plan
    yield f"{counted(len(plan.add), 'rule')} added"
    yield f"{len(plan.obsolete)} marked obsolete"
    yield from (f"{old} → {new}" for old, new in plan.successors.items())
    if new := [rule.id for rule in plan.add if rule.id not in plan.successors.values()]:
        yield f"new: {' '.join(new)}"


def _covered(specification: Specification, cases: str, file: Path) -> bool:
    """Does each rule have an inverse, and do both have tests?"""
    counting = (case for case in parse(cases, str(file)) if not case.obsolete)
    found = {(case.slices.get("rule"), case.slices.get("kind")) for case in counting}
    return all(rule.inverse and {(rule.id, "rule"), (rule.id, "inverse")} <= found for rule in specification.rules)


def rules_followed(files: SpecificationFiles, wanted: GenerationRequest) -> int | None:
    """The number of rules where an update has left all their tests, so that there is nothing to make; otherwise None.

    Raises:
        InputErrors: a mistake in the specification.
    """
    data = DiskSource().read(str(files.spec))
    if data is None or files.cases is None:
        return None
    found = specfile.read(decode(data, str(files.spec)), str(files.spec))
    if not found.tests or found.tests != stamp_of_tests(found.specification, wanted.settings, wanted.generator):
        return None
    if found.specification.prompt != read_prompt(DiskSource(), wanted.prompt, folder_of).prompt.digest:
        return None
    return len(found.specification.rules)


def _text(path: Path) -> str:
    return decode(DiskSource().read(str(path)) or b"", str(path))
