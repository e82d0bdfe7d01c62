"""Agreement of raters: the raw share, Cohen's kappa, both kinds of errors, and a judge's consistency."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import TOLERANCE, Estimate, FloatArray, IntArray, Undefined, unit_labels
from gate.stats.intervals import Rate, wilson

RESAMPLES = 2000
LEAST_DEFINED = 0.95
"""Share of the resamples in which the figure must exist for their quantiles to be used."""

Statistic: TypeAlias = Callable[[FloatArray], FloatArray]
"""float[B, d] sums to float[B] figures; NaN where a figure does not exist, returned as `Undefined`."""

_CHUNK = 1 << 21


@dataclass(frozen=True, slots=True)
class ResamplingOptions:
    """How intervals are resampled: by clusters, int[N], where there are any; `alpha` is one-sided."""

    clusters: npt.ArrayLike | None = None
    seed: int = 0
    alpha: float = 0.025
    resamples: int = RESAMPLES

    def units(self, n: int) -> IntArray:
        """int[n], the unit of each item."""
        return unit_labels(n, self.clusters)


@dataclass(frozen=True, slots=True)
class Scale:
    """The range of a figure."""

    low: float = -1.0
    high: float = 1.0


def unit_totals(rows: FloatArray, units: IntArray) -> FloatArray:
    """float[U, d], the sums of float[N, d] within each unit."""
    totals = np.zeros((int(units.max()) + 1 if len(units) else 0, rows.shape[1]))
    np.add.at(totals, units, rows)
    return totals


def resampled_sums(rows: FloatArray, drawing: ResamplingOptions) -> FloatArray:
    """float[B, d]: sums of float[N, d] rows, N >= 1, over as many units as there are, drawn with replacement."""
    totals = unit_totals(rows, drawing.units(len(rows)))
    # Items that add the same are exchangeable: drawing how often each kind comes is the same, and much faster.
    kinds, counts = np.unique(totals.round(12) + 0.0, axis=0, return_counts=True)
    units = int(counts.sum())
    rng = np.random.default_rng(drawing.seed)
    chunk = max(1, _CHUNK // len(kinds))
    pieces = [
        rng.multinomial(units, counts / units, size=min(chunk, drawing.resamples - start)) @ kinds
        for start in range(0, drawing.resamples, chunk)
    ]
    return np.concatenate(pieces)


def estimate(
    rows: FloatArray, statistic: Statistic, drawing: ResamplingOptions, scale: Scale | None = None
) -> Estimate | Undefined:
    """A figure with the percentile bootstrap over its units (B. Efron, Annals of Statistics 7, 1979, 1-26).

    Args:
        rows: float[N, d], what each item adds to the sums.
        scale: range of the figure; -1 to 1 where None.

    Returns:
        `Undefined` where the figure does not exist. Where it does and resampling cannot give its interval (one unit,
        or too many resamples without the figure), the bounds are the ends of the scale.
    """
    scale = scale or Scale()
    units = len(unit_totals(rows, drawing.units(len(rows))))
    if units == 0:
        return Undefined("there is nothing to compare")
    value = float(statistic(rows.sum(axis=0, keepdims=True))[0])
    if not np.isfinite(value):
        return Undefined("all answers are of one kind, so agreement beyond chance cannot be measured")
    low, high = scale.low, scale.high
    if units > 1:
        low, high = _bounds(statistic(resampled_sums(rows, drawing)), drawing.alpha, scale)
    value = _within(value, scale)
    return Estimate(value, min(low, value), max(high, value), units)


def not_certain(
    found: Estimate | Undefined, agreed: Rate, beyond_chance: Callable[[float], float]
) -> Estimate | Undefined:
    """The estimate, with bounds from those of the agreement where resampling gives an interval without width.

    Where no item is disagreed on, every resample agrees; where one side rates every item the same, kappa is 0 in
    every resample. The missing width would look like certainty.

    Args:
        agreed: the share of agreement with its Wilson interval.
        beyond_chance: the figure that a share of agreement would give.
    """
    if isinstance(found, Undefined) or found.lower < found.upper:
        return found
    lower, upper = beyond_chance(agreed.lower), beyond_chance(agreed.upper)
    return replace(found, lower=max(-1.0, min(lower, found.value)), upper=min(1.0, max(upper, found.value)))


def _bounds(figures: FloatArray, alpha: float, scale: Scale) -> tuple[float, float]:
    """The bounds that resampled figures give; the ends of the scale where too many of them do not exist."""
    defined = figures[np.isfinite(figures)]
    if len(defined) < LEAST_DEFINED * len(figures):
        return scale.low, scale.high
    low, high = np.quantile(defined, [alpha, 1.0 - alpha])
    return _within(float(low), scale), _within(float(high), scale)


def _within(value: float, scale: Scale) -> float:
    value = 0.0 if abs(value) < TOLERANCE else value
    return min(scale.high, max(scale.low, value))


def ratio(top: FloatArray, bottom: FloatArray) -> FloatArray:
    """float[B], top over bottom; NaN where the bottom is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.abs(bottom) > TOLERANCE, top / bottom, np.nan)


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """A table of ratings.

    Args:
        values: float[N, raters], finite where present.
        present: bool[N, raters], which of them were given.
    """

    values: FloatArray
    present: npt.NDArray[np.bool_]

    @staticmethod
    def of(values: npt.ArrayLike, present: npt.ArrayLike | None = None) -> "Ratings":
        """A table from anything that numpy reads as one.

        Args:
            present: [N, raters]; None when every rater rated every item.
        """
        table = np.asarray(values, dtype=np.float64)
        given = np.ones(table.shape, dtype=np.bool_) if present is None else np.asarray(present, dtype=np.bool_)
        return Ratings(table, given)

    @property
    def n(self) -> int:
        return len(self.values)

    @property
    def counts(self) -> FloatArray:
        """float[N], ratings of each item."""
        found: FloatArray = self.present.sum(axis=1).astype(np.float64)
        return found

    @property
    def categories(self) -> FloatArray:
        """float[C], the distinct ratings that were given, ascending."""
        found: FloatArray = np.unique(self.values[self.present])
        return found

    def tallies(self, categories: FloatArray) -> FloatArray:
        """float[N, C], how many raters put each item into each category."""
        tables = [((self.values == one) & self.present).sum(axis=1) for one in categories]
        found: FloatArray = np.array(tables, dtype=np.float64).reshape(len(categories), self.n).T
        return found

    def shares(self, categories: FloatArray) -> FloatArray:
        """float[N, C], `tallies` over the ratings of each item; 0 for an item without a rating."""
        found: FloatArray = self.tallies(categories) / np.maximum(self.counts, 1.0)[:, None]
        return found


