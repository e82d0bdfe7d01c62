"""Krippendorff's alpha: agreement of any number of raters, with ratings missing, on a nominal or an interval scale."""

from typing import Literal, TypeAlias

import numpy as np

from gate.stats.agreement import all_agreed
from gate.stats.arrays import FloatArray
from gate.stats.ratings import Ratings
from gate.stats.resampling import Drawing, estimate, not_certain, ratio
from gate.stats.undefined import Estimate, Undefined

Level: TypeAlias = Literal["nominal", "interval"]


def alpha(ratings: Ratings, drawing: Drawing, *, level: Level = "nominal") -> Estimate | Undefined:
    """Alpha with the percentile bootstrap over items or their clusters.

    (K. Krippendorff, Content Analysis, 2004, section 11.3; the formulas: Computing Krippendorff's Alpha-Reliability,
    2011, sections C and D.) The bootstrap draws items, not single disagreements as Krippendorff's own does: what is
    sampled is the answers.

    Args:
        ratings: of two raters or more; items with fewer than two ratings say nothing about agreement.
        drawing: clusters of the N items, seed, level of the bounds.
        level: `nominal` counts unequal ratings, `interval` squares their difference.

    Returns:
        `Undefined` where all ratings are the same, or where no item has two.
    """
    if not np.any(ratings.counts >= 2):
        return Undefined("no item has two ratings")
    agreed = all_agreed(ratings, drawing)
    if level == "interval":
        # As if those that might disagree were as far apart as chance puts them.
        return not_certain(estimate(_interval_rows(ratings), _interval, drawing), agreed, lambda share: share)
    rows = _nominal_rows(ratings)
    counts = rows[:, 1:].sum(axis=0)
    n = counts.sum()
    unlike = 1.0 - float((counts * (counts - 1.0)).sum() / (n * (n - 1.0)))
    found = estimate(rows, _nominal, drawing)
    return not_certain(found, agreed, lambda share: 1.0 - (1.0 - share) / unlike if unlike > 0.0 else -1.0)


def _nominal_rows(ratings: Ratings) -> FloatArray:
    """Disagreeing pairs, weighted by 1 / (m - 1), and the categories' counts, of items with m >= 2 ratings."""
    counts = ratings.counts
    tallies = ratings.tallies(ratings.categories) * (counts >= 2)[:, None]
    pairs = counts**2 - (tallies**2).sum(axis=1)
    disagreeing = np.where(counts >= 2, pairs / np.maximum(counts - 1.0, 1.0), 0.0)
    return np.column_stack([disagreeing, tallies])


def _nominal(sums: FloatArray) -> FloatArray:
    counts = sums[:, 1:]
    n = counts.sum(axis=1)
    expected = n**2 - (counts**2).sum(axis=1)
    return 1.0 - ratio((n - 1.0) * sums[:, 0], expected)


def _interval_rows(ratings: Ratings) -> FloatArray:
    """Squared differences of all pairs, weighted by 1 / (m - 1), and m, sum and sum of squares of the ratings."""
    counts = ratings.counts
    usable = counts >= 2
    # Around the middle, so that sums of squares lose no digits.
    centre = float(ratings.values[ratings.present].mean())
    values = np.where(ratings.present, ratings.values - centre, 0.0) * usable[:, None]
    total, squares = values.sum(axis=1), (values**2).sum(axis=1)
    apart = 2.0 * (counts * squares - total**2) / np.maximum(counts - 1.0, 1.0)
    return np.column_stack([np.where(usable, apart, 0.0), counts * usable, total, squares])


def _interval(sums: FloatArray) -> FloatArray:
    apart, n, total, squares = sums.T
    expected = 2.0 * (n * squares - total**2)
    return 1.0 - ratio((n - 1.0) * apart, expected)
