"""Percentile bootstrap of a mean delta, and of quantiles such as p50 and p95.

`alpha` is the one-sided level of each bound; cases of one label in `clusters`, int[N], are one unit.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import TOLERANCE, FloatArray, Interval, finite_vector, unit_labels

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
