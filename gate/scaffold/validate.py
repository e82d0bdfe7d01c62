"""`gate validate`: checks a configuration with all its files, in the working tree or at a ref."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gate.app.resolving import prompt_builder, store_case_reader
from gate.calls.budget import price_unknown
from gate.calls.endpoints import PACKAGED_MODEL, refused_parameters
from gate.cases.case import Case, members
from gate.cases.reading import NOT_FILLED_IN
from gate.config.documents import decode, printable
from gate.config.gatefile import Config
from gate.config.models import ModelRef, Params, parse_model, parse_params
from gate.config.targets import ToolLoop
from gate.config.values import OVERALL, FunctionName, is_python
from gate.environment.settings import Settings, is_unpriced, keyless_factory
from gate.errors import CannotEvaluate, GateError, InputErrors, Problem
from gate.git.places import place_here
from gate.prompts.expressions import Unreadable
from gate.prompts.files import CannotLoad, CodePlace, FileSource, PromptBuilder, file_of
from gate.prompts.python_names import python_definitions
from gate.record.comparison import FEWEST_UNITS
from gate.record.transcript import Failed
from gate.resolve.exam import exam_notes
from gate.resolve.missing_files import unmatched_entries
from gate.resolve.own_settings import settings_notes
from gate.resolve.pairing import Pair, Sides, pair
from gate.resolve.reading import Reader
from gate.resolve.resolved import rehearse
from gate.suite import Suite
from gate.values import JsonValue, counted, listed

_UNCALLED = "gate validate runs no code"
SHOWN = 5
"""Slices that a note lists."""


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """Facts about a valid suite.

    Args:
        name, prompt, cases: as in `gate.yaml`.
        count: cases that are run.
        slices: tested, without `overall`.
    """

    name: str
    prompt: str
    cases: str
    count: int
    slices: int
    scorers: tuple[str, ...]
    model: str


@dataclass(frozen=True, slots=True)
class FileRemark:
    """A remark, a sentence; `file` is empty where it is about none."""

    text: str
    file: str = ""


@dataclass(frozen=True, slots=True)
class ConfigurationReport:
    """Result of `validate`.

    Args:
        label: `working tree`, or a ref.
        suites: those without errors.
        remarks: notes that are not errors.
        waiting: case files with no filled row.
    """

    config: str
    label: str
    suites: tuple[SuiteReport, ...]
    remarks: tuple[FileRemark, ...] = ()
    problems: tuple[Problem, ...] = ()
    waiting: tuple[str, ...] = ()

    @property
    def prompts(self) -> int:
        return len({suite.prompt for suite in self.suites})


def _validated(sides: Sides, config: str) -> ConfigurationReport:
    """Check a configuration; reports the errors of all parts."""
    reader = Reader(sides, config, [], "create the file, or fix the path")
    head, _ = reader.configs()
    label = sides.head.label
    if head is None and not reader.problems:
        hint = "create one with gate init, or give its path with --config"
        where = f"at {label}" if sides.head.sha else f"in the {label}"
        raise GateError(f"there is no {config} {where}", hint)
    # What is wrong with one entry hides nothing of the files that it and others name.
    head = head or reader.parse_partly()
    if head is None:
        return ConfigurationReport(config, label, (), problems=_sorted(reader.problems))
    head = replace(head, suites=tuple(suite for suite in head.suites if suite.sound))
    completed = reader.completed(head, sides.head) or head
    whole = not reader.problems
    reader.problems.extend(unmatched_entries(sides, config, head, None))
    pairs = _pairs(sides, completed, config, reader.problems)
    suites = [one.suite for one in reader.suites(pairs, completed)]
    _rehearse([one for one in suites if whole or not _has_files(one)], reader.problems)
    files = {one.current.name: one.current.cases for one in pairs}
    looked = tuple(_looked(suite, files[suite.name]) for suite in suites)
    members = [one for suite in suites for one in _members(suite)]
    texts = [*(note.text for note in settings_notes(suites)), *(unavailable_reason(*one) for one in members)]
    remarks = [FileRemark(text) for text in texts if text]
    remarks += _unpriced(head, members, config)
    remarks += [one for suite in suites for one in _remarks(suite, files[suite.name])]
    waiting = {problem.file: None for problem in reader.problems if problem.message == NOT_FILLED_IN}
    problems = [problem for problem in reader.problems if problem.message != NOT_FILLED_IN]
    return ConfigurationReport(config, label, looked, tuple(dict.fromkeys(remarks)), _sorted(problems), tuple(waiting))


def _members(suite: Suite) -> Iterator[tuple[ModelRef, Params]]:
    """Models of suites and judges."""
    for arm in suite.arms.values():
        if arm.target is None or isinstance(arm.target, ToolLoop):
            yield arm.model, arm.params
    for spec in suite.exam.all_scorers():
        given = spec.options.get("params")
        params = parse_params(given if isinstance(given, dict) else {}, f"params of the judge {spec.name}")
        yield from ((parse_model(name), params) for name in spec.models)


def _unpriced(head: Config, members: Sequence[tuple[ModelRef, Params]], config: str) -> Iterator[FileRemark]:
    """A note if a limit in dollars cannot count every model."""
    if head.budget.max_usd is None:
        return
    factory = keyless_factory(Settings.from_environ(), head.providers, head.prices)
    names = dict.fromkeys(str(model) for model, params in members if is_unpriced(factory, model, params))
    if names:
        yield FileRemark(price_unknown(list(names)[:SHOWN], head.budget).text, config)


def _pairs(sides: Sides, known: Config, config: str, problems: list[Problem]) -> tuple[Pair, ...]:
    """Each suite of both sides; none if names are ambiguous."""
    try:
        return pair(sides, known, known, ()).pairs
    except InputErrors as errors:
        problems.extend(errors.problems)
    except CannotEvaluate:
        raise
    except GateError as error:
        problems.append(Problem(config, 0, error.message, error.hint))
    return ()


def _has_files(suite: Suite) -> bool:
    """Do its scorers use files, which may have errors?"""
    return any(spec.files or spec.coded for spec in suite.exam.scorers)


def _rehearse(suites: Sequence[Suite], problems: list[Problem]) -> None:
    """Try every case with every prompt and scorer; an error in one suite does not stop the next."""
    for suite in suites:
        # Both arms are the same: one is enough, but for scorers that compare two answers.
        compared = any(spec.comparative for spec in suite.exam.all_scorers())
        try:
            rehearse((suite if compared else replace(suite, baseline=None),))
        except InputErrors as errors:
            problems.extend(errors.problems)


def _looked(suite: Suite, cases: str) -> SuiteReport:
    exam = suite.exam
    slices = len(members(exam.cases, exam.dimensions)) - 1
    scorers = tuple(spec.name for spec in exam.scorers)
    path, model = suite.candidate.version.path, str(suite.candidate.model)
    return SuiteReport(suite.name, path, cases, len(exam.cases), slices, scorers, model)


def _remarks(suite: Suite, cases: str) -> Iterator[FileRemark]:
    """Warnings about the verdict of a suite; those about shared cases appear once."""
    if is_python(suite.candidate.version.path):
        yield FileRemark(f"{suite.candidate.version.path} is not called here: {_UNCALLED}. gate plan calls it.")
    yield from (FileRemark(note.text) for note in exam_notes(suite))
    exam = suite.exam
    sizes = {name: _units(exam.cases, rows) for name, rows in members(exam.cases, exam.dimensions).items()}
    whole = sizes[OVERALL]
    apart = "independent " if whole < len(exam.cases) else ""
    if whole < FEWEST_UNITS:
        few = f"only {counted(whole, f'{apart}case')}; the gate needs at least {FEWEST_UNITS} to block."
        yield FileRemark(few, cases)
        return
    small = [name for name, units in sizes.items() if units < FEWEST_UNITS]
    if small:
        few = f"{counted(len(small), 'slice')} with fewer than {FEWEST_UNITS} {apart}cases"
        yield FileRemark(f"{few} cannot block: {listed(small)}.", cases)


def _units(cases: Sequence[Case], rows: Sequence[int]) -> int:
    """Number of independent cases: variants of one source count once."""
    return len({cases[row].cluster or row for row in rows})


def _sorted(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(set(problems)))


def validate_configuration(config: str, ref: str | None, directory: Path = Path()) -> ConfigurationReport:
    """Check a configuration. It needs no key and calls no model.

    Args:
        config: from the root of the repository.
        ref: None for the working tree.
        directory: any folder, inside or outside a repository.

    Raises:
        GateError: there is no configuration, or no such ref.
    """
    place = place_here(directory)
    if ref is not None and place.repo is None:
        raise GateError("--ref needs a git repository", "leave it out to check the files here")
    source: FileSource = place.repo.at(ref) if place.repo is not None and ref is not None else place.tree
    return validate_source(source, config, place.root)


def validate_source(source: FileSource, config: str, root: Path) -> ConfigurationReport:
    """As `validate_configuration`, for any source."""
    with prompt_builder() as builder:
        unused = _UncalledFunctions(builder)
        sides = Sides(source, source, builder=unused, stored_suites=store_case_reader(root))
        return _validated(sides, config)


@dataclass(frozen=True, slots=True)
class _UncalledFunctions:
    """See `gate.prompts.files.PromptBuilder`: reads the modules of prompt functions, and runs nothing."""

    builder: PromptBuilder

    def place(self, source: FileSource, what: str) -> CodePlace:
        return self.builder.place(source, what)

    def build(
        self, source: FileSource, entry: FunctionName, sessions: Sequence[dict[str, JsonValue]]
    ) -> tuple[Failed, ...]:
        path = file_of(source, str(entry)) or entry.files[-1]
        try:
            python_definitions(decode(source.read(path) or b"", path))
        except Unreadable as error:
            raise CannotLoad(f"{path}:{error.line} {error.reason}", "fix the module") from None
        return (Failed(_UNCALLED, 0),) * len(sessions)


def unavailable_reason(model: ModelRef, params: Params) -> str:
    """Why a model would not answer: it is missing, or does not accept the parameters.

    Args:
        params: a server named by the environment may accept more than the provider's.
    """
    if error := refused_parameters(model, params):
        return f"{error.message}; {error.hint}."
    if model.provider != "local" or model.name == PACKAGED_MODEL or Path(model.name).is_file():
        return ""
    if "/" in model.name or model.name.lower().endswith(".gguf"):
        return f"{model}: there is no file {printable(model.name)} on this machine"
    return f"{model}: this is neither the packaged model ({PACKAGED_MODEL}) nor a file"
