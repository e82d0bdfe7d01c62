"""Intervals of rates, means, shares and ratios, and the distributions they need.

`alpha` is the one-sided level of each bound; cases of one label in `clusters`, int[N], are one unit.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import TOLERANCE, Estimate, FloatArray, IntArray, Interval, Undefined, finite_vector, unit_labels

_EPSILON = 1e-16
_ITERATIONS = 1000  # about sqrt(a + b) are needed


def incomplete_beta(a: float, b: float, x: float, y: float) -> float:
    """Regularised I_x(a, b): probability that a beta(a, b) variable falls below `x`.

    Args:
        x: in [0, 1].
        y: 1 - x, given apart so that neither end loses digits.
    """
    if x <= 0.0 or y <= 0.0:
        return 0.0 if x <= 0.0 else 1.0
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(y)
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - math.exp(log_front) / (b * _fraction(b, a, y))
    return math.exp(log_front) / (a * _fraction(a, b, x))


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction 1 + d1/(1 + d2/(1 + …)) of DLMF 8.17.22, by the modified Lentz method."""
    value, c, d = 1.0, 1.0, 0.0
    for step in range(1, 2 * _ITERATIONS):
        m = step // 2
        if step % 2:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1.0 / (1.0 + term * d)
        c = 1.0 + term / c
        value *= c * d
        if abs(c * d - 1.0) < _EPSILON:
            break
    return value


_LARGE_DF = 1e5
_QUANTILE_PRECISION = 1e-14


def normal_quantile(p: float) -> float:
    """The point below which a standard normal falls with probability `p`; raises ValueError outside (0, 1)."""
    return NormalDist().inv_cdf(p)


@lru_cache(maxsize=4096)  # thousands of slices share a level and a few sizes
def t_quantile(p: float, df: float) -> float:
    """The point below which Student's t falls with probability `p`; raises ValueError for `p` or `df` out of range."""
    if p == 0.5:
        return 0.0
    wanted = min(p, 1.0 - p)
    low, high = 0.0, 1.0
    while _upper_tail(high, df) > wanted and high < math.inf:
        low, high = high, 2.0 * high
    while high - low > _QUANTILE_PRECISION * high:
        middle = 0.5 * (low + high)
        if _upper_tail(middle, df) > wanted:
            low = middle
        else:
            high = middle
    return high if p > 0.5 else -high


def _upper_tail(t: float, df: float) -> float:
    """P(T > t) for t >= 0."""
    if t == math.inf:
        return 0.0
    if df > _LARGE_DF:
        # Abramowitz and Stegun 26.7.8; the error is about 0.1 / df^2.
        z = t * (1.0 - 0.25 / df) / math.sqrt(1.0 + t * t / (2.0 * df))
        return 0.5 * math.erfc(z / math.sqrt(2.0))
    return 0.5 * incomplete_beta(df / 2.0, 0.5, df / (df + t * t), t * t / (df + t * t))


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate and its bounds, all in [0, 1].

    Args:
        rate: the estimate; None when there are no cases.
    """

    rate: float | None
    lower: float
    upper: float


def wilson(successes: float, n: int, *, alpha: float = 0.025) -> Rate:
    """Interval of a rate from independent cases (E. Wilson, JASA 22, 1927, 209-212).

    Args:
        successes: cases that passed, 0 to n. May be fractional, the sum over the cases of the share of samples that
            passed; the interval is then conservative, for shares vary less than single samples do.
    """
    if n == 0:
        return Rate(None, 0.0, 1.0)
    rate = min(1.0, max(0.0, successes / n))
    z = normal_quantile(1.0 - alpha)
    shrink = 1.0 / (1.0 + z * z / n)
    centre = (rate + z * z / (2 * n)) * shrink
    half = z * math.sqrt(rate * (1.0 - rate) / n + z * z / (4.0 * n * n)) * shrink
    # At the ends the bound is the rate itself, but for rounding.
    lower = 0.0 if rate == 0.0 else max(0.0, centre - half)
    upper = 1.0 if rate == 1.0 else min(1.0, centre + half)
    return Rate(rate, lower, upper)


@dataclass(frozen=True, slots=True)
class Difference:
    """The first rate minus the second; 0.1 is 10 percentage points.

    Args:
        value: the estimate; None where a side has no cases.
    """

    value: float | None
    lower: float
    upper: float

    @property
    def shown(self) -> bool:
        """Does the interval leave 0 out?"""
        return self.lower > 0.0 or self.upper < 0.0


@dataclass(frozen=True, slots=True)
class Pairs:
    """Cases that were tested twice, by their results.

    Args:
        first, second: hits only then.
    """

    both: int
    first: int
    second: int
    neither: int

    @property
    def n(self) -> int:
        return self.both + self.first + self.second + self.neither

    @property
    def p(self) -> float:
        """Two-sided p of McNemar's exact test, that the cases which turned turned either way by chance."""
        if self.first + self.second == 0:
            return 1.0
        more, fewer = max(self.first, self.second), min(self.first, self.second)
        return min(1.0, 2.0 * incomplete_beta(more, fewer + 1, 0.5, 0.5))