def crossed(left: Ratings, right: Ratings, categories: npt.ArrayLike | None = None) -> FloatArray:
    """Cross-tables of two sides, one for each item that both sides rated.

    A side may hold several ratings of an item (several people, or one judge called again): the table of an item is the
    mean over all pairs of one rating of either side, so that no item counts more for being rated more often.

    Args:
        categories: [C], what a rating can be; None for those that either side gave.

    Returns:
        float[M, C, C] over the C categories, ascending; each table sums to 1.
    """
    both = (left.counts > 0) & (right.counts > 0)
    seen = np.union1d(left.categories, right.categories)
    known = seen if categories is None else np.unique(np.asarray(categories, dtype=np.float64))
    ours, theirs = left.shares(known)[both], right.shares(known)[both]
    tables: FloatArray = ours[:, :, None] * theirs[:, None, :]
    return tables


def share_of_agreement(tables: FloatArray, drawing: ResamplingOptions) -> Rate:
    """The share of the items on which both sides agree, with its Wilson interval.

    Where items come in clusters the interval counts clusters and not items, which is conservative.

    Args:
        tables: float[M, C, C], from `crossed`.
    """
    units = drawing.units(len(tables))
    agreed = np.trace(tables, axis1=1, axis2=2)
    n = len(np.unique(units))
    return wilson(float(agreed.mean()) * n if n else 0.0, n, alpha=drawing.alpha)


def share_among(ratings: Ratings, drawing: ResamplingOptions) -> Rate:
    """The share of equal pairs of ratings, over the items that were rated twice or more, with its Wilson interval.

    Where items come in clusters the interval counts clusters and not items, which is conservative.
    """
    several = ratings.counts >= 2
    tallies = ratings.tallies(ratings.categories)[several]
    given = tallies.sum(axis=1)
    same = (tallies * (tallies - 1.0)).sum(axis=1) / np.maximum(given * (given - 1.0), 1.0)
    n = len(np.unique(drawing.units(ratings.n)[several]))
    return wilson(float(same.mean()) * n if n else 0.0, n, alpha=drawing.alpha)


def kappa(tables: FloatArray, drawing: ResamplingOptions) -> Estimate | Undefined:
    """Cohen's kappa (J. Cohen, Educational and Psychological Measurement 20, 1960, 37-46).

    The interval is the percentile bootstrap over items, or over their clusters. Where that has no width (no
    disagreement, or one side always rates the same), its bounds are the kappas that the Wilson bounds of the agreement
    give at the same chance agreement.

    Args:
        tables: float[M, C, C], from `crossed`.

    Returns:
        `Undefined` where chance alone would always agree: both sides know one category only.
    """
    found = estimate(tables.reshape(len(tables), tables.shape[1] ** 2), _kappas, drawing)
    if isinstance(found, Undefined):
        return found
    chance = float(_chance(tables.mean(axis=0)[None])[0])
    return not_certain(found, share_of_agreement(tables, drawing), lambda share: (share - chance) / (1.0 - chance))


