"""Compares the power that the planning formula predicts with the power that a simulation finds."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from benchmarks.statistics.simulation.decision_rules import ALPHA, Joint, PullRequest
from benchmarks.statistics.simulation.rates import BROKEN_BEYOND, Rate
from benchmarks.statistics.simulation.score_regimes import REGIMES
from benchmarks.statistics.simulation.slice_layouts import ONE, TWELVE, Layout
from gate.stats.arrays import TOLERANCE
from gate.stats.power import DIFFUSE, WHOLE, detectable, layout_critical, power_of

TOLERATED = 0.05
"""How far outside the predicted band a simulated power may lie, plus Monte Carlo error."""

_MANY = 100_000  # cases from which a standard deviation is computed


@dataclass(frozen=True, slots=True)
class Plan:
    """A drop in the first slice, of the size that the formula predicts to be found with 80 % power.

    Args:
        regime: name in `REGIMES`.
        spread: of the drop, `WHOLE` or `DIFFUSE`.
    """

    regime: str
    layout: Layout
    n: int
    spread: float
    quick: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """Predicted and simulated power."""

    plan: Plan
    fall: float
    low: float
    high: float
    point: float
    found: Rate

    @property
    def off_by(self) -> float:
        """Simulated minus predicted power."""
        return self.found.value - self.point

    @property
    def held(self) -> bool:
        slack = TOLERATED + BROKEN_BEYOND * self.found.error
        return self.low - slack <= self.found.value <= self.high + slack


def all_plans() -> Sequence[Plan]:
    """Regimes of an unchanged prompt, two layouts, four sizes, two kinds of change."""
    return [
        Plan(regime, layout, n, spread, quick=regime in ("R1a", "R3", "R4") and n in (30, 100))
        for regime in ("R1a", "R1b", "R2", "R3", "R4")
        for layout in (ONE, TWELVE)
        for n in (30, 60, 100, 300)
        for spread in (WHOLE, DIFFUSE)
    ]


def predict_and_find(plan: Plan, rule: Joint, runs: int, seed: int) -> Outcome:
    """Predict the power of one plan, and simulate it."""
    regime, cases = REGIMES[plan.regime], plan.n * plan.layout.parts
    unchanged = _sd(plan.regime, 0.0, 0.0)
    critical = _critical(plan.layout, plan.n, _ties(plan.regime))
    fall = min(regime.mean, detectable(unchanged, plan.n, critical, spread=plan.spread))
    low, high = (power_of(unchanged, plan.n, fall, critical, spread=spread) for spread in (WHOLE, DIFFUSE))
    added = (_sd(plan.regime, fall, plan.spread) ** 2 - unchanged**2) / (fall * (1.0 - fall))
    point = power_of(unchanged, plan.n, fall, critical, spread=float(np.clip(added, 0.0, WHOLE)))
    name = zlib.crc32(f"plan {plan.regime} {plan.layout.words} {plan.n} {plan.spread}".encode())
    hits = 0
    for run in range(runs):
        rng = np.random.default_rng([seed, name, run])
        fallen = regime.deltas(rng, plan.n, fall, plan.spread)
        deltas = np.concatenate([fallen, regime.deltas(rng, cases - plan.n)])
        hits += rule.finds(PullRequest(deltas, plan.layout.draw(rng, cases), None, -fall, run))
    return Outcome(plan, fall, low, high, point, Rate(hits, runs))


@cache
def _critical(layout: Layout, n: int, ties: float) -> float:
    cases = n * layout.parts
    return layout_critical(layout.draw(np.random.default_rng(0), cases), cases, alpha=ALPHA, ties=ties)


@cache
def _sd(regime: str, fall: float, spread: float) -> float:
    return float(REGIMES[regime].deltas(np.random.default_rng(0), _MANY, fall, spread).std())


@cache
def _ties(regime: str) -> float:
    return float(np.mean(np.abs(REGIMES[regime].deltas(np.random.default_rng(0), _MANY)) < TOLERANCE))