def rate_difference(first: tuple[float, int], second: tuple[float, int]) -> Difference:
    """Interval of 95 % from both Wilson intervals (R. Newcombe, Statistics in Medicine 17, 1998, 873-890, method 10).

    Args:
        first, second: hits and cases of each; hits may be fractional, as in `wilson`.
    """
    return _apart(wilson(*first), wilson(*second), 0.0)


def paired_difference(pairs: Pairs) -> Difference:
    """The same for cases tested twice (R. Newcombe, Statistics in Medicine 17, 1998, 2635-2650, method 10)."""
    n = pairs.n
    first = wilson(pairs.both + pairs.first, n)
    second = wilson(pairs.both + pairs.second, n)
    return _apart(first, second, _correlation(pairs))


def _apart(first: Rate, second: Rate, correlation: float) -> Difference:
    if first.rate is None or second.rate is None:
        return Difference(None, -1.0, 1.0)
    value = first.rate - second.rate
    down = _length(first.rate - first.lower, second.upper - second.rate, correlation)
    up = _length(first.upper - first.rate, second.rate - second.lower, correlation)
    return Difference(value, max(-1.0, value - down), min(1.0, value + up))


def _length(one: float, other: float, correlation: float) -> float:
    # Of two that are fully correlated it is 0, but for rounding.
    return math.sqrt(max(0.0, one * one - 2.0 * correlation * one * other + other * other))


def _correlation(pairs: Pairs) -> float:
    """Phi of the four counts, with half the cases taken off where it is above 0."""
    both, first, second, neither = pairs.both, pairs.first, pairs.second, pairs.neither
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    if margins == 0:
        return 0.0
    cross = both * neither - first * second
    return (max(0.0, cross - pairs.n / 2.0) if cross > 0 else cross) / math.sqrt(margins)


def effective_units(units: npt.ArrayLike) -> int:
    """Independent trials that the cases are worth (L. Kish, Survey Sampling, 1965): (sum of sizes)^2 / sum of sizes^2.

    It is the number of clusters where all are of one size, and less where a few large ones dominate the mean.

    Args:
        units: int[N], equal labels are one cluster.
    """
    labels = np.asarray(units)
    sizes = np.bincount(unit_labels(labels.size, labels)).astype(np.float64)
    return math.floor(float(sizes.sum() ** 2 / (sizes**2).sum()) + TOLERANCE) if sizes.size else 0


def shortfall_p(successes: float, n: int, rate: float) -> float:
    """The chance of so few passes if the true share were `rate`: the exact one-sided binomial test.

    Wilson's bound alone is no test at its level here: with 15 cases and a rate of 0.99 it would reject 14 % of the
    prompts that keep the rate, not 2.5 %. Where trials differ in their chance of passing, or are means of several
    samples, the test is conservative (W. Hoeffding, Annals of Mathematical Statistics 27, 1956).

    Args:
        rate: in (0, 1).
    """
    most = min(n, math.ceil(successes - TOLERANCE))
    # Summed on the side where the terms shrink, each from the one before, so that none is lost to underflow.
    if most < n * rate:
        return min(1.0, _lower_tail(most, n, rate))
    return 1.0 - _lower_tail(n - most - 1, n, 1.0 - rate)


def _lower_tail(most: int, n: int, rate: float) -> float:
    """The probability of at most so many passes; 0 for -1."""
    if most < 0:
        return 0.0
    choose = math.lgamma(n + 1) - math.lgamma(most + 1) - math.lgamma(n - most + 1)
    term = math.exp(choose + most * math.log(rate) + (n - most) * math.log1p(-rate))
    total = 0.0
    for passed in range(most, -1, -1):
        total += term
        term *= passed * (1 - rate) / ((n - passed + 1) * rate)
    return total


