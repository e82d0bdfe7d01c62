"""Grades against grades: do two sides order the items alike, and how far are they apart?"""

import numpy as np

from gate.stats.arrays import FloatArray, finite_vector
from gate.stats.resampling import Drawing, Scale, estimate, quantiles
from gate.stats.undefined import Estimate, Undefined

_COUNT = 1 << 24
"""Numbers sorted for one interval, which takes two seconds; larger tables are resampled less often."""


def midranks(values: FloatArray) -> FloatArray:
    """float[N], 1 for the smallest; equal values share the mean of their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks: FloatArray = (ends - (counts - 1) / 2.0)[inverse]
    return ranks


def rank_correlation(left: FloatArray, right: FloatArray, drawing: Drawing) -> Estimate | Undefined:
    """Spearman's rho with ties (C. Spearman, American Journal of Psychology 15, 1904, 72-101).

    The interval is the percentile bootstrap over items or clusters, ranks taken anew in every resample.

    Args:
        left, right: float[N].
        drawing: clusters of the N items, seed, level.

    Returns:
        `Undefined` where one side gives every item the same.
    """
    left, right = finite_vector(left, "left"), finite_vector(right, "right")
    if len(left) != len(right):
        raise ValueError(f"Both sides must hold the same items, not {len(left)} and {len(right)}.")
    value = _rho(left, right)
    if value is None:
        return Undefined("one side gives every answer the same grade")
    units = drawing.units(len(left))
    members = np.split(np.argsort(units, kind="stable"), np.flatnonzero(np.diff(np.sort(units))) + 1)
    rng = np.random.default_rng(drawing.seed)
    found = []
    for _ in range(min(drawing.resamples, max(100, _COUNT // max(1, len(left))))):
        chosen = np.concatenate([members[place] for place in rng.integers(0, len(members), len(members))])
        rho = _rho(left[chosen], right[chosen])
        found.append(np.nan if rho is None else rho)
    bounds = quantiles(np.array(found), drawing.alpha) if len(members) > 1 else None
    low, high = (-1.0, 1.0) if bounds is None else bounds
    return Estimate(value, min(low, value), max(high, value), len(members))


def mean_difference(values: FloatArray, drawing: Drawing, scale: Scale | None = None) -> Estimate | Undefined:
    """A mean over items, such as that of judge minus people, with the percentile bootstrap over items or clusters.

    Args:
        values: float[N].
        drawing: clusters of the N items, seed, level.
        scale: what a value can be; -1 to 1 where None.
    """
    rows = np.column_stack([finite_vector(values, "values"), np.ones(len(values))])
    return estimate(rows, lambda sums: sums[:, 0] / np.maximum(sums[:, 1], 1.0), drawing, scale)


def _rho(left: FloatArray, right: FloatArray) -> float | None:
    a, b = midranks(left), midranks(right)
    a, b = a - a.mean(), b - b.mean()
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(np.clip(a @ b / size, -1.0, 1.0)) if size > 1e-9 else None
