"""The bootstrap of a figure that is a function of sums over the items, such as a coefficient of agreement."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import TOLERANCE, Estimate, FloatArray, IntArray, Undefined, check_level, unit_labels
from gate.stats.rates import Rate

RESAMPLES = 2000
LEAST_DEFINED = 0.95
"""Share of the resamples in which the figure must exist for their quantiles to be used."""

Statistic: TypeAlias = Callable[[FloatArray], FloatArray]
"""float[B, d] sums to float[B] figures; NaN where a figure does not exist, returned as `Undefined`."""

_CHUNK = 1 << 21


@dataclass(frozen=True, slots=True)
class Drawing:
    """How intervals are resampled.

    Args:
        clusters: int[N], items with equal labels are drawn together; None: items are drawn alone.
        alpha: one-sided level of each bound.
    """

    clusters: npt.ArrayLike | None = None
    seed: int = 0
    alpha: float = 0.025
    resamples: int = RESAMPLES

    def units(self, n: int) -> IntArray:
        """int[n], the unit of each item; raises ValueError where there is not one label for each."""
        check_level(self.alpha)
        if self.resamples < 1:
            raise ValueError(f"resamples must be at least 1, not {self.resamples}.")
        return unit_labels(n, self.clusters)


@dataclass(frozen=True, slots=True)
class Scale:
    """The range of a figure."""

    low: float = -1.0
    high: float = 1.0


def unit_totals(rows: FloatArray, units: IntArray) -> FloatArray:
    """float[U, d], the sums of float[N, d] within each unit."""
    totals = np.zeros((int(units.max()) + 1 if len(units) else 0, rows.shape[1]))
    np.add.at(totals, units, rows)
    return totals


def resampled_sums(rows: FloatArray, drawing: Drawing) -> FloatArray:
    """float[B, d]: sums of float[N, d] rows, N >= 1, over as many units as there are, drawn with replacement."""
    totals = unit_totals(rows, drawing.units(len(rows)))
    # Items that add the same are exchangeable: drawing how often each kind comes is the same, and much faster.
    kinds, counts = np.unique(totals.round(12) + 0.0, axis=0, return_counts=True)
    units = int(counts.sum())
    rng = np.random.default_rng(drawing.seed)
    chunk = max(1, _CHUNK // len(kinds))
    pieces = [
        rng.multinomial(units, counts / units, size=min(chunk, drawing.resamples - start)) @ kinds
        for start in range(0, drawing.resamples, chunk)
    ]
    return np.concatenate(pieces)


def estimate(
    rows: FloatArray, statistic: Statistic, drawing: Drawing, scale: Scale | None = None
) -> Estimate | Undefined:
    """A figure with the percentile bootstrap over its units (B. Efron, Annals of Statistics 7, 1979, 1-26).

    Args:
        rows: float[N, d], what each item adds to the sums.
        statistic: from sums to the figure.
        scale: range of the figure; -1 to 1 where None.

    Returns:
        `Undefined` where the figure does not exist. Where it does and resampling cannot tell its interval (one unit,
        or too many resamples without the figure), the bounds are the ends of the scale.
    """
    scale = scale or Scale()
    units = len(unit_totals(rows, drawing.units(len(rows))))
    if units == 0:
        return Undefined("there is nothing to compare")
    value = float(statistic(rows.sum(axis=0, keepdims=True))[0])
    if not np.isfinite(value):
        return Undefined("all answers are of one kind, so agreement beyond chance cannot be told")
    low, high = scale.low, scale.high
    if units > 1:
        low, high = _bounds(statistic(resampled_sums(rows, drawing)), drawing.alpha, scale)
    value = _within(value, scale)
    return Estimate(value, min(low, value), max(high, value), units)


def not_certain(
    found: Estimate | Undefined, agreed: Rate, beyond_chance: Callable[[float], float]
) -> Estimate | Undefined:
    """The estimate, with bounds from those of the agreement where resampling gives an interval without width.

    Where no item is disagreed on, every resample agrees; where one side says the same of every item, kappa is 0 in
    every resample. The missing width would look like certainty.

    Args:
        agreed: the share of agreement with its Wilson interval.
        beyond_chance: the figure that a share of agreement would give.
    """
    if isinstance(found, Undefined) or found.lower < found.upper:
        return found
    lower, upper = beyond_chance(agreed.lower), beyond_chance(agreed.upper)
    return replace(found, lower=max(-1.0, min(lower, found.value)), upper=min(1.0, max(upper, found.value)))


def quantiles(figures: FloatArray, alpha: float) -> tuple[float, float] | None:
    """The bounds that resampled figures give; None where too many of them do not exist."""
    defined = figures[np.isfinite(figures)]
    if len(defined) < LEAST_DEFINED * len(figures):
        return None
    low, high = np.quantile(defined, [alpha, 1.0 - alpha])
    return float(low), float(high)


def _bounds(figures: FloatArray, alpha: float, scale: Scale) -> tuple[float, float]:
    found = quantiles(figures, alpha)
    if found is None:
        return scale.low, scale.high
    return _within(found[0], scale), _within(found[1], scale)


def _within(value: float, scale: Scale) -> float:
    value = 0.0 if abs(value) < TOLERANCE else value
    return min(scale.high, max(scale.low, value))


def ratio(top: FloatArray, bottom: FloatArray) -> FloatArray:
    """float[B], top over bottom; NaN where the bottom is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.abs(bottom) > TOLERANCE, top / bottom, np.nan)