def paired_mean(differences: npt.ArrayLike) -> Estimate | Undefined:
    """Mean with its t interval of 95 % (W. Gosset, Biometrika 6, 1908, 1-25); without width where all are the same.

    Args:
        differences: float[N], one for each pair.

    Returns:
        `Undefined` for fewer than two pairs.
    """
    values = finite_vector(differences, "differences")
    if len(values) < 2:
        return Undefined("fewer than two pairs do not show how they vary")
    mean = float(np.mean(values))
    error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    half = t_quantile(0.975, len(values) - 1) * error
    return Estimate(mean, mean - half, mean + half, len(values))


def cost_ratio(
    baseline: npt.ArrayLike,
    candidate: npt.ArrayLike,
    *,
    alpha: float = 0.025,
    clusters: npt.ArrayLike | None = None,
) -> Interval:
    """Change of the mean cost: log of the ratio of means, its error from the linearised per-case values.

    (The delta method for a ratio: W. Cochran, Sampling Techniques, 1977, section 6.3; clusters: section 9A.) The
    interval has no width when every case's cost changed by the same factor.

    Args:
        baseline, candidate: float[N], cost per case and arm, at least 0, in the same unit; single zeros are fine.
    """
    a, b = finite_vector(baseline, "baseline"), finite_vector(candidate, "candidate")
    mean_a, mean_b = float(a.mean()), float(b.mean())
    return _ratio(math.log(mean_b / mean_a), b / mean_b - a / mean_a, unit_labels(len(a), clusters), alpha)


def latency_ratio(
    baseline: npt.ArrayLike,
    candidate: npt.ArrayLike,
    *,
    alpha: float = 0.025,
    clusters: npt.ArrayLike | None = None,
) -> Interval:
    """Change of latency: the geometric mean over cases of candidate / baseline, so that no slow case dominates.

    Args:
        baseline, candidate: float[N], latency per case and arm, above 0, in the same unit.
    """
    a, b = finite_vector(baseline, "baseline"), finite_vector(candidate, "candidate")
    logs = np.log(b) - np.log(a)
    mean = float(logs.mean())
    return _ratio(mean, logs - mean, unit_labels(len(a), clusters), alpha)


def half_width(residuals: FloatArray, units: IntArray, alpha: float) -> float:
    """Half the width of the t interval of a linearised statistic; infinite with fewer than 2 units.

    Args:
        residuals: float[N], what each case adds to the statistic (sum 0), times N.
        units: int[N] from `unit_labels`; the residuals of a unit are summed.
    """
    sums = np.bincount(units, weights=residuals)
    g = len(sums)
    if g < 2:
        return math.inf
    error = math.sqrt(g / (g - 1) * float(np.sum(sums * sums))) / len(residuals)
    return t_quantile(1.0 - alpha, g - 1) * error


def _ratio(log_ratio: float, residuals: FloatArray, units: IntArray, alpha: float) -> Interval:
    """t interval around `log_ratio`, carried back from the log scale."""
    half, change = half_width(residuals, units, alpha), math.expm1(log_ratio)
    if half == math.inf:
        return Interval(change, -math.inf, math.inf)
    return Interval(change, _expm1(log_ratio - half), _expm1(log_ratio + half))


def _expm1(value: float) -> float:
    try:
        return math.expm1(value)
    except OverflowError:
        return math.inf


@dataclass(frozen=True, slots=True)
class Parts:
    """The part and the whole of each case, in one unit.

    Args:
        part: float[N], at least 0 and at most the whole.
        whole: float[N], above 0 for at least one case.
    """

    part: FloatArray
    whole: FloatArray

    @property
    def share(self) -> float:
        """All parts over all wholes."""
        return float(np.sum(self.part) / np.sum(self.whole))

    @property
    def residuals(self) -> FloatArray:
        """float[N], the share linearised over the cases; they sum to 0."""
        values: FloatArray = (self.part - self.share * self.whole) / float(np.mean(self.whole))
        return values