def kappa_of_two(ratings: Ratings, drawing: ResamplingOptions) -> Estimate | Undefined:
    """Cohen's kappa of the two raters of a table, over the items that both rated; see `kappa`."""
    first, second = (Ratings(ratings.values[:, [rater]], ratings.present[:, [rater]]) for rater in (0, 1))
    both = ratings.present.all(axis=1)
    return kappa(crossed(first, second), replace(drawing, clusters=drawing.units(ratings.n)[both]))


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


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts and rates; counts are fractions where an item was rated several times.

    Args:
        passed_wrong: people fail, the judge passes.
        failed_wrong: people pass, the judge fails.
        true_pass, true_fail: share of what people pass (fail) that the judge passes (fails).
    """

    passed_right: float
    passed_wrong: float
    failed_right: float
    failed_wrong: float
    true_pass: Rate
    true_fail: Rate

    @property
    def always_pass(self) -> float:
        """Share of agreement of a judge that passes everything."""
        return (self.passed_right + self.failed_wrong) / self.total

    @property
    def total(self) -> float:
        return self.passed_right + self.passed_wrong + self.failed_right + self.failed_wrong


def confusion(tables: FloatArray, drawing: ResamplingOptions) -> Confusion:
    """Counts and rates of pass and fail.

    Args:
        tables: float[M, 2, 2], people by judge, fail before pass; each sums to 1.
    """
    (failed_right, passed_wrong), (failed_wrong, passed_right) = tables.sum(axis=0).tolist()
    return Confusion(
        passed_right=passed_right,
        passed_wrong=passed_wrong,
        failed_right=failed_right,
        failed_wrong=failed_wrong,
        true_pass=_rate(tables[:, 1, 1], tables[:, 1].sum(axis=1), drawing),
        true_fail=_rate(tables[:, 0, 0], tables[:, 0].sum(axis=1), drawing),
    )


def _rate(right: FloatArray, all_of_them: FloatArray, drawing: ResamplingOptions) -> Rate:
    """A rate over the items of one label, counted as their units, and as no more than their weights sum to."""
    weight = float(all_of_them.sum())
    concerned = all_of_them > TOLERANCE
    units = len(np.unique(drawing.units(len(right))[concerned]))
    if units == 0:
        return wilson(0, 0, alpha=drawing.alpha)
    n = max(1, min(units, math.floor(weight + TOLERANCE)))
    return wilson(min(1.0, float(right.sum()) / weight) * n, n, alpha=drawing.alpha)


@dataclass(frozen=True, slots=True)
class Consistency:
    """What repeated judging shows.

    Args:
        flips: share of them whose verdict is not always the same.
        two_differ: chance that two judgements of one answer, drawn at random, differ in verdict.
        within_sd: standard deviation of one answer's scores, pooled over answers; on the scores' scale.
    """

    items: int
    flips: Rate
    two_differ: float
    within_sd: float
    widest: float


def consistency(scores: Ratings, mark: float, drawing: ResamplingOptions) -> Consistency | Undefined:
    """How much a judge differs from itself.

    Args:
        scores: float[N, judgements], one row for each answer.
        mark: a score of at least this is a pass.

    Returns:
        `Undefined` where no answer was judged twice.
    """
    several = scores.counts >= 2
    if not several.any():
        return Undefined("no answer was judged twice")
    values, present = scores.values[several], scores.present[several]
    m = present.sum(axis=1)
    passes = ((values >= mark - TOLERANCE) & present).sum(axis=1)
    flipped = (passes > 0) & (passes < m)
    units = len(np.unique(drawing.units(scores.n)[several]))
    low, high = np.where(present, values, np.inf).min(axis=1), np.where(present, values, -np.inf).max(axis=1)
    means = np.where(present, values, 0.0).sum(axis=1) / m
    squares = (np.where(present, values - means[:, None], 0.0) ** 2).sum()
    return Consistency(
        items=int(several.sum()),
        flips=wilson(float(flipped.mean()) * units, units, alpha=drawing.alpha),
        two_differ=float(np.mean(2.0 * passes * (m - passes) / (m * (m - 1.0)))),
        within_sd=math.sqrt(squares / (m - 1).sum()),
        widest=float((high - low).max()),
    )
