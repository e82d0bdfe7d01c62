"""Gwet's AC1 and AC2: agreement beyond chance that keeps its meaning where nearly all items are of one kind."""

from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from gate.stats.agreement import all_agreed, share_of_agreement, squared
from gate.stats.arrays import FloatArray
from gate.stats.ratings import Ratings
from gate.stats.resampling import Drawing, estimate, not_certain, ratio
from gate.stats.undefined import Estimate, Undefined

Weights: TypeAlias = Literal["nominal", "linear", "quadratic"]


def ac(
    ratings: Ratings, drawing: Drawing, *, weights: Weights = "nominal", categories: npt.ArrayLike | None = None
) -> Estimate | Undefined:
    """AC1 with nominal weights, else AC2, with the percentile bootstrap over items or their clusters.

    (K. Gwet, British Journal of Mathematical and Statistical Psychology 61, 2008, 29-48; several raters, weights and
    missing ratings: Handbook of Inter-Rater Reliability, 4th edition, 2014, sections 4.3 and 4.4.) Items with one
    rating count for the categories' shares, and not for the agreement.

    Args:
        ratings: of two raters or more.
        drawing: clusters of the N items, seed, level.
        weights: `nominal` counts equal ratings; `linear` and `quadratic` count close ones in part.
        categories: float[C], what a rating can be; None for those that were given.

    Returns:
        `Undefined` with fewer than two categories, or where no item has two ratings.
    """
    known = ratings.categories if categories is None else np.unique(np.asarray(categories, dtype=np.float64))
    if np.setdiff1d(ratings.categories, known).size:
        raise ValueError("A rating is none of the categories.")
    if len(known) < 2:
        return Undefined("there is one category only, so agreement beyond chance cannot be told")
    if not np.any(ratings.counts >= 2):
        return Undefined("no item has two ratings")
    table = weight_table(known, weights)

    def figures(sums: FloatArray) -> FloatArray:
        return _ac(sums, table)

    rows = _rows(ratings, known, table)
    found = estimate(rows, figures, drawing)
    chance = float(_chance(rows.sum(axis=0)[None], table)[0])
    agreed = all_agreed(ratings, drawing)
    return not_certain(found, agreed, lambda share: (share - chance) / (1.0 - chance) if chance < 1.0 else -1.0)


def ac1(tables: FloatArray, drawing: Drawing) -> Estimate | Undefined:
    """AC1 of two sides from their cross-tables, where a side may have rated an item several times.

    Args:
        tables: float[M, C, C], from `gate.stats.agreement.crossed`, over every category that there is.
        drawing: clusters of the M items, seed, level.

    Returns:
        `Undefined` with fewer than two categories, or without items.
    """
    if len(tables) and tables.shape[1] < 2:
        return Undefined("there is one category only, so agreement beyond chance cannot be told")
    found = estimate(tables.reshape(len(tables), tables.shape[1] ** 2), _ac1, drawing)
    if isinstance(found, Undefined):
        return found
    chance = float(_chance_of_two(tables.mean(axis=0)[None])[0])
    return not_certain(found, share_of_agreement(tables, drawing), lambda share: (share - chance) / (1.0 - chance))


def weight_table(categories: FloatArray, weights: Weights) -> FloatArray:
    """float[C, C], how much two ratings agree: 1 when they are the same."""
    if weights == "nominal":
        return np.eye(len(categories))
    apart = np.abs(categories[:, None] - categories[None, :]) / (categories[-1] - categories[0])
    near: FloatArray = 1.0 - (apart if weights == "linear" else apart**2)
    return near


def _rows(ratings: Ratings, categories: FloatArray, table: FloatArray) -> FloatArray:
    """What each item adds: its agreement, whether it has any, its categories' shares, whether it was rated."""
    tallies, counts = ratings.tallies(categories), ratings.counts
    several = counts >= 2
    agreeing = (tallies * (tallies @ table - 1.0)).sum(axis=1)
    agreement = np.where(several, agreeing / np.maximum(counts * (counts - 1.0), 1.0), 0.0)
    return np.column_stack([agreement, several, ratings.shares(categories), counts > 0])


def _ac(sums: FloatArray, table: FloatArray) -> FloatArray:
    observed, chance = ratio(sums[:, 0], sums[:, 1]), _chance(sums, table)
    return ratio(observed - chance, 1.0 - chance)


def _chance(sums: FloatArray, table: FloatArray) -> FloatArray:
    q = len(table)
    shares = sums[:, 2:-1] / np.maximum(sums[:, -1], 1.0)[:, None]
    found: FloatArray = table.sum() / (q * (q - 1.0)) * (shares * (1.0 - shares)).sum(axis=1)
    return found


def _ac1(sums: FloatArray) -> FloatArray:
    tables = squared(sums)
    observed, chance = np.trace(tables, axis1=1, axis2=2), _chance_of_two(tables)
    return ratio(observed - chance, 1.0 - chance)


def _chance_of_two(tables: FloatArray) -> FloatArray:
    shares = (tables.sum(axis=1) + tables.sum(axis=2)) / 2.0
    found: FloatArray = (shares * (1.0 - shares)).sum(axis=1) / (shares.shape[1] - 1.0)
    return found