def share(parts: Parts, *, alpha: float = 0.025, clusters: npt.ArrayLike | None = None) -> Interval:
    """A ratio of sums with a t interval on its linearised per-case values, cut to [0, 1].

    (W. Cochran, Sampling Techniques, 1977, section 6.3; clusters: section 9A.) The interval has no width when the share
    is the same in every case.
    """
    half = half_width(parts.residuals, unit_labels(len(parts.part), clusters), alpha)
    value = parts.share
    if half == math.inf:
        return Interval(value, -math.inf, math.inf)
    return Interval(value, max(0.0, value - half), min(1.0, value + half))


def share_change(
    baseline: Parts, candidate: Parts, *, alpha: float = 0.025, clusters: npt.ArrayLike | None = None
) -> Interval:
    """The share of the candidate minus that of the baseline, over the same cases; the interval is cut to [-1, 1]."""
    n = len(baseline.part)
    half = half_width(candidate.residuals - baseline.residuals, unit_labels(n, clusters), alpha)
    value = candidate.share - baseline.share
    if half == math.inf:
        return Interval(value, -math.inf, math.inf)
    return Interval(value, max(-1.0, value - half), min(1.0, value + half))


_CHUNK = 1 << 21  # counts held at once, 16 MiB
_DECIMALS = 9
_INDEXED_FROM = 100  # distinct values; below, counting is always fast
_COUNT_COST = 8  # a multinomial count takes about as long as 8 drawn indices


def percentile(
    deltas: npt.ArrayLike,
    *,
    alpha: float = 0.025,
    resamples: int = 2000,
    seed: int = 0,
    clusters: npt.ArrayLike | None = None,
) -> Interval:
    """Percentile bootstrap of the mean (B. Efron, Annals of Statistics 7, 1979, 1-26).

    A resample is a multinomial draw of counts over the distinct values, the same as drawing cases with replacement;
    where nearly all values differ, cases are drawn one by one. Neither depends on the order of the cases. With one
    case, or with equal deltas, the interval has no width; hence it is not the default.

    Args:
        deltas: float[N], at least one.
    """
    values = finite_vector(deltas, "deltas")
    units = unit_labels(len(values), clusters)
    distinct, counts = distinct_units(np.bincount(units, weights=values).astype(np.float64), np.bincount(units))
    if len(distinct) == 1:
        mean = _snap(values.mean())
        return Interval(mean, mean, mean)
    means = resampled_means(distinct, counts, resamples, np.random.default_rng(seed))
    lower, upper = np.quantile(means, [alpha, 1.0 - alpha])
    return Interval(_snap(values.mean()), _snap(lower), _snap(upper))


def distinct_units(sums: FloatArray, sizes: npt.NDArray[np.intp]) -> tuple[FloatArray, npt.NDArray[np.intp]]:
    """float[D, 2], the distinct (sum, cases) pairs of the units in ascending order, and how often each occurs."""
    # Complex numbers sort like pairs, but much faster; + 0.0 leaves but one zero.
    pairs, counts = np.unique(sums.round(_DECIMALS) + 0.0 + 1j * sizes, return_counts=True)
    return np.column_stack([pairs.real, pairs.imag]), counts


