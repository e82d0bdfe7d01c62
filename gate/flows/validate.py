"""Looks a configuration through with all that it names, and gathers the mistakes of every part."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from gate.domain.case import Case
from gate.domain.model import ModelRef, Params
from gate.domain.suite import OVERALL, Suite
from gate.domain.verdict import FEWEST_UNITS
from gate.domain.words import counted
from gate.errors import CannotEvaluate, GateError, InputErrors, Problem
from gate.flows import unread
from gate.flows.exam import exam_notes
from gate.flows.own_settings import settings_notes
from gate.flows.pairing import Pair, Sides, pair
from gate.flows.reading import Reader
from gate.flows.rehearsal import rehearse
from gate.flows.scaffold.starting import NOTE
from gate.inputs.config import Config
from gate.inputs.models import parse_model
from gate.inputs.paths import is_glob
from gate.inputs.problems import quoted
from gate.inputs.slices import members

SHOWN = 5
"""Slices that are named."""


def _nothing(model: ModelRef, params: Params) -> str:
    """Of whom nobody asks."""
    return ""


@dataclass(frozen=True, slots=True)
class SuiteLooked:
    """What a suite was found to be.

    Args:
        name, prompt, cases: as `gate.yaml` has them.
        count: cases that are asked.
        slices: tested, without `overall`.
        scorers: names.
        model: that answers.
        unread: orders of its prompt that no scorer reads, in a sentence; empty where there is nothing to say.
    """

    name: str
    prompt: str
    cases: str
    count: int
    slices: int
    scorers: tuple[str, ...]
    model: str
    unread: str = ""


@dataclass(frozen=True, slots=True)
class Looked:
    """What was looked at.

    Args:
        config: its path.
        label: where: `working tree`, or a ref.
        suites: those without a mistake.
        remarks: what is no mistake, and worth a look.
        problems: the mistakes.
    """

    config: str
    label: str
    suites: tuple[SuiteLooked, ...]
    remarks: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def prompts(self) -> int:
        return len({suite.prompt for suite in self.suites})


def validate(sides: Sides, config: str, mute: Callable[[ModelRef, Params], str] = _nothing) -> Looked:
    """Look everything through.

    Args:
        sides: the same files on both of them.
        config: path of `gate.yaml`.
        mute: why a model would not answer here, found without asking it; empty where it would, or nobody knows.

    Returns:
        What was found; it has problems where there are mistakes, those of all parts at once.

    Raises:
        GateError: there is no configuration.
    """
    reader = Reader(sides, config, [], "write the file, or mend the path")
    head, _ = reader.configs()
    label = sides.head.label
    if head is None and not reader.problems:
        hint = "gate init writes one, from the prompts that it finds; --config names another"
        where = f"at {label}" if sides.head.sha else f"in the {label}"
        raise GateError(f"there is no {config} {where}", hint)
    if head is None or reader.problems:
        return Looked(config, label, (), problems=_sorted(reader.problems))
    known = reader.completed(head, sides.head) or head
    whole = not reader.problems
    reader.problems.extend(_empty_patterns(head, sides, config))
    pairs = _pairs(sides, known, config, reader.problems)
    suites = [one.suite for one in reader.suites(pairs, known)]
    _rehearse([one for one in suites if whole or not _has_files(one)], reader.problems)
    files = {one.current.name: one.current.cases for one in pairs}
    looked = tuple(_looked(suite, files[suite.name]) for suite in suites)
    remarks = [*settings_notes(suites), *_mute(suites, mute)]
    remarks += [one for suite in suites for one in _remarks(suite, files[suite.name])]
    remarks += [one.unread for one in looked if one.unread]
    return Looked(config, label, looked, tuple(dict.fromkeys(filter(None, remarks))), _sorted(reader.problems))


def _mute(suites: Sequence[Suite], mute: Callable[[ModelRef, Params], str]) -> Iterator[str]:
    """Models that answer or judge, and that would not here: elsewhere they may, so that it is no mistake."""
    for suite in suites:
        for arm in suite.arms.values():
            yield mute(arm.model, arm.params)
        for spec in suite.exam.all_scorers():
            for name in spec.models:
                yield mute(parse_model(name), Params())


def _pairs(sides: Sides, known: Config, config: str, problems: list[Problem]) -> tuple[Pair, ...]:
    """Each suite as both sides have it; none where their names do not tell them apart."""
    try:
        return pair(sides, known, known, ()).pairs
    except InputErrors as errors:
        problems.extend(errors.problems)
    except CannotEvaluate:
        raise
    except GateError as error:
        problems.append(Problem(config, 0, error.message, error.hint))
    return ()


def _empty_patterns(head: Config, sides: Sides, config: str) -> Iterator[Problem]:
    """A pattern that fits no file examines nothing, and nobody would notice."""
    for suite in head.suites:
        if is_glob(suite.prompt) and not sides.head.glob(suite.prompt):
            hint = "mend the pattern, or take the suite out; files that git ignores do not count"
            yield Problem(
                config, suite.line, f"no file matches the prompt {quoted(suite.prompt)} of {suite.name}", hint
            )


def _has_files(suite: Suite) -> bool:
    """Do its scorers rest on files, of which one may have a mistake?"""
    return any(spec.files or spec.coded for spec in suite.exam.scorers)


def _rehearse(suites: Sequence[Suite], problems: list[Problem]) -> None:
    """Put every case into every prompt and scorer; what is wrong with one suite says nothing of the next."""
    for suite in suites:
        # Both arms are the same: one is enough, but for scorers that compare two answers.
        compared = any(spec.comparative for spec in suite.exam.all_scorers())
        try:
            rehearse((suite if compared else replace(suite, baseline=None),))
        except InputErrors as errors:
            problems.extend(errors.problems)


def _looked(suite: Suite, cases: str) -> SuiteLooked:
    exam = suite.exam
    slices = len(members(exam.cases, exam.dimensions)) - 1
    scorers = tuple(spec.name for spec in exam.scorers)
    path, model = suite.candidate.version.path, str(suite.candidate.model)
    return SuiteLooked(suite.name, path, cases, len(exam.cases), slices, scorers, model, unread.on_exam(suite))


def _remarks(suite: Suite, cases: str) -> Iterator[str]:
    """What a user should know before he trusts a verdict; of cases that suites share it is told once."""
    yield from exam_notes(suite)
    exam = suite.exam
    starters = sum(case.description == NOTE for case in exam.cases)
    if starters:
        of = "all cases" if starters == len(exam.cases) else f"{starters} of {len(exam.cases):,} cases"
        yield f"{cases}: {of} are starter cases; put real ones in their place."
    sizes = {name: _units(exam.cases, rows) for name, rows in members(exam.cases, exam.dimensions).items()}
    whole = sizes[OVERALL]
    apart = "independent " if whole < len(exam.cases) else ""
    if whole < FEWEST_UNITS:
        yield f"{cases}: only {counted(whole, f'{apart}case')}; {FEWEST_UNITS} are the least that can block."
        return
    small = [name for name, units in sizes.items() if units < FEWEST_UNITS]
    if small:
        shown = ", ".join(small[:SHOWN]) + (f" and {len(small) - SHOWN} more" if len(small) > SHOWN else "")
        few = f"{counted(len(small), 'slice')} with fewer than {FEWEST_UNITS} {apart}cases"
        yield f"{cases}: {few} cannot block: {shown}."


def _units(cases: Sequence[Case], rows: Sequence[int]) -> int:
    """How many of them are independent: variants of one source are one."""
    return len({cases[row].cluster or row for row in rows})


def _sorted(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(set(problems)))
