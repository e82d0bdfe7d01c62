"""The familiar rule, for comparison: the percentile bootstrap of the mean delta."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import TOLERANCE, FloatArray, check_level, finite_vector, unit_labels

_CHUNK = 1 << 21  # counts held at once, 16 MiB
_DECIMALS = 9


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
    replacement and does not depend on their order. With one case, or with equal deltas, the interval has no width: this
    rule sees no reason to doubt, and that is why it is not the default.

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
    sums, sizes = np.bincount(units, weights=values).round(_DECIMALS), np.bincount(units)
    pairs = np.column_stack([sums, sizes]).astype(np.float64)
    distinct, counts = np.unique(pairs, axis=0, return_counts=True)
    means = _resampled_means(distinct, counts, resamples, seed)
    lower, upper = np.quantile(means, [alpha, 1.0 - alpha])
    return Interval(_snap(values.mean()), _snap(lower), _snap(upper))


def _resampled_means(distinct: FloatArray, counts: npt.NDArray[np.intp], resamples: int, seed: int) -> FloatArray:
    """float[resamples]: each draws as many units as there are from the distinct (sum, cases) pairs."""
    rng = np.random.default_rng(seed)
    units = int(counts.sum())
    rows = max(1, _CHUNK // len(distinct))
    means = []
    for start in range(0, resamples, rows):
        drawn = rng.multinomial(units, counts / units, size=min(rows, resamples - start)) @ distinct
        means.append(drawn[:, 0] / drawn[:, 1])
    return np.concatenate(means)


def _snap(value: float) -> float:
    return 0.0 if abs(value) < TOLERANCE else float(value)