def resampled_means(
    distinct: FloatArray, counts: npt.NDArray[np.intp], resamples: int, rng: np.random.Generator
) -> FloatArray:
    """float[resamples]: each draws as many units as there are from the distinct (sum, cases) pairs."""
    units = int(counts.sum())
    indexed = len(distinct) > _INDEXED_FROM and len(distinct) * _COUNT_COST > units
    everyone = np.repeat(distinct, counts, axis=0).T.copy() if indexed else distinct.T
    if np.all(distinct[:, 1] == distinct[0, 1]):
        everyone = everyone[:1]  # units of one size: every resample has as many cases
    rows = max(1, _CHUNK // everyone.shape[1])
    means = []
    for start in range(0, resamples, rows):
        wanted = min(rows, resamples - start)
        if indexed:
            chosen = rng.integers(0, units, size=(wanted, units), dtype=np.int32)
            drawn = np.stack([values[chosen].sum(axis=1) for values in everyone])
        else:
            drawn = everyone @ rng.multinomial(units, counts / units, size=wanted).T
        means.append(drawn[0] / (drawn[1] if len(drawn) > 1 else units * distinct[0, 1]))
    return np.concatenate(means)


def _snap(value: float) -> float:
    return 0.0 if abs(value) < TOLERANCE else float(value)


FEWEST_UNITS = 6
"""With fewer, the resamples hold too few different ones for bounds of 2.5 %."""

_QUANTILES = np.array([0.5, 0.95])
_QUANTILES_CHUNK = 1 << 20  # counts held at once, 4 MiB each


def quantile(values: npt.ArrayLike, q: float) -> float:
    """The q-quantile, interpolated linearly between neighbours (R. Hyndman and Y. Fan, 1996, type 7).

    Args:
        values: float[N], at least one.
        q: in [0, 1].
    """
    return float(np.quantile(np.asarray(values, dtype=np.float64), q))


@dataclass(frozen=True, slots=True)
class Calls:
    """The measurements of each call of one arm.

    Args:
        values: float[C], such as seconds.
        units: int[C], the case (or the cluster of cases) that each call belongs to, numbered alike in both arms.
    """

    values: npt.NDArray[np.float64]
    units: npt.NDArray[np.int64]


def quantile_changes(
    baseline: Calls, candidate: Calls, *, alpha: float = 0.025, resamples: int = 1000, seed: int = 0
) -> tuple[Interval, Interval]:
    """Difference of p50 and p95 with percentile intervals of the paired case bootstrap.

    A resample draws units with replacement, and the calls of both arms come along, so that a slow case is slow in both.
    (B. Efron and R. Tibshirani, An Introduction to the Bootstrap, 1993, chapters 8 and 13.) With fewer than
    `FEWEST_UNITS` units the interval is infinite. To be shown, not gated on.
    """
    labels, places = np.unique(baseline.units, return_inverse=True)
    others = np.searchsorted(labels, candidate.units)
    seen = np.quantile(candidate.values, _QUANTILES) - np.quantile(baseline.values, _QUANTILES)
    if len(labels) < FEWEST_UNITS:
        return Interval(float(seen[0]), -np.inf, np.inf), Interval(float(seen[1]), -np.inf, np.inf)
    arms = (_Sorted.of(baseline.values, places), _Sorted.of(candidate.values, others))
    drawn = _resampled(arms, len(labels), resamples, seed)
    bounds = np.quantile(drawn, [alpha, 1.0 - alpha], axis=0)
    p50, p95 = (Interval(*map(float, row)) for row in np.column_stack([seen, *bounds]))
    return p50, p95


@dataclass(frozen=True, slots=True)
class _Sorted:
    """Calls in ascending order of their values, with the unit of each."""

    values: npt.NDArray[np.float64]
    units: npt.NDArray[np.int64]

    @classmethod
    def of(cls, values: npt.NDArray[np.float64], units: npt.NDArray[np.int64]) -> "_Sorted":
        order = np.argsort(values, kind="stable")
        return cls(values[order], units[order])

    def quantiles(self, counts: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
        """float[R, 2] from int[R, units], how often each unit was drawn: type 7, as if the calls were written out."""
        reach = np.cumsum(np.take(counts, self.units, axis=1), axis=1, dtype=np.int32)
        ranks = (reach[:, -1:] - 1) * _QUANTILES
        below = np.floor(ranks).astype(np.int32)
        # The call of rank r is the first one whose reach is above r.
        wanted = np.concatenate([below, np.minimum(below + 1, reach[:, -1:] - 1)], axis=1)
        places = [np.searchsorted(row, ranked, "right") for row, ranked in zip(reach, wanted, strict=True)]
        found = self.values[np.array(places)]
        low, high = found[:, : len(_QUANTILES)], found[:, len(_QUANTILES) :]
        mixed: npt.NDArray[np.float64] = low + (ranks - below) * (high - low)
        return mixed


def _resampled(arms: tuple[_Sorted, _Sorted], units: int, resamples: int, seed: int) -> npt.NDArray[np.float64]:
    """float[resamples, 2], differences of the quantiles."""
    rng = np.random.default_rng(seed)
    rows = max(1, _QUANTILES_CHUNK // max(units, *(len(arm.values) for arm in arms)))
    out = []
    for start in range(0, resamples, rows):
        count = min(rows, resamples - start)
        draws = rng.integers(0, units, size=(count, units)) + np.arange(count)[:, None] * units
        counts = np.bincount(draws.ravel(), minlength=count * units).reshape(count, units).astype(np.int32)
        out.append(arms[1].quantiles(counts) - arms[0].quantiles(counts))
    return np.concatenate(out)
