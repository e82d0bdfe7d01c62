"""Cost and latency: relative change with an interval; figures of one arm; drift of known answers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gate.engine.arrays import Bools, Floats, Grid, Ints, clusters, side_by_side
from gate.engine.samples import NOT_APPLICABLE, UNKNOWN
from gate.record.comparison import ArmAxis, AxisComparison, AxisName, Estimate
from gate.record.sample import Reply
from gate.record.usage import Dollars, Usage
from gate.stats.maxt import single_slice
from gate.stats.means import Ratio, Share, cost_ratio, latency_ratio
from gate.stats.quantiles import Calls, Change, quantile, quantile_changes


@dataclass(frozen=True, slots=True)
class _Measured:
    """Figures of both arms: one per case (paired), one per call, and those of the paired cases with their unit."""

    baseline: Floats
    candidate: Floats
    baseline_calls: Floats
    candidate_calls: Floats
    units: Ints | None
    paired_calls: tuple[Calls, Calls] | None

    @property
    def arms(self) -> tuple[Floats, Floats]:
        return self.baseline, self.candidate

    @property
    def cases(self) -> int:
        return int(self.baseline.size)


def cost(grid: Grid, alpha: float) -> AxisComparison:
    """Cost per call without judges, candidate against baseline; `alpha` is the one-sided level of each bound."""
    kept, too_few = side_by_side(grid)
    blank = _blank("cost", grid.suite.exam.policy.max_cost_increase)
    blank = blank.model_copy(
        update={"baseline": ArmAxis(usage=_usage(grid, 0)), "candidate": ArmAxis(usage=_usage(grid, 1))}
    )
    prices = grid.numbers("price")
    why = {*np.unique(prices[kept if kept.any() else grid.replied]).tolist()}
    if why == {NOT_APPLICABLE}:
        return blank.model_copy(
            update={"reason": "local models and recorded answers have no price", "applicable": False}
        )
    if UNKNOWN in why:
        return blank.model_copy(update={"reason": "the price of the model at this address is unknown"})
    if NOT_APPLICABLE in why:
        return blank.model_copy(update={"reason": "only one of the two models has a price"})
    if too_few:
        return blank.model_copy(update={"reason": too_few})
    measured = _measure(grid, grid.figures("cost"), kept)
    if measured.cases == 0:
        return blank.model_copy(update={"reason": "no case was answered by both arms"})
    free = [bool(arm.mean() <= 0) for arm in measured.arms]
    if any(free):
        reason = "the models are free of charge" if all(free) else "one of the two models is free of charge"
        return blank.model_copy(update={"reason": reason, "applicable": not all(free)})
    return _filled(blank, measured, cost_ratio(*measured.arms, alpha=alpha, clusters=measured.units))


def latency(grid: Grid, alpha: float) -> AxisComparison:
    """Latency of one call: geometric mean over cases of the per-case ratio; `alpha` as in `cost`."""
    kept, too_few = side_by_side(grid)
    blank = _blank("latency", grid.suite.exam.policy.max_latency_increase)
    if too_few:
        return blank.model_copy(update={"reason": too_few})
    seconds = grid.figures("latency")
    measured = _measure(grid, seconds, kept & (seconds > 0.0), geometric=True)
    if measured.cases == 0 or measured.paired_calls is None:
        return blank.model_copy(update={"reason": "no times were measured"})
    filled = _filled(blank, measured, latency_ratio(*measured.arms, alpha=alpha, clusters=measured.units))
    changes = quantile_changes(*measured.paired_calls, alpha=alpha)
    return filled.model_copy(update={"p50_change": estimate(changes.p50), "p95_change": estimate(changes.p95)})


def _measure(grid: Grid, values: Floats, kept: Bools, *, geometric: bool = False) -> _Measured:
    """Means of each case, arithmetic or geometric, over the cases that both arms have a figure for."""
    known = np.where(kept, values, 1.0)
    terms = np.log(known) if geometric else known
    counts = kept.sum(axis=2)
    both = np.flatnonzero(counts.min(axis=0))
    means = np.where(kept, terms, 0.0).sum(axis=2)[:, both] / counts[:, both]
    declared = clusters(grid.suite)
    units = None if declared is None else declared[both]
    labels = both if units is None else units
    before, after = np.exp(means) if geometric else means
    paired = [(v[both][k[both]], np.repeat(labels, n[both])) for v, k, n in zip(values, kept, counts, strict=True)]
    calls = (Calls(*paired[0]), Calls(*paired[1])) if both.size else None
    return _Measured(before, after, values[0][kept[0]], values[1][kept[1]], units, calls)


def estimate(found: Change | Share) -> Estimate:
    """Infinite bounds become None."""
    lower, upper = (bound if math.isfinite(bound) else None for bound in (found.lower, found.upper))
    return Estimate(value=found.value, lower=lower, upper=upper)


def _usage(grid: Grid, arm: int) -> Usage:
    """Tokens of all replies, compared or not."""
    replied = grid.replied[arm]
    return Usage(*(int(grid.numbers(name)[arm][replied].sum()) for name in ("fresh", "read", "write", "output")))


def _blank(axis: AxisName, allowance: float) -> AxisComparison:
    return AxisComparison(
        axis=axis,
        compared=False,
        reason="",
        applicable=True,
        n=0,
        baseline=ArmAxis(),
        candidate=ArmAxis(),
        change=None,
        lower=None,
        upper=None,
        allowance=allowance,
        exceeded=False,
    )


def _filled(blank: AxisComparison, measured: _Measured, ratio: Ratio) -> AxisComparison:
    return AxisComparison(
        axis=blank.axis,
        compared=True,
        reason="",
        applicable=True,
        n=measured.cases,
        baseline=_figures(blank.baseline, measured.baseline_calls),
        candidate=_figures(blank.candidate, measured.candidate_calls),
        change=ratio.change,
        lower=ratio.lower if math.isfinite(ratio.lower) else None,
        upper=ratio.upper if math.isfinite(ratio.upper) else None,
        allowance=blank.allowance,
        exceeded=ratio.lower > blank.allowance + 1e-9,
    )


def _figures(axis: ArmAxis, calls: Floats) -> ArmAxis:
    return ArmAxis(
        mean=float(calls.mean()),
        p50=quantile(calls, 0.5),
        p95=quantile(calls, 0.95),
        usage=axis.usage,
        calls=calls.size,
    )


def cost_figures(replies: Sequence[Reply]) -> ArmAxis:
    """Dollars per call, where the price of every call is known; and the tokens."""
    known = [reply.cost.amount for reply in replies if isinstance(reply.cost, Dollars)]
    usage = sum((reply.usage for reply in replies), Usage())
    return _arm_figures(known if len(known) == len(replies) else [], usage)


def latency_figures(replies: Sequence[Reply]) -> ArmAxis:
    """Seconds per call, over the calls whose time means something."""
    return _arm_figures(
        [reply.latency_s for reply in replies if reply.latency_s is not None and reply.latency_s > 0], None
    )


def _arm_figures(calls: Sequence[float], usage: Usage | None) -> ArmAxis:
    if not calls:
        return ArmAxis(usage=usage)
    values = np.array(calls, dtype=np.float64)
    # Exact whatever the order in which answers came: the same run has the same figures to the last digit.
    return ArmAxis(
        mean=math.fsum(calls) / len(calls), p50=quantile(values, 0.5), p95=quantile(values, 0.95), usage=usage
    )


LEVEL = 0.01
"""Two-sided: how often good known answers are discarded, which costs calls and nothing else."""


def drifted(earlier: Sequence[float], fresh: Sequence[float], seed: int) -> bool:
    """Did the scores of the same questions move between two sittings?

    The sign-flip test of `gate.stats.maxt`, in both directions.

    Args:
        earlier: float[n], scores of the known answers.
        fresh: float[n], scores of new answers to the same requests.
    """
    moved = np.asarray(fresh, dtype=np.float64) - np.asarray(earlier, dtype=np.float64)
    if moved.size == 0:
        return False
    ways = [single_slice(way, alpha=LEVEL / 2, seed=seed) for way in (moved, -moved)]
    return any(way.p is not None and way.p <= LEVEL / 2 for way in ways)
