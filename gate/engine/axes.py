"""Cost and latency of one suite: relative change with an interval, and whether it lies beyond the allowance."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gate.domain.comparison import ArmAxis, AxisComparison, AxisName, Estimate
from gate.domain.sample import ArmName, Reply, Sample
from gate.domain.suite import Suite
from gate.domain.usage import Dollars, Unpriced, Usage
from gate.engine.pairs import Floats, Key, clusters
from gate.engine.sidebyside import side_by_side
from gate.stats.quantiles import Calls, Change, quantile, quantile_changes
from gate.stats.ratio import Ratio, cost_ratio, latency_ratio
from gate.stats.share import Share


@dataclass(frozen=True, slots=True)
class _Measured:
    """Figures of both arms: one per case (paired), one per call, and those of the paired cases with their unit."""

    baseline: Floats
    candidate: Floats
    baseline_calls: Floats
    candidate_calls: Floats
    units: NDArray[np.int64] | None
    paired_calls: tuple[Calls, Calls] | None

    @property
    def arms(self) -> tuple[Floats, Floats]:
        return self.baseline, self.candidate

    @property
    def cases(self) -> int:
        return int(self.baseline.size)


def cost(suite: Suite, table: Mapping[Key, Sequence[Sample]], alpha: float) -> AxisComparison:
    """Cost per call, candidate against baseline; judges are not part of it.

    Args:
        suite: whose cases are compared.
        table: from `pairs.by_case`.
        alpha: one-sided level of each end of the interval.
    """
    replies, too_few = side_by_side(suite, table)
    blank = _blank("cost", suite.exam.policy.max_cost_increase)
    blank = replace(
        blank,
        baseline=ArmAxis(usage=_usage(suite, table, ArmName.BASELINE)),
        candidate=ArmAxis(usage=_usage(suite, table, ArmName.CANDIDATE)),
    )
    prices = [reply.cost for arm in ArmName for row in replies[arm] for reply in row]
    why = {price.why for price in prices if isinstance(price, Unpriced)}
    if why == {"n/a"} and not any(isinstance(price, Dollars) for price in prices):
        return replace(blank, reason="local models and recorded answers have no price", applicable=False)
    if why:
        known = "n/a" in why and "unknown" not in why
        reason = (
            "only one of the two models has a price" if known else "the price of the model at this address is unknown"
        )
        return replace(blank, reason=reason)
    if too_few:
        return replace(blank, reason=too_few)
    measured = _measure(suite, replies, _dollars, lambda values: float(np.mean(values)))
    if measured.cases == 0:
        return replace(blank, reason="no case was answered by both arms")
    free = [bool(arm.mean() <= 0) for arm in measured.arms]
    if any(free):
        reason = "the models are free of charge" if all(free) else "one of the two models is free of charge"
        return replace(blank, reason=reason, applicable=not all(free))
    return _filled(blank, measured, cost_ratio(*measured.arms, alpha=alpha, clusters=measured.units))


def latency(suite: Suite, table: Mapping[Key, Sequence[Sample]], alpha: float) -> AxisComparison:
    """Latency of one call, as the geometric mean over cases of the per-case ratio.

    Args:
        suite: whose cases are compared.
        table: from `pairs.by_case`.
        alpha: one-sided level of each end of the interval.
    """
    replies, too_few = side_by_side(suite, table)
    blank = _blank("latency", suite.exam.policy.max_latency_increase)
    if too_few:
        return replace(blank, reason=too_few)
    measured = _measure(suite, replies, _seconds, lambda values: math.exp(float(np.mean(np.log(values)))))
    if measured.cases == 0 or measured.paired_calls is None:
        return replace(blank, reason="no times were measured")
    filled = _filled(blank, measured, latency_ratio(*measured.arms, alpha=alpha, clusters=measured.units))
    changes = quantile_changes(*measured.paired_calls, alpha=alpha)
    return replace(filled, p50_change=estimate(changes.p50), p95_change=estimate(changes.p95))


def _dollars(reply: Reply) -> float | None:
    return reply.cost.amount if isinstance(reply.cost, Dollars) else None


def _seconds(reply: Reply) -> float | None:
    return reply.latency_s if reply.latency_s is not None and reply.latency_s > 0 else None


def _measure(
    suite: Suite,
    replies: Mapping[ArmName, Sequence[Sequence[Reply]]],
    value: Callable[[Reply], float | None],
    mean: Callable[[Sequence[float]], float],
) -> _Measured:
    arms = (replies[ArmName.BASELINE], replies[ArmName.CANDIDATE])
    columns = [[[v for v in map(value, row) if v is not None] for row in arm] for arm in arms]
    rows = [(position, mean(b), mean(c)) for position, (b, c) in enumerate(zip(*columns, strict=True)) if b and c]
    means = np.array([row[1:] for row in rows], dtype=np.float64).reshape(-1, 2)
    positions = [row[0] for row in rows]
    declared = clusters(suite)
    units = None if declared is None else declared[positions]
    flat = [np.array([v for row in column for v in row], dtype=np.float64) for column in columns]
    labels = np.array(positions, dtype=np.int64) if units is None else units
    paired = (_calls(columns[0], positions, labels), _calls(columns[1], positions, labels)) if rows else None
    return _Measured(means[:, 0], means[:, 1], flat[0], flat[1], units, paired)


def _calls(column: Sequence[Sequence[float]], positions: Sequence[int], labels: NDArray[np.int64]) -> Calls:
    rows = [column[position] for position in positions]
    units = np.repeat(labels, [len(row) for row in rows])
    return Calls(np.array([value for row in rows for value in row], dtype=np.float64), units)


def estimate(found: Change | Share) -> Estimate:
    """Infinite bounds become None."""
    lower, upper = (bound if math.isfinite(bound) else None for bound in (found.lower, found.upper))
    return Estimate(found.value, lower, upper)


def _usage(suite: Suite, table: Mapping[Key, Sequence[Sample]], arm: ArmName) -> Usage:
    """Tokens of all replies, compared or not."""
    samples = (sample for case in suite.exam.cases for sample in table.get((suite.name, case.id, arm), ()))
    return sum((sample.reply.usage for sample in samples if isinstance(sample.reply, Reply)), Usage())


def _blank(axis: AxisName, allowance: float) -> AxisComparison:
    return AxisComparison(axis, False, "", True, 0, ArmAxis(), ArmAxis(), None, None, None, allowance, False)


def _filled(blank: AxisComparison, measured: _Measured, ratio: Ratio) -> AxisComparison:
    return replace(
        blank,
        compared=True,
        n=measured.cases,
        baseline=_figures(blank.baseline, measured.baseline_calls),
        candidate=_figures(blank.candidate, measured.candidate_calls),
        change=ratio.change,
        lower=ratio.lower if math.isfinite(ratio.lower) else None,
        upper=ratio.upper if math.isfinite(ratio.upper) else None,
        exceeded=ratio.lower > blank.allowance + 1e-9,
    )


def _figures(axis: ArmAxis, calls: Floats) -> ArmAxis:
    return replace(
        axis, mean=float(calls.mean()), p50=quantile(calls, 0.5), p95=quantile(calls, 0.95), calls=calls.size
    )
