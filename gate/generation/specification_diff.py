"""Compares the rules of two versions of a prompt, and updates the files."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gate.app.runs import RunContext
from gate.cases.reading import parse
from gate.config import gatefile
from gate.config import specification_file as specfile
from gate.config.documents import decode, quoted
from gate.config.gatefile import RuleComparisonOptions
from gate.config.policy import RunPolicy
from gate.config.specification import Specification
from gate.config.specification_file import SpecFile
from gate.engine.rule_changes import PromiseComparison, SeedAndStop
from gate.environment.settings import Settings
from gate.errors import GateError, InputErrors
from gate.files import rewrite_all
from gate.generation.model_calls import GenerationProgress, call_models
from gate.generation.tests import GenerationRequest, read_specification
from gate.git.places import DiskSource, folder_of
from gate.git.repository import Repo
from gate.prompts.files import FileSource
from gate.prompts.reading import read_named
from gate.prompts.version import AS_SHOWN, Library, PromptVersion
from gate.record.run import PromisesRecord
from gate.resolve.resolved import Resolved
from gate.resolve.two_files import read_prompt
from gate.suite import Arm, Exam, Suite
from gate.testgen.files import is_generated, with_more_tests, with_obsolete_rules
from gate.testgen.forecast import ForecastModels, GenerationForecast, PromptChange, forecast_comparison
from gate.testgen.prompt_under_test import subject_of
from gate.testgen.specdiff.comparison import SpecificationUpdate, stamp_of_tests, update_specification
from gate.testgen.specdiff.places import version_sides
from gate.values import counted


@dataclass(frozen=True, slots=True)
class PromptPair:
    """Both versions of a prompt, and the specification of the old one.

    Args:
        spec_file: the specification file in the folder; None if there is none to update.
        given: the specification of the old version; None if it must be extracted.
        followed: the file already describes the new version, so there is nothing to update.
    """

    base: PromptVersion
    head: PromptVersion
    spec_file: SpecFile | None
    given: SpecFile | None
    followed: bool = False

    @property
    def change(self) -> PromptChange:
        """Both versions as the stages read them."""
        given = None if self.given is None else self.given.specification
        return PromptChange(subject_of(self.base.prompt), subject_of(self.head.prompt), given)


def read_versions(request: GenerationRequest) -> PromptPair:
    """Read both versions of the prompt, and the specification of the old one.

    Raises:
        InputErrors, GateError: a version that does not exist, errors in a file, nothing to update.
    """
    disk = DiskSource()
    head = read_prompt(disk, request.prompt, folder_of)
    spec = request.spec
    spec_file = read_specification(disk, str(spec))
    if request.update and spec_file is None:
        hint = f"create it first: gate generate {shlex.quote(request.prompt)} --model MODEL"
        raise GateError(f"there is no {spec} to update", hint)
    repo = Repo.open(Path(request.prompt).absolute())
    source = repo.at(request.base)
    base = _at(source, _inside(repo.root, Path(request.prompt)))
    inside = spec.absolute().is_relative_to(repo.root)
    old = read_specification(source, _inside(repo.root, spec)) if inside else None
    of = "" if spec_file is None else spec_file.specification.prompt
    followed = spec_file is not None and of == head.prompt.digest != base.prompt.digest
    fits = spec_file is not None and not followed and (request.update or of in (base.prompt.digest, ""))
    return PromptPair(base, head, None if followed else spec_file, spec_file if fits else old, followed)


def forecast_diff(request: GenerationRequest, versions: PromptPair, settings: Settings) -> GenerationForecast:
    """The forecast of a comparison; sends nothing and needs no key."""
    factory, price = request.priced(settings)
    tested = tuple(request.beside(model) for model in request.tested)
    models = ForecastModels(request.member, request.judging(factory), request.member, price, tested)
    made = bool(tested) or (request.update and versions.spec_file is not None)
    change = versions.change
    new = len(version_sides(change.base, change.head)[1].differing)
    return forecast_comparison(change, new, request.settings, models, made=made)


def compare_specifications(
    request: GenerationRequest, versions: PromptPair, settings: Settings, progress: GenerationProgress
) -> tuple[PromisesRecord, SpecificationUpdate | None]:
    """Compare the rules of both versions; the update is None if the files are not updated.

    Raises:
        CannotEvaluate, Interrupted, GateError: as `gate.generation.model_calls.call_models`.
    """
    judge = request.judging(request.priced(settings)[0])
    answering = request.beside(request.tested[0] if request.tested else request.generator)
    tests = request.settings.tests_per_rule if request.tested else 0
    given = versions.change.given
    promises = RuleComparisonOptions(request.generator, request.params, request.judge, tests, given, judging=judge[1])
    arms = [Arm(version, *answering) for version in (versions.base, versions.head)]
    exam = Exam(ref="", digest="", cases=(), scorers=())
    suite = Suite(Path(request.prompt).name, arms[0], arms[1], exam, samples=1, promises=promises)

    async def do(run: RunContext) -> tuple[PromisesRecord, SpecificationUpdate | None]:
        progress.steps.start(0)
        resolved = Resolved((suite,), {}, (), (), RunPolicy(), request.budget, None)
        reading = PromiseComparison(
            suite, promises, resolved, run.tools, SeedAndStop(run.seed, run.stop), progress.say, request.settings
        )
        compared = await reading.compared()
        record = await reading.record(compared)
        if not request.update or versions.spec_file is None:
            return record, None
        return record, await update_specification(versions.spec_file, compared, versions.change.head, reading.setup)

    members = dict.fromkeys((request.member, judge, *([answering] if request.tested else [])))
    return call_models(tuple(members), request.budget, settings, progress, do)


def _inside(root: Path, path: Path) -> str:
    try:
        return path.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        raise GateError(f"{path} is outside of the repository {root}", "use a prompt of the repository") from None


def _at(source: FileSource, path: str) -> PromptVersion:
    prompt = read_named(source, path, str, AS_SHOWN, Library(path, source.read))
    if prompt is None:
        raise GateError(f"{quoted(source.label)} has no {path}", "choose a commit that has it with --base")
    return PromptVersion(path, source.label, source.sha, prompt)


CONFIG = "gate.yaml"
CASES = ("cases.yaml", "cases.jsonl")


@dataclass(frozen=True, slots=True)
class SpecificationFiles:
    """The files of a specification and its tests.

    Args:
        cases: the file to which new tests are added; None if there is none.
        others: further case files, in which tests are only marked.
        notes: why an expected file is missing.
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


