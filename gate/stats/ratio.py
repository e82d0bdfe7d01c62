"""Cost and latency: the relative change between the arms, with a t interval on the log scale."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import FloatArray, IntArray, check_level, finite_vector, unit_labels
from gate.stats.student import t_quantile


@dataclass(frozen=True, slots=True)
class Ratio:
    """A relative change, candidate against baseline; 0.12 is +12 %.

    Args:
        change: the estimate.
        lower, upper: its interval; infinite with fewer than 2 units.
        n: cases.
    """

    change: float
    lower: float
    upper: float
    n: int


def cost_ratio(
    baseline: npt.ArrayLike,
    candidate: npt.ArrayLike,
    *,
    alpha: float = 0.025,
    clusters: npt.ArrayLike | None = None,
) -> Ratio:
    """Change of the mean cost: log of the ratio of means, its error from the linearised per-case values.

    (The delta method for a ratio: W. Cochran, Sampling Techniques, 1977, section 6.3; clusters: section 9A.) The
    interval has no width when every case's cost changed by the same factor, for then the data show no variation.

    Args:
        baseline, candidate: float[N], cost per case and arm, at least 0, in the same unit; single zeros are fine.
        alpha: one-sided level of each bound.
        clusters: int[N], cases with equal labels are one unit; None when every case is its own.

    Raises:
        ValueError: no cases, unequal lengths, negative or infinite costs, an arm that cost nothing at all.
    """
    a, b = _arms(baseline, candidate)
    if a.min() < 0.0 or b.min() < 0.0:
        raise ValueError("Costs must be at least 0.")
    if a.max() == 0.0 or b.max() == 0.0:
        raise ValueError("An arm whose cases all cost 0 has no cost ratio.")
    mean_a, mean_b = float(a.mean()), float(b.mean())
    return _ratio(math.log(mean_b / mean_a), b / mean_b - a / mean_a, unit_labels(len(a), clusters), alpha)


def latency_ratio(
    baseline: npt.ArrayLike,
    candidate: npt.ArrayLike,
    *,
    alpha: float = 0.025,
    clusters: npt.ArrayLike | None = None,
) -> Ratio:
    """Change of latency: the geometric mean over cases of candidate / baseline, so that no slow case dominates.

    Args:
        baseline, candidate: float[N], latency per case and arm, above 0, in the same unit.
        alpha: one-sided level of each bound.
        clusters: int[N], cases with equal labels are one unit; None when every case is its own.

    Raises:
        ValueError: no cases, unequal lengths, latencies that are not finite or not above 0.
    """
    a, b = _arms(baseline, candidate)
    if a.min() <= 0.0 or b.min() <= 0.0:
        raise ValueError("Latencies must be above 0.")
    logs = np.log(b) - np.log(a)
    mean = float(logs.mean())
    return _ratio(mean, logs - mean, unit_labels(len(a), clusters), alpha)


def _arms(baseline: npt.ArrayLike, candidate: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    a, b = finite_vector(baseline, "baseline"), finite_vector(candidate, "candidate")
    if len(a) != len(b):
        raise ValueError(f"Both arms must hold the same cases, not {len(a)} and {len(b)}.")
    if len(a) == 0:
        raise ValueError("There must be at least one case to compare.")
    return a, b


def half_width(residuals: FloatArray, units: IntArray, alpha: float) -> float:
    """Half the width of the t interval of a linearised statistic; infinite with fewer than 2 units.

    Args:
        residuals: float[N], what each case adds to the statistic (sum 0), times N.
        units: int[N] from `unit_labels`; the residuals of a unit are summed.
        alpha: one-sided level of each bound.
    """
    check_level(alpha)
    sums = np.bincount(units, weights=residuals)
    g = len(sums)
    if g < 2:
        return math.inf
    error = math.sqrt(g / (g - 1) * float(np.sum(sums * sums))) / len(residuals)
    return t_quantile(1.0 - alpha, g - 1) * error


def _ratio(log_ratio: float, residuals: FloatArray, units: IntArray, alpha: float) -> Ratio:
    """t interval around `log_ratio`, carried back from the log scale."""
    half, change = half_width(residuals, units, alpha), math.expm1(log_ratio)
    if half == math.inf:
        return Ratio(change, -math.inf, math.inf, len(residuals))
    return Ratio(change, _expm1(log_ratio - half), _expm1(log_ratio + half), len(residuals))


def _expm1(value: float) -> float:
    try:
        return math.expm1(value)
    except OverflowError:
        return math.inf
