"""What a run would cost, and the smallest change that each of its slices could show."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gate.config.policy import OVERALL, RunPolicy
from gate.engine.arrays import Scores, Slice, Stack, stack
from gate.record.usage import Cost
from gate.stats.arrays import BLOCKABLE_UNITS
from gate.stats.intervals import normal_quantile
from gate.stats.power import DIFFUSE, WHOLE, cases_needed, detectable, layout_critical, power_of
from gate.suite import Suite

Basis: TypeAlias = Literal["measured", "assumed"]
"""`measured` in an earlier run, or `assumed`."""

Role: TypeAlias = Literal["baseline", "candidate", "judge", "user"]
"""`user` is a model that plays one."""

Tier: TypeAlias = Literal["never blocks", "below the floor", "decides", "comfortable", "ample"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number and where it comes from."""

    value: float
    basis: Basis


@dataclass(frozen=True, slots=True)
class Outlay:
    """The calls of one suite to one model in one role.

    Args:
        input_tokens, output_tokens: of all these calls together.
        seconds: of one call.
        alone: the model takes one call at a time, since it runs inside this process.
        in_a_row: calls that wait for one another, in the longest conversation.
        at_least: there may be more calls: an agent decides itself how often it is called.
    """

    suite: str
    role: Role
    model: str
    calls: int
    input_tokens: Figure
    output_tokens: Figure
    seconds: Figure
    cost: Cost
    alone: bool
    in_a_row: int = 1
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class Spending:
    """All calls of a run.

    Args:
        cost_note: why the cost is not known; empty otherwise.
        minutes: wall clock.
        concurrency: calls in flight that the minutes are for.
    """

    outlays: tuple[Outlay, ...]
    calls: int
    cost: Cost
    cost_note: str
    minutes: float
    concurrency: int

    @property
    def at_least(self) -> bool:
        """May there be more calls?"""
        return any(outlay.at_least for outlay in self.outlays)

    @property
    def converses(self) -> bool:
        """Has a sample several calls?"""
        return self.at_least or any(outlay.in_a_row > 1 for outlay in self.outlays)

    @property
    def dollars_at_least(self) -> bool:
        """May they cost more? Conversations measured in an earlier run already include all of their calls."""
        return any(outlay.at_least and outlay.input_tokens.basis == "assumed" for outlay in self.outlays)


@dataclass(frozen=True, slots=True)
class Spread:
    """The standard deviation of a unit's delta if nothing changes, as a range, on the scale of scores.

    Args:
        tau, sigma: between cases and within a case; None where they were not told apart.
        ties: share of cases whose delta is exactly 0 with so many samples; 0 where that is not known.
    """

    low: float
    high: float
    basis: Basis
    said: str
    tau: float | None = None
    sigma: float | None = None
    ties: float = 0.0


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
class Warned:
    """A sentence for the reader, with the remedy; `severe` where the run as planned cannot end well."""

    text: str
    severe: bool = False


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
