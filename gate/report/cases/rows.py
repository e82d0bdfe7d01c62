"""All cases of one suite of a run, in the order and the choice that somebody asks for."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gate.domain.record import RunRecord
from gate.domain.record_compared import SuiteRecord
from gate.domain.record_new import NewSuiteRecord
from gate.domain.sample import mean_score
from gate.report import numbers
from gate.report.cases.views import slices_of
from gate.report.slices import short

Which: TypeAlias = Literal["all", "worse", "better", "failed"]
Order: TypeAlias = Literal["worst", "best", "case"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which cases somebody wants to see.

    Args:
        which: those that got worse, better, or have a sample without a score; of a prompt that stands alone `worse`
            are those with a sample that does not pass, and `better` the others.
        slice: `dimension=value`; empty for all.
        order: by the change, or by the score of a prompt that stands alone; or by id.
    """

    which: Which = "all"
    slice: str = ""
    order: Order = "worst"


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One case.

    Args:
        id: as it is.
        name: for a reader.
        slices: in words.
        baseline, candidate: mean scores; a dash without any.
        change: signed; a dash where there is none.
        outcome: `worse`, `better`, `same`, or `unknown` where an arm has no score.
        missing: samples without a score.
    """

    id: str
    name: str
    slices: str
    baseline: str
    candidate: str
    change: str
    outcome: Literal["worse", "better", "same", "unknown"]
    missing: int


@dataclass(frozen=True, slots=True)
class CaseTable:
    """One suite with the chosen cases.

    Args:
        suite: its name, as it is.
        alone: there is one arm.
        rows: the chosen cases.
        total: cases of the suite.
        slices: names of all slices, to choose from.
    """

    suite: str
    alone: bool
    rows: tuple[CaseRow, ...]
    total: int
    slices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    id: str
    slices: Mapping[str, str]
    baseline: float | None
    candidate: float | None
    value: float | None
    outcome: Literal["worse", "better", "same", "unknown"]
    missing: int


def case_table(run: RunRecord, suite: str, wanted: Wanted) -> CaseTable | None:
    """The cases of a suite; None where the run has no such suite.

    Args:
        run: the record.
        suite: its name.
        wanted: which cases, in which order.
    """
    compared = next((one for one in run.suites if one.name == suite), None)
    alone = next((one for one in run.new if one.name == suite), None)
    if compared is not None:
        found = tuple(_compared(compared))
    elif alone is not None:
        found = tuple(_alone(alone))
    else:
        return None
    slices = sorted({f"{name}={value}" for one in found for name, value in one.slices.items()})
    rows = sorted((one for one in found if _chosen(one, wanted)), key=_ORDERS[wanted.order])
    return CaseTable(suite, compared is None, tuple(map(_row, rows)), len(found), tuple(slices))


def _compared(suite: SuiteRecord) -> Iterator[_Found]:
    for case in suite.cases:
        missing = sum(score is None for score in (*case.baseline, *case.candidate))
        outcome = _outcome(case.delta)
        yield _Found(
            case.id, case.slices, mean_score(case.baseline), mean_score(case.candidate), case.delta, outcome, missing
        )


def _alone(suite: NewSuiteRecord) -> Iterator[_Found]:
    for case in suite.cases:
        mean, known = mean_score(case.scores), [one for one in case.passed if one is not None]
        outcome: Literal["worse", "better", "unknown"] = "unknown" if not known else "better" if all(known) else "worse"
        yield _Found(case.id, case.slices, None, mean, mean, outcome, sum(score is None for score in case.scores))


def _outcome(delta: float | None) -> Literal["worse", "better", "same", "unknown"]:
    if delta is None:
        return "unknown"
    return "same" if abs(delta) < numbers.ZERO else "worse" if delta < 0 else "better"


def _chosen(one: _Found, wanted: Wanted) -> bool:
    if wanted.slice:
        dimension, _, value = wanted.slice.partition("=")
        if one.slices.get(dimension) != value:
            return False
    match wanted.which:
        case "all":
            return True
        case "failed":
            return one.missing > 0
        case outcome:
            return one.outcome == outcome


_ORDERS: Mapping[Order, Callable[[_Found], tuple[bool, float, str]]] = {
    # Cases without a change come last, whatever the direction.
    "worst": lambda one: (one.value is None, one.value or 0.0, one.id),
    "best": lambda one: (one.value is None, -(one.value or 0.0), one.id),
    "case": lambda one: (False, 0.0, one.id),
}


def _row(one: _Found) -> CaseRow:
    change = None if one.baseline is None or one.candidate is None else one.value
    return CaseRow(
        id=one.id,
        name=short(one.id),
        slices=slices_of(one.slices),
        baseline=numbers.score(one.baseline),
        candidate=numbers.score(one.candidate),
        change=numbers.delta(change),
        outcome=one.outcome,
        missing=one.missing,
    )
