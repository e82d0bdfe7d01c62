"""What one case has to do with the change of each slice that it is in."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum
from statistics import fmean

from gate.config.policy import OVERALL
from gate.domain.checked import CaseState
from gate.domain.passrate import PassState
from gate.domain.record import RunRecord
from gate.domain.record_compared import CaseRecord, SuiteRecord
from gate.domain.record_new import NewCaseRecord, NewSuiteRecord
from gate.domain.verdict import State
from gate.report import numbers
from gate.report.slices import of_suite


@dataclass(frozen=True, slots=True)
class Contribution:
    """One case within one slice.

    Args:
        slice: `overall` or `dimension=value`.
        n: cases of the slice that count.
        mean: mean change of the slice, or the share of its answers that pass; None where nothing is known.
        without: the same, were this case not there; None for the only case.
        compared: the figures are changes; else shares that pass.
        moved: the change of this case, or the share of its answers that pass less 1; None where it has no score.
        share: of all that moved the same way in this slice (or of all answers that fail), in [0, 1]; 0 for a case
            that did not move.
        rank: place among the cases that moved the same way, the largest first; 0 for a case that did not move.
        ties: other cases with the same rank.
        of: cases that moved the same way.
        state: of the slice.
    """

    slice: str
    n: int
    mean: float | None
    without: float | None
    compared: bool
    moved: float | None
    share: float
    rank: int
    ties: int
    of: int
    state: State | PassState


def contributions(run: RunRecord, suite: str, case: CaseRecord | NewCaseRecord) -> tuple[Contribution, ...]:
    """The case in each tested slice that it is in, `overall` first.

    Args:
        run: the whole record.
        suite: that asked the case.
        case: one of its cases.
    """
    if isinstance(case, NewCaseRecord):
        new = next(one for one in run.new if one.name == suite)
        return tuple(_alone(new, case))
    compared = next(one for one in run.suites if one.name == suite)
    return tuple(_compared(run, compared, case))


def _compared(run: RunRecord, suite: SuiteRecord, case: CaseRecord) -> Iterator[Contribution]:
    for named in of_suite(run, suite):
        if not _inside(named.local, case):
            continue
        deltas = [one.delta for one in suite.cases if one.delta is not None and _inside(named.local, one)]
        share, rank, ties, of = _place(case.delta or 0.0, deltas)
        yield Contribution(
            slice=named.local,
            n=len(deltas),
            mean=named.record.mean,
            without=None if case.delta is None else _without(case.delta, deltas),
            compared=True,
            moved=case.delta,
            share=share,
            rank=rank,
            ties=ties,
            of=of,
            state=named.record.state,
        )


def _alone(suite: NewSuiteRecord, case: NewCaseRecord) -> Iterator[Contribution]:
    for record in (suite.overall, *suite.slices):
        local = record.slice.removeprefix(f"{suite.name}/")
        if not _inside(local, case):
            continue
        rates = [rate for one in suite.cases if _inside(local, one) and (rate := _rate(one)) is not None]
        own = _rate(case)
        moved = None if own is None else own - 1.0
        share, rank, ties, of = _place(moved or 0.0, [rate - 1.0 for rate in rates])
        yield Contribution(
            slice=local,
            n=len(rates),
            mean=record.rate,
            without=None if own is None else _without(own, rates),
            compared=False,
            moved=moved,
            share=share,
            rank=rank,
            ties=ties,
            of=of,
            state=record.state,
        )


def _inside(local: str, case: CaseRecord | NewCaseRecord) -> bool:
    return local == OVERALL or any(f"{key}={value}" == local for key, value in case.slices.items())


def _rate(case: NewCaseRecord) -> float | None:
    """The share of its answers that pass; in a check the case as a whole does, or does not."""
    if case.check is not None:
        return None if case.check.state is CaseState.UNSCORED else float(case.check.state is CaseState.PASSED)
    known = [passed for passed in case.passed if passed is not None]
    return fmean(known) if known else None


def _without(own: float, values: Sequence[float]) -> float | None:
    return (fsum(values) - own) / (len(values) - 1) if len(values) > 1 else None


def _place(own: float, values: Sequence[float]) -> tuple[float, int, int, int]:
    """Share, rank, ties and number of those that moved the same way."""
    if abs(own) < numbers.ZERO:
        return 0.0, 0, 0, 0
    same = [abs(value) for value in values if value * own > 0 and abs(value) >= numbers.ZERO]
    ahead = sum(value > abs(own) + numbers.ZERO for value in same)
    ties = sum(abs(value - abs(own)) <= numbers.ZERO for value in same) - 1
    return abs(own) / fsum(same), ahead + 1, ties, len(same)
