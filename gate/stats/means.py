"""Means, shares and ratios with intervals; variance within and between cases; how alike two samples are."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import Estimate, FloatArray, IntArray, Undefined, check_level, finite_vector, unit_labels
from gate.stats.distributions import t_quantile


def paired_mean(differences: npt.ArrayLike, *, alpha: float = 0.025) -> Estimate | Undefined:
    """Mean with its t interval (W. Gosset, Biometrika 6, 1908, 1-25); without width where all are the same.

    Args:
        differences: float[N], one for each pair.
        alpha: one-sided level of each bound.

    Returns:
        `Undefined` for fewer than two pairs.

    Raises:
        ValueError: a number that is not finite, or a level out of range.
    """
    check_level(alpha)
    values = finite_vector(differences, "differences")
    if len(values) < 2:
        return Undefined("fewer than two pairs do not show how they vary")
    mean = float(np.mean(values))
    error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    half = t_quantile(1.0 - alpha, len(values) - 1) * error
    return Estimate(mean, mean - half, mean + half, len(values))


@dataclass(frozen=True, slots=True)
class Ratio:
    """A relative change, candidate against baseline; 0.12 is +12 %. The interval is infinite with fewer than 2
    units."""

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
    interval has no width when every case's cost changed by the same factor.

    Args:
        baseline, candidate: float[N], cost per case and arm, at least 0, in the same unit; single zeros are fine.
        alpha: one-sided level of each bound.
        clusters: int[N], equal labels are one unit; None when every case is its own.

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
        clusters: int[N], equal labels are one unit; None when every case is its own.

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


@dataclass(frozen=True, slots=True)
class Share:
    """A share, or a difference of two; 0.7 is 70 %, or 70 points. Bounds are infinite with fewer than 2 units."""

    value: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Parts:
    """The part and the whole of each case, in one unit.

    Args:
        part: float[N], at least 0 and at most the whole.
        whole: float[N], above 0 for at least one case.

    Raises:
        ValueError: unequal lengths, no cases, numbers out of range.
    """

    part: FloatArray
    whole: FloatArray

    def __post_init__(self) -> None:
        part, whole = finite_vector(self.part, "part"), finite_vector(self.whole, "whole")
        if len(part) != len(whole):
            raise ValueError(f"part and whole must hold the same cases, not {len(part)} and {len(whole)}.")
        if len(part) == 0 or whole.max() <= 0.0:
            raise ValueError("There must be at least one case whose whole is above 0.")
        if part.min() < 0.0 or np.any(part > whole):
            raise ValueError("A part must lie between 0 and its whole.")

    @property
    def share(self) -> float:
        """All parts over all wholes."""
        return float(np.sum(self.part) / np.sum(self.whole))

    @property
    def residuals(self) -> FloatArray:
        """float[N], the share linearised over the cases; they sum to 0."""
        values: FloatArray = (self.part - self.share * self.whole) / float(np.mean(self.whole))
        return values


def share(parts: Parts, *, alpha: float = 0.025, clusters: npt.ArrayLike | None = None) -> Share:
    """A ratio of sums with a t interval on its linearised per-case values, cut to [0, 1].

    (W. Cochran, Sampling Techniques, 1977, section 6.3; clusters: section 9A.) The interval has no width when the share
    is the same in every case.

    Args:
        alpha: one-sided level of each bound.
        clusters: int[N], equal labels are one unit; None when every case is its own.

    Raises:
        ValueError: a level or labels out of range.
    """
    half = half_width(parts.residuals, unit_labels(len(parts.part), clusters), alpha)
    value = parts.share
    if half == math.inf:
        return Share(value, -math.inf, math.inf)
    return Share(value, max(0.0, value - half), min(1.0, value + half))


def share_change(
    baseline: Parts, candidate: Parts, *, alpha: float = 0.025, clusters: npt.ArrayLike | None = None
) -> Share:
    """The share of the candidate minus that of the baseline, over the same cases; the interval is cut to [-1, 1].

    Args:
        baseline, candidate: of the same N cases, in the same order.
        alpha: one-sided level of each bound.
        clusters: as in `share`.

    Raises:
        ValueError: unequal lengths, a level or labels out of range.
    """
    n = len(baseline.part)
    if len(candidate.part) != n:
        raise ValueError(f"Both arms must hold the same cases, not {n} and {len(candidate.part)}.")
    half = half_width(candidate.residuals - baseline.residuals, unit_labels(n, clusters), alpha)
    value = candidate.share - baseline.share
    if half == math.inf:
        return Share(value, -math.inf, math.inf)
    return Share(value, max(-1.0, value - half), min(1.0, value + half))


@dataclass(frozen=True, slots=True)
class Noise:
    """Var(mean delta) = (tau^2 + 2 sigma^2 / k) / n.

    Args:
        tau: standard deviation of the true deltas between cases; 0 when the spread within cases explains it all.
        sigma: standard deviation of one sample's score within a case.
    """

    tau: float
    sigma: float


def split_noise(baseline: npt.ArrayLike, candidate: npt.ArrayLike) -> Noise | None:
    """Split the variance of the deltas by one-way analysis of variance (moment estimates, tau^2 cut off at 0).

    Args:
        baseline, candidate: float[N, k], scores of k samples for each case.

    Returns:
        None with fewer than 2 cases or fewer than 2 samples, which cannot tell the parts apart.

    Raises:
        ValueError: arrays of another or of unequal shape, NaN or infinite scores.
    """
    a, b = _scores(baseline, "baseline"), _scores(candidate, "candidate")
    if a.shape != b.shape:
        raise ValueError(f"Both arms must have the same cases and samples, not {a.shape} and {b.shape}.")
    n, k = a.shape
    if n < 2 or k < 2:
        return None
    within = float(a.var(axis=1, ddof=1).mean() + b.var(axis=1, ddof=1).mean()) / 2.0
    between = float((b.mean(axis=1) - a.mean(axis=1)).var(ddof=1)) - 2.0 * within / k
    return Noise(math.sqrt(max(0.0, between)), math.sqrt(within))


def _scores(values: npt.ArrayLike, name: str) -> FloatArray:
    scores = np.asarray(values, dtype=np.float64)
    if scores.ndim != 2:
        raise ValueError(f"{name} must be a table of cases and samples, not an array of {scores.ndim} dimensions.")
    if not np.isfinite(scores).all():
        raise ValueError(f"{name} must hold finite scores.")
    return scores


def cosine(first: npt.ArrayLike, second: npt.ArrayLike) -> float | Undefined:
    """Cosine of the angle between two vectors; it ignores size: (10, 20) and (20, 40) are the same.

    Args:
        first, second: float[N].

    Returns:
        1 for two zero vectors; `Undefined` where only one is zero.

    Raises:
        ValueError: unequal lengths, or a number that is not finite.
    """
    one, other = _both(first, second)
    if not one.size:
        return Undefined("there is nothing to compare")
    # Scaled first, or the squares of tiny rates would vanish.
    sizes = [float(np.max(np.abs(vector))) for vector in (one, other)]
    if sizes == [0.0, 0.0]:
        return 1.0
    if 0.0 in sizes:
        return Undefined("one side is zero throughout, and so has no direction")
    one, other = one / sizes[0], other / sizes[1]
    found = float(np.dot(one, other)) / math.sqrt(float(np.dot(one, one)) * float(np.dot(other, other)))
    return min(1.0, max(-1.0, found))


def closeness(first: npt.ArrayLike, second: npt.ArrayLike) -> float | Undefined:
    """1 minus the mean absolute difference (J. Gower, Biometrics 27, 1971, 857-871, for values with a range of 1).

    1 means equal, 0 as far apart as rates can be; rates of 10 and 20 % are 0.85 close to 20 and 40 %.

    Args:
        first, second: float[N], each in [0, 1].

    Returns:
        `Undefined` for empty vectors.

    Raises:
        ValueError: unequal lengths, or a number outside [0, 1].
    """
    one, other = _both(first, second)
    if not one.size:
        return Undefined("there is nothing to compare")
    if min(one.min(), other.min()) < 0.0 or max(one.max(), other.max()) > 1.0:
        raise ValueError("Rates must lie between 0 and 1.")
    return 1.0 - float(np.mean(np.abs(one - other)))


def _both(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    one, other = finite_vector(first, "first"), finite_vector(second, "second")
    if len(one) != len(other):
        raise ValueError(f"Both vectors must have the same length, not {len(one)} and {len(other)}.")
    return one, other