def specification_files(prompt: str, spec: Path, folder: Path) -> SpecificationFiles:
    """The case files of a prompt: those in suites of `gate.yaml`, and those next to the specification.

    Tests are added to the first file with generated tests, never to a file that people wrote.
    """
    lying = [path for path in (folder / name for name in CASES) if path.is_file()]
    numbered = (path for name in CASES for path in folder.glob(name.replace(".", "-[0-9]*.")) if path.is_file())
    lying += sorted(numbered, key=lambda path: (len(path.name), path.name))
    named, notes = _named(prompt)
    files = {path.resolve(): path for path in reversed((*named, *lying)) if path.is_file()}
    every = tuple(reversed(files.values()))
    cases = next(filter(_may_hold_generated, every), None)
    return SpecificationFiles(spec, cases, tuple(path for path in every if path != cases), notes)


def _named(prompt: str) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """The case files of a prompt's suites, and notes if the configuration cannot be read."""
    data = DiskSource().read(CONFIG)
    try:
        suites = gatefile.load(decode(data, CONFIG), CONFIG).suites if data is not None else ()
    except InputErrors as error:
        return (), (f"The case files in {CONFIG} were not checked, because it has an error: {error.problems[0]}",)
    here = Path(prompt).resolve()
    return tuple(Path(suite.cases) for suite in suites if Path(suite.prompt).resolve() == here), ()


def _may_hold_generated(path: Path) -> bool:
    """May the file hold generated tests? `SpecificationFiles.check` reports an unreadable one before it is changed."""
    try:
        return is_generated(_text(path), str(path))
    except GateError:
        return True


def follow_change(
    update: SpecificationUpdate, files: SpecificationFiles, request: GenerationRequest
) -> tuple[list[str], list[str]]:
    """Update the specification and the cases; texts that people wrote stay.

    Returns:
        A line for each file and open question, and warnings.

    Raises:
        InputErrors, GateError: a file cannot be read or written; all are then unchanged.
    """
    plan, spec, cases = update.plan, files.spec, files.cases
    texts = {spec: specfile.updated_specification(_text(spec), update.specification, str(spec))}
    lines = [*files.notes, f"{spec}: {', '.join((*_counts(update),))}"]
    if plan.open:
        lines.append(f"{spec}: not changed, decide about them yourself: {', '.join(plan.open)}")
    if cases is None:
        lines.append("there is no case file with generated tests; to make tests for the new rules, run gate generate")
    else:
        after = with_more_tests(_text(cases), update.tests, str(cases))
        texts[cases] = with_obsolete_rules(after, plan.obsolete, str(cases))
        lines.append(f"{cases}: {counted(len(update.tests), 'test')} added; tests of obsolete rules marked")
        if not plan.open and _covered(specfile.parse_specification(texts[spec], str(spec)), texts[cases], cases):
            made = stamp_of_tests(
                specfile.parse_specification(texts[spec], str(spec)), request.settings, request.generator
            )
            texts[spec] = specfile.stamped_specification(texts[spec], made, str(spec))
    for path in files.others:
        before = _text(path)
        after = with_obsolete_rules(before, plan.obsolete, str(path)) if is_generated(before, str(path)) else before
        change = "not changed" if after == before else "tests of obsolete rules marked"
        texts |= {path: after} if after != before else {}
        lines.append(f"{path}: {change}")
    warnings = [warning for path in texts if path != spec for warning in _shrunk(path, texts[path])]
    rewrite_all(texts)
    return lines, warnings


def _shrunk(path: Path, after: str) -> Iterator[str]:
    """Warns if half of the cases or more are marked obsolete."""
    old, new = ({case.id for case in parse(text, str(path)) if not case.obsolete} for text in (_text(path), after))
    gone = len(old - new)
    if not new:
        yield f"{path}: no active case is left, all {counted(len(old), 'case')} are marked obsolete"
    elif 2 * gone >= len(old) > 0:
        yield f"{path}: {gone:,} of {counted(len(old), 'case')} are marked obsolete; check that this is intended"


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
    covered = {(case.slices.get("rule"), case.slices.get("kind")) for case in counting}
    return all(rule.inverse and {(rule.id, "rule"), (rule.id, "inverse")} <= covered for rule in specification.rules)


def rules_followed(files: SpecificationFiles, request: GenerationRequest) -> int | None:
    """The number of rules if an update already made all their tests; otherwise None.

    Raises:
        InputErrors: an error in the specification.
    """
    current = read_specification(DiskSource(), str(files.spec))
    if current is None or files.cases is None or not current.tests:
        return None
    if current.tests != stamp_of_tests(current.specification, request.settings, request.generator):
        return None
    if current.specification.prompt != read_prompt(DiskSource(), request.prompt, folder_of).prompt.digest:
        return None
    return len(current.specification.rules)


def _text(path: Path) -> str:
    return decode(DiskSource().read(str(path)) or b"", str(path))
