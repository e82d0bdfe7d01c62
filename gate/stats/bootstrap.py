"""The familiar rule, for comparison: the percentile bootstrap of the mean delta."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import TOLERANCE, FloatArray, check_level, finite_vector, unit_labels

_CHUNK = 1 << 21  # counts held at once, 16 MiB
_DECIMALS = 9
_INDEXED_FROM = 100  # distinct values; below, counting is always fast
_COUNT_COST = 8  # a multinomial count takes about as long as 8 drawn indices


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean delta and its bounds, on the scale of the deltas."""

    mean: float
    lower: float
    upper: float


def percentile(
    deltas: npt.ArrayLike,
    *,
    alpha: float = 0.025,
    resamples: int = 2000,
    seed: int = 0,
    clusters: npt.ArrayLike | None = None,
) -> Interval:
    """Percentile bootstrap of the mean (B. Efron, Annals of Statistics 7, 1979, 1-26).

    A resample is a multinomial draw of counts over the distinct values, which is the same as drawing cases with
    replacement; where nearly all values differ, cases are drawn one by one. Neither depends on the order of the cases.
    With one case, or with equal deltas, the interval has no width: this rule sees no reason to doubt, and that is why
    it is not the default.

    Args:
        deltas: float[N], at least one.
        alpha: one-sided level of each bound.
        resamples: how many.
        seed: of the resamples.
        clusters: int[N], cases with equal labels are drawn together; None when cases are drawn alone.

    Raises:
        ValueError: no deltas, NaN or infinite ones, an option outside its range.
    """
    check_level(alpha)
    values = finite_vector(deltas, "deltas")
    if len(values) == 0:
        raise ValueError("deltas must hold at least one value.")
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, not {resamples}.")
    units = unit_labels(len(values), clusters)
    distinct, counts = distinct_units(np.bincount(units, weights=values).astype(np.float64), np.bincount(units))
    if len(distinct) == 1:
        mean = _snap(values.mean())
        return Interval(mean, mean, mean)
    means = resampled_means(distinct, counts, resamples, np.random.default_rng(seed))
    lower, upper = np.quantile(means, [alpha, 1.0 - alpha])
    return Interval(_snap(values.mean()), _snap(lower), _snap(upper))


def distinct_units(sums: FloatArray, sizes: npt.NDArray[np.intp]) -> tuple[FloatArray, npt.NDArray[np.intp]]:
    """Float[D, 2], the distinct (sum, cases) pairs of the units in ascending order, and how often each occurs."""
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
