"""The familiar rule: a percentile bootstrap of each slice alone (B. Efron, Annals of Statistics 7, 1979, 1-26)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import (
    CHANGED_FOR_ZERO_WIDTH,
    EMPTY,
    TOLERANCE,
    FloatArray,
    JointResult,
    SliceResult,
    UnitSums,
    sum_slices,
)
from gate.stats.intervals import distinct_units, normal_quantile, resampled_means

_ROUNDING = 1e-12
"""A p-value that exceeds its level by less than this share is at the level."""
_RESAMPLES = 2000
_TAIL = 50
"""Resamples beyond the bound of a strict level."""


@dataclass(frozen=True, slots=True)
class BootstrapTails:
    """The evidence of a drop in the resampled means of one slice.

    Args:
        lowest: float[K], the smallest resampled means, ascending; as many as the largest level needs.
        highest: float[K], the largest, descending.
    """

    p: float
    lowest: FloatArray
    highest: FloatArray
    resamples: int

    def bounds(self, level: float) -> tuple[float, float]:
        rank = _rank(level, self.resamples)
        return float(self.lowest[rank - 1]), float(self.highest[rank - 1])


def bootstrap_tails(sums: UnitSums, alpha: float, resamples: int, seed: int) -> BootstrapTails:
    """Resample the units of a slice that has some.

    Args:
        resamples: R, at least 1 / alpha.
        seed: neither the order of the units nor, but for the sign, the names of the arms matter.
    """
    means = _means(sums, resamples, np.random.default_rng(seed))
    at_or_above = int(np.count_nonzero(means >= -sums.margin - TOLERANCE))
    kept = _rank(alpha, resamples)
    means.sort()
    return BootstrapTails(
        (1 + at_or_above) / (resamples + 1), means[:kept].copy(), means[::-1][:kept].copy(), resamples
    )


def _means(sums: UnitSums, resamples: int, rng: np.random.Generator) -> FloatArray:
    """Resample whichever of the deltas and their negatives comes first, so that swapped arms get mirrored means."""
    there = distinct_units(sums.sums, sums.sizes)
    back = _mirrored(*there)
    first = _first_difference(there, back)
    if first == 0.0:
        half = resampled_means(*there, (resamples + 1) // 2, rng)
        return np.concatenate([half, -half])[:resamples]
    return resampled_means(*there, resamples, rng) if first < 0.0 else -resampled_means(*back, resamples, rng)


def _mirrored(distinct: FloatArray, counts: npt.NDArray[np.intp]) -> tuple[FloatArray, npt.NDArray[np.intp]]:
    """The distinct pairs of the negatives, in ascending order too."""
    pairs = distinct * [-1.0, 1.0] + 0.0
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    return pairs[order], counts[order]


def _first_difference(
    one: tuple[FloatArray, npt.NDArray[np.intp]], other: tuple[FloatArray, npt.NDArray[np.intp]]
) -> float:
    """Below 0 when `one` comes first, above 0 when `other` does, 0 when they hold the same."""
    gap = (np.column_stack(one) - np.column_stack(other)).ravel()
    different = gap[gap != 0.0]
    return float(different[0]) if len(different) else 0.0


def _rank(level: float, resamples: int) -> int:
    return int(level * (1.0 + _ROUNDING) * (resamples + 1))


def percentile_test(  # noqa: PLR0913
    deltas: npt.ArrayLike,
    slices: Mapping[str, npt.ArrayLike],
    *,
    alpha: float = 0.025,
    clusters: npt.ArrayLike | None = None,
    margin: float | Mapping[str, float] = 0.0,
    seed: int = 0,
) -> JointResult:
    """Test each slice separately for a drop of the mean delta.

    The upper bound of a blockable slice lies below -margin exactly when its p <= alpha (to 1e-9). Slices with fewer
    than 10 units get an interval and no p. Fewer than 6 changed units never give an interval without width. Permuting
    the cases and adding empty slices change nothing but the last digits. Without a margin, swapping the arms mirrors
    the intervals.

    Args:
        deltas: float[N], candidate minus baseline.
        slices: name to positions in `deltas`, int[n], each at most once.
        alpha: one-sided level of each slice, in (0, 0.5).
        clusters: int[N], equal labels are one unit; None when every case is its own.
        margin: tolerated drop, at least 0, on the scale of the deltas; one for all slices, or by name (others 0).
    """
    sums = sum_slices(deltas, slices, clusters, margin)
    resamples = max(_RESAMPLES, round(_TAIL / alpha))
    results = {
        name: _result(piece, bootstrap_tails(piece, alpha, resamples, seed), alpha) if piece.n else EMPTY
        for name, piece in sums.items()
    }
    return JointResult(results, normal_quantile(1.0 - alpha), 0, sum(piece.blockable for piece in sums.values()))


def _result(sums: UnitSums, tails: BootstrapTails, alpha: float) -> SliceResult:
    lower, upper = tails.bounds(alpha)
    if upper - lower < TOLERANCE and sums.changed < CHANGED_FOR_ZERO_WIDTH:
        lower, upper = -math.inf, math.inf
    lower = 0.0 if abs(lower) <= TOLERANCE else lower
    if sums.blockable and abs(upper + sums.margin) <= TOLERANCE:
        # Within rounding of the margin the bound goes with p.
        rejected = tails.p <= alpha * (1.0 + _ROUNDING)
        upper = math.nextafter(-sums.margin, -math.inf) if rejected else max(upper, -sums.margin)
    p = tails.p if sums.blockable else None
    return SliceResult(sums.n, len(sums.units), sums.mean, lower, upper, p, sums.blockable)
