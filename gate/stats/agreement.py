"""How often two sides say the same: the share of agreement, and Cohen's kappa, which takes chance off."""

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import FloatArray
from gate.stats.ratings import Ratings
from gate.stats.resampling import Drawing, estimate, not_certain, ratio
from gate.stats.undefined import Estimate, Undefined
from gate.stats.wilson import Rate, wilson


def crossed(left: Ratings, right: Ratings, categories: npt.ArrayLike | None = None) -> FloatArray:
    """Cross-tables of two sides, one for each item that both sides rated.

    A side may hold several ratings of an item (several people, or one judge asked again): the table of an item is the
    mean over all pairs of one rating of either side. So it says what one person, drawn at random, and one judgement
    have in common, and no item counts more for being rated more often.

    Args:
        left, right: of the same N items; the numbers of raters may differ.
        categories: [C], what a rating can be; None for those that either side gave.

    Returns:
        float[M, C, C] over the C categories, ascending; each table sums to 1.

    Raises:
        ValueError: unequal numbers of items, or a rating that is none of the categories.
    """
    if left.n != right.n:
        raise ValueError(f"Both sides must hold the same items, not {left.n} and {right.n}.")
    both = (left.counts > 0) & (right.counts > 0)
    seen = np.union1d(left.categories, right.categories)
    known = seen if categories is None else np.unique(np.asarray(categories, dtype=np.float64))
    if np.setdiff1d(seen, known).size:
        raise ValueError("A rating is none of the categories.")
    ours, theirs = left.shares(known)[both], right.shares(known)[both]
    tables: FloatArray = ours[:, :, None] * theirs[:, None, :]
    return tables


def share_of_agreement(tables: FloatArray, drawing: Drawing) -> Rate:
    """The share of the items on which both sides agree, with its Wilson interval.

    Where items come in clusters the interval counts clusters and not items, which is on the safe side.

    Args:
        tables: float[M, C, C], from `crossed`.
        drawing: clusters of the M items, and the level.
    """
    units = drawing.units(len(tables))
    agreed = np.trace(tables, axis1=1, axis2=2)
    n = len(np.unique(units))
    return wilson(float(agreed.mean()) * n if n else 0.0, n, alpha=drawing.alpha)


def all_agreed(ratings: Ratings, drawing: Drawing) -> Rate:
    """The share of the items with two ratings or more whose ratings are all the same, with its Wilson interval.

    Args:
        ratings: of any number of raters.
        drawing: clusters of the N items, which count in place of items, and the level.
    """
    several = ratings.counts >= 2
    units = drawing.units(ratings.n)[several]
    n = len(np.unique(units))
    if n == 0:
        return wilson(0, 0, alpha=drawing.alpha)
    most = np.where(ratings.present, ratings.values, -np.inf).max(axis=1)
    least = np.where(ratings.present, ratings.values, np.inf).min(axis=1)
    return wilson(float(np.mean(most[several] == least[several])) * n, n, alpha=drawing.alpha)


def kappa(tables: FloatArray, drawing: Drawing) -> Estimate | Undefined:
    """Cohen's kappa (J. Cohen, Educational and Psychological Measurement 20, 1960, 37-46).

    The interval is the percentile bootstrap over items, or over their clusters. Where that has no width, because no
    item is disagreed on or one side always says the same, its bounds are the kappas that the Wilson bounds of the
    agreement would give at the same chance agreement.

    Args:
        tables: float[M, C, C], from `crossed`.
        drawing: clusters of the M items, seed, level.

    Returns:
        `Undefined` where chance alone would agree always: both sides know one category only.
    """
    found = estimate(tables.reshape(len(tables), tables.shape[1] ** 2), _kappas, drawing)
    if isinstance(found, Undefined):
        return found
    chance = float(_chance(tables.mean(axis=0)[None])[0])
    return not_certain(found, share_of_agreement(tables, drawing), lambda share: (share - chance) / (1.0 - chance))


def squared(sums: FloatArray) -> FloatArray:
    """float[B, C, C] cross-tables that sum to 1, from float[B, C * C] sums of tables."""
    side = round(sums.shape[1] ** 0.5)
    tables: FloatArray = (sums / np.maximum(sums.sum(axis=1), 1e-12)[:, None]).reshape(-1, side, side)
    return tables


def _kappas(sums: FloatArray) -> FloatArray:
    tables = squared(sums)
    observed, chance = np.trace(tables, axis1=1, axis2=2), _chance(tables)
    return ratio(observed - chance, 1.0 - chance)


def _chance(tables: FloatArray) -> FloatArray:
    found: FloatArray = np.einsum("bk,bk->b", tables.sum(axis=1), tables.sum(axis=2))
    return found
