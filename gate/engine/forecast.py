"""What a run would cost, and the smallest change that each of its slices could show."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gate.config.policy import OVERALL, RunPolicy
from gate.engine.arrays import Scores, Slice, Stack, stack
from gate.engine.forecast import Spread, SuiteForecast
from gate.engine.noise import Spread
from gate.engine.spending import Spending, Warned
from gate.stats.arrays import BLOCKABLE_UNITS
from gate.stats.intervals import normal_quantile
from gate.stats.power import DIFFUSE, WHOLE, cases_needed, detectable, layout_critical, power_of
from gate.suite import Suite

Tier: TypeAlias = Literal["never blocks", "below the floor", "decides", "comfortable", "ample"]


@dataclass(frozen=True, slots=True)
class Reach:
    """A range from the best assumption to the most cautious one; None is infinite, or unknown."""

    best: float | None
    worst: float | None


@dataclass(frozen=True, slots=True)
class SliceForecast:
    """What one slice could show.

    Args:
        slice: full name, `suite/…` in a run over several.
    """

    suite: str
    slice: str
    cases: int
    units: int
    tier: Tier
    tested: bool
    advisory: bool
    required: bool
    margin: float
    detectable: Reach
    power: Reach
    cases_needed: Reach


@dataclass(frozen=True, slots=True)
class SuiteForecast:
    """One suite.

    Args:
        slices: `overall` first.
    """

    name: str
    cases: int
    samples: int
    arms: int
    spread: Spread
    slices: tuple[SliceForecast, ...]


@dataclass(frozen=True, slots=True)
class Forecast:
    """A whole plan.

    Args:
        alpha: one-sided level for all slices together.
        critical: expected critical value, in standard errors; None when nothing can block.
    """

    method: str
    alpha: float
    power: float
    effect: float
    tested: int
    critical: float | None
    spending: Spending
    suites: tuple[SuiteForecast, ...]
    warnings: tuple[Warned, ...]
    notes: tuple[str, ...] = ()


CHANGED_AT_LEAST = 6
"""Fewer cases prove nothing at a level of 2.5 % even if all of them fall: 2^-5 is more than that."""

_TIERS: tuple[tuple[int, Tier], ...] = (
    (300, "ample"),
    (100, "comfortable"),
    (30, "decides"),
    (BLOCKABLE_UNITS, "below the floor"),
    (0, "never blocks"),
)


@dataclass(frozen=True, slots=True)
class Question:
    """The fall that should show (on the scale of scores), and the probability to show it."""

    effect: float
    power: float


@dataclass(frozen=True, slots=True)
class Layout:
    """The slices of a run before it is made.

    Args:
        critical: of the family, in standard errors; infinite when there is none.
    """

    stack: Stack
    tested: frozenset[str]
    critical: float
    alone: Callable[[int], float]


def tier(units: int) -> Tier:
    """The tier of so many independent units."""
    return next(name for least, name in _TIERS if units >= least)


def layout(suites: Sequence[Suite], policy: RunPolicy, spreads: Mapping[str, Spread] | None = None) -> Layout:
    """Stack the suites as the run would."""
    paired = [suite for suite in suites if len(suite.arms) > 1]
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
    known = spreads or {}
    ties = sum(known[suite.name].ties * len(suite.exam.cases) for suite in paired if suite.name in known)
    scale = _Scale(policy, ties / max(1, whole.units.size))
    critical = scale.critical(family, whole.units) if family else math.inf
    return Layout(whole, frozenset(family), critical, cache(scale.alone))


@dataclass(frozen=True, slots=True)
class _Scale:
    """The significance thresholds of a policy; `ties` is the share of deltas that are 0 if nothing changed."""

    policy: RunPolicy
    ties: float

    def critical(self, slices: Mapping[str, NDArray[np.int64]], units: NDArray[np.int64]) -> float:
        if not self.policy.joint:
            # Bonferroni's level is that of Holm's first step, too, which decides whether anything blocks.
            looks = 1 if self.policy.correction == "none" else len(slices)
            return normal_quantile(1.0 - self.policy.alpha / looks)
        return layout_critical(slices, units.size, alpha=self.policy.alpha, clusters=units, ties=self.ties)

    def alone(self, units: int) -> float:
        """Critical value of one slice outside the family, with so many units."""
        if units < BLOCKABLE_UNITS:
            return math.inf
        return self.critical({OVERALL: np.arange(units)}, np.arange(units))


def suite_forecast(suite: Suite, spread: Spread, found: Layout, question: Question) -> SuiteForecast:
    """What the slices of one suite could show; `found` has the slices of the whole run."""
    slices = tuple(
        _slice(suite, piece, spread, found, question) for piece in found.stack.slices if piece.suite == suite.name
    )
    return SuiteForecast(suite.name, len(suite.exam.cases), suite.samples, len(suite.arms), spread, slices)


def reach(spread: Spread, units: int, critical: float, power: float) -> Reach:
    """Smallest fall that so many units would show: spread evenly with the least noise, or in whole cases with the most.

    Args:
        critical: in standard errors.
    """
    if units < BLOCKABLE_UNITS or critical == math.inf:
        return Reach(None, None)
    best = detectable(spread.low, units, critical, spread=DIFFUSE, power=power)
    worst = detectable(spread.high, units, critical, spread=WHOLE, power=power)
    if spread.low == 0.0:
        # Without any noise the equation promises too much: the test wants this many cases that fall.
        best = max(best, min(1.0, CHANGED_AT_LEAST / units))
    return Reach(_finite(best), _finite(max(best, worst)))


def _beyond(found: Reach, margin: float) -> Reach:
    """The fall plus the margin, which it has to exceed before it counts."""
    ends = [None if end is None or end + margin > 1.0 else end + margin for end in (found.best, found.worst)]
    return Reach(*ends)


def _slice(suite: Suite, piece: Slice, spread: Spread, found: Layout, question: Question) -> SliceForecast:
    units = found.stack.unit_count(piece.rows)
    cases = int(piece.rows.size)
    tested = piece.full_name in found.tested
    critical = found.critical if tested else found.alone(units)
    # A slice that is too small now could join the family; what it would then need is told by the family's value.
    joined = found.critical if critical == math.inf else critical
    needed = Reach(None, None)
    if cases and joined < math.inf:
        needed = _needed(spread, cases / units, joined, question, piece.margin)
    return SliceForecast(
        suite=suite.name,
        slice=piece.full_name,
        cases=cases,
        units=units,
        tier=tier(units),
        tested=tested,
        advisory=piece.advisory,
        required=piece.name in suite.exam.policy.required,
        margin=piece.margin,
        detectable=_beyond(reach(spread, units, critical, question.power), piece.margin),
        power=Reach(None, None) if critical == math.inf else _power(spread, units, critical, question, piece.margin),
        cases_needed=needed,
    )


def _power(spread: Spread, units: int, critical: float, question: Question, margin: float) -> Reach:
    effect = question.effect
    if effect <= margin:
        return Reach(0.0, 0.0)
    best, worst = (power_of(sd, units, effect - margin, critical, spread=0.0) for sd in _with_change(spread, effect))
    if spread.low == 0.0 and effect * units < CHANGED_AT_LEAST:
        best = 0.0
    return Reach(best, worst)


def _with_change(spread: Spread, effect: float) -> tuple[float, float]:
    """The noise of the deltas after the change: spread evenly at best, in whole cases at worst."""
    added = effect * (1.0 - effect)
    return math.sqrt(spread.low**2 + DIFFUSE * added), math.sqrt(spread.high**2 + WHOLE * added)


def _needed(spread: Spread, each: float, critical: float, question: Question, margin: float) -> Reach:
    """In cases, of which a unit has `each` on average; no number is enough for a fall within the margin."""
    beyond = question.effect - margin
    if beyond <= 0.0:
        return Reach(None, None)
    least, most = (
        cases_needed(sd, beyond, critical, power=question.power) for sd in _with_change(spread, question.effect)
    )
    if least is not None and spread.low == 0.0:
        least = max(least, math.ceil(CHANGED_AT_LEAST / question.effect))
    return Reach(_cases(least, each), _cases(most, each))


def _blank(n: int) -> Scores:
    return Scores(np.arange(n, dtype=np.int64), np.zeros(n), np.zeros(n))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _cases(units: int | None, each: float) -> float | None:
    return None if units is None else float(math.ceil(units * each))


LISTED = 5
"""Slices named in one sentence."""


def warnings(suites: Sequence[SuiteForecast], planned: Sequence[Suite]) -> Iterator[Warned]:
    """Required slices that are too small, overall slices that are, and slices that can never block.

    `planned` has the suites themselves, for slices without a case.
    """
    for suite, plan in zip(suites, planned, strict=True):
        if suite.arms < 2:
            yield Warned(f"{suite.name} is new: it has no baseline, and is judged by thresholds, not compared")
            continue
        names = {row.slice.removeprefix(f"{suite.name}/"): row for row in suite.slices}
        for name in plan.exam.policy.required:
            units = names[name].units if name in names else 0
            if units < BLOCKABLE_UNITS:
                yield Warned(
                    f"{suite.name}: the required slice {name} has {_counted(units)} and needs {BLOCKABLE_UNITS}: the "
                    "run would end INCONCLUSIVE",
                    severe=True,
                )
        small = [row for row in suite.slices if row.units < BLOCKABLE_UNITS and not row.advisory and not row.required]
        if any(row.slice in (OVERALL, f"{suite.name}/{OVERALL}") for row in small):
            yield Warned(
                f"{suite.name} has {_counted(suite.slices[0].units)}: under {BLOCKABLE_UNITS} nothing can block, and "
                "every run is a HOLD",
                severe=True,
            )
        elif small:
            listed = ", ".join(f"{row.slice} ({row.units})" for row in small[:LISTED])
            more = f" and {len(small) - LISTED} more" if len(small) > LISTED else ""
            yield Warned(f"can never block, under {BLOCKABLE_UNITS} independent cases: {listed}{more}")


def _counted(units: int) -> str:
    return "no case" if units == 0 else f"{units} independent case{'s' * (units != 1)}"
