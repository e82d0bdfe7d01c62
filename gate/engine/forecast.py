"""What each slice of a planned run could show."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from gate.domain.forecast import Reach, SliceForecast, Spread, SuiteForecast, Tier
from gate.domain.suite import OVERALL, RunPolicy, Suite
from gate.engine.outlay import arms
from gate.engine.pairs import Scores
from gate.engine.stack import Slice, Stack, stack
from gate.stats.maxt import BLOCKABLE_UNITS
from gate.stats.power import DIFFUSE, WHOLE, cases_needed, detectable, layout_critical, power_of
from gate.stats.student import normal_quantile

CHANGED_AT_LEAST = 6
"""Fewer cases that all fall prove nothing at a level of 2.5 %: 2^-5 is more than that."""

_TIERS: tuple[tuple[int, Tier], ...] = (
    (300, "ample"),
    (100, "comfortable"),
    (30, "decides"),
    (BLOCKABLE_UNITS, "below the floor"),
    (0, "never blocks"),
)


@dataclass(frozen=True, slots=True)
class Question:
    """What the plan is asked.

    Args:
        effect: size of a fall, on the scale of scores.
        power: probability to show it.
    """

    effect: float
    power: float


@dataclass(frozen=True, slots=True)
class Layout:
    """The slices of a run before it is made.

    Args:
        stack: all cases of all suites; its scores mean nothing.
        tested: full names of the family.
        critical: of the family, in standard errors; infinite when there is none.
        alone: critical value of a slice outside the family, by its units.
    """

    stack: Stack
    tested: frozenset[str]
    critical: float
    alone: Callable[[int], float]


def tier(units: int) -> Tier:
    """What so many independent units are good for."""
    return next(name for least, name in _TIERS if units >= least)


def layout(suites: Sequence[Suite], policy: RunPolicy) -> Layout:
    """Lay the suites on top of each other, as the run would.

    Args:
        suites: what would be evaluated; those with one arm have no part in the test.
        policy: level and method.
    """
    paired = [suite for suite in suites if len(arms(suite)) > 1]
    if not paired:
        nothing = np.empty(0)
        empty = Stack(nothing, nothing, np.empty(0, dtype=np.int64), ())
        return Layout(empty, frozenset(), math.inf, lambda _: math.inf)
    blank = {suite.name: _blank(len(suite.exam.cases)) for suite in paired}
    whole = stack(paired, blank)
    family = {
        piece.full_name: piece.rows
        for piece in whole.slices
        if not piece.advisory and whole.unit_count(piece.rows) >= BLOCKABLE_UNITS
    }
    cases = int(whole.units.size)
    critical = _critical(family, cases, policy, whole.units) if family else math.inf

    @cache
    def alone(units: int) -> float:
        return _critical({OVERALL: np.arange(units)}, units, policy, None) if units >= BLOCKABLE_UNITS else math.inf

    return Layout(whole, frozenset(family), critical, alone)


def _critical(
    slices: Mapping[str, NDArray[np.int64]], cases: int, policy: RunPolicy, units: NDArray[np.int64] | None
) -> float:
    if policy.method != "maxt":
        return normal_quantile(1.0 - policy.alpha)
    return layout_critical(slices, cases, alpha=policy.alpha, clusters=units)


def suite_forecast(suite: Suite, spread: Spread, found: Layout, question: Question) -> SuiteForecast:
    """What the slices of one suite could show.

    Args:
        suite: as planned.
        spread: noise of its deltas.
        found: slices of the whole run.
        question: which fall, and with which power.
    """
    slices = tuple(
        _slice(suite, piece, spread, found, question) for piece in found.stack.slices if piece.suite == suite.name
    )
    return SuiteForecast(suite.name, len(suite.exam.cases), suite.samples, len(arms(suite)), spread, slices)


def reach(spread: Spread, units: int, critical: float, power: float) -> Reach:
    """Smallest fall that so many units would show: spread thinly with the least noise, or in whole cases with the most.

    Args:
        spread: noise of a unit's delta.
        units: independent units.
        critical: in standard errors.
        power: probability to show it.
    """
    if units < BLOCKABLE_UNITS or critical == math.inf:
        return Reach(None, None)
    best = detectable(spread.low, units, critical, spread=DIFFUSE, power=power)
    worst = detectable(spread.high, units, critical, spread=WHOLE, power=power)
    if spread.low == 0.0:
        # Without any noise the equation promises too much: the test wants this many cases that fall.
        best = max(best, min(1.0, CHANGED_AT_LEAST / units))
    return Reach(_finite(best), _finite(max(best, worst)))


def _slice(suite: Suite, piece: Slice, spread: Spread, found: Layout, question: Question) -> SliceForecast:
    units = found.stack.unit_count(piece.rows)
    cases = int(piece.rows.size)
    tested = piece.full_name in found.tested
    critical = found.critical if tested else found.alone(units)
    shown, needed = Reach(None, None), Reach(None, None)
    if critical < math.inf:
        shown = Reach(
            power_of(spread.low, units, question.effect, critical, spread=DIFFUSE),
            power_of(spread.high, units, question.effect, critical, spread=WHOLE),
        )
    # A slice that is too small now could join the family; what it would then need is told by the family's value.
    joined = found.critical if critical == math.inf else critical
    if cases and joined < math.inf:
        least, most = (
            cases_needed(sd, question.effect, joined, spread=h, power=question.power)
            for sd, h in ((spread.low, DIFFUSE), (spread.high, WHOLE))
        )
        each = cases / units
        needed = Reach(_cases(least, each), _cases(most, each))
    return SliceForecast(
        suite=suite.name,
        slice=piece.full_name,
        cases=cases,
        units=units,
        tier=tier(units),
        tested=tested,
        advisory=piece.advisory,
        required=piece.name in suite.exam.policy.required,
        detectable=reach(spread, units, critical, question.power),
        power=shown,
        cases_needed=needed,
    )


def _blank(n: int) -> Scores:
    return Scores(np.arange(n, dtype=np.int64), np.zeros(n), np.zeros(n))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _cases(units: int | None, each: float) -> float | None:
    return None if units is None else float(math.ceil(units * each))
