"""Agreement of raters: raw, Cohen's and Gwet's coefficients, Krippendorff's alpha, confusion, consistency."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

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


def quantiles(figures: FloatArray, alpha: float) -> tuple[float, float] | None:
    """The bounds that resampled figures give; None where too many of them do not exist."""
    defined = figures[np.isfinite(figures)]
    if len(defined) < LEAST_DEFINED * len(figures):
        return None
    low, high = np.quantile(defined, [alpha, 1.0 - alpha])
    return float(low), float(high)


def _bounds(figures: FloatArray, alpha: float, scale: Scale) -> tuple[float, float]:
    found = quantiles(figures, alpha)
    if found is None:
        return scale.low, scale.high
    return _within(found[0], scale), _within(found[1], scale)


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


def all_agreed(ratings: Ratings, drawing: ResamplingOptions) -> Rate:
    """The share of the items with two or more ratings whose ratings are all the same, with its Wilson interval."""
    several = ratings.counts >= 2
    units = drawing.units(ratings.n)[several]
    n = len(np.unique(units))
    if n == 0:
        return wilson(0, 0, alpha=drawing.alpha)
    most = np.where(ratings.present, ratings.values, -np.inf).max(axis=1)
    least = np.where(ratings.present, ratings.values, np.inf).min(axis=1)
    return wilson(float(np.mean(most[several] == least[several])) * n, n, alpha=drawing.alpha)


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


Weights: TypeAlias = Literal["nominal", "linear", "quadratic"]


def ac(
    ratings: Ratings,
    drawing: ResamplingOptions,
    *,
    weights: Weights = "nominal",
    categories: npt.ArrayLike | None = None,
) -> Estimate | Undefined:
    """AC1 with nominal weights, else AC2, with the percentile bootstrap over items or their clusters.

    (K. Gwet, British Journal of Mathematical and Statistical Psychology 61, 2008, 29-48; several raters, weights and
    missing ratings: Handbook of Inter-Rater Reliability, 4th edition, 2014, sections 4.3 and 4.4.) Items with one
    rating count for the categories' shares, and not for the agreement.

    Args:
        weights: `nominal` counts equal ratings; `linear` and `quadratic` count close ones in part.
        categories: float[C], what a rating can be; None for those that were given.

    Returns:
        `Undefined` with fewer than two categories, or where no item has two ratings.
    """
    known = ratings.categories if categories is None else np.unique(np.asarray(categories, dtype=np.float64))
    if len(known) < 2:
        return Undefined("there is one category only, so agreement beyond chance cannot be measured")
    if not np.any(ratings.counts >= 2):
        return Undefined("no item has two ratings")
    table = weight_table(known, weights)

    def figures(sums: FloatArray) -> FloatArray:
        return _ac(sums, table)

    rows = _rows(ratings, known, table)
    found = estimate(rows, figures, drawing)
    chance = float(_gwet_chance(rows.sum(axis=0)[None], table)[0])
    agreed = all_agreed(ratings, drawing)
    return not_certain(found, agreed, lambda share: (share - chance) / (1.0 - chance) if chance < 1.0 else -1.0)


def ac1(tables: FloatArray, drawing: ResamplingOptions) -> Estimate | Undefined:
    """AC1 of two sides from their cross-tables, where a side may have rated an item several times.

    Args:
        tables: float[M, C, C], from `crossed`, over every category that there is.

    Returns:
        `Undefined` with fewer than two categories, or without items.
    """
    if len(tables) and tables.shape[1] < 2:
        return Undefined("there is one category only, so agreement beyond chance cannot be measured")
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
    """For each item: its agreement, whether it has any, its categories' shares, whether it was rated."""
    tallies, counts = ratings.tallies(categories), ratings.counts
    several = counts >= 2
    agreeing = (tallies * (tallies @ table - 1.0)).sum(axis=1)
    agreement = np.where(several, agreeing / np.maximum(counts * (counts - 1.0), 1.0), 0.0)
    return np.column_stack([agreement, several, ratings.shares(categories), counts > 0])  # pyrefly: ignore[bad-return]


def _ac(sums: FloatArray, table: FloatArray) -> FloatArray:
    observed, chance = ratio(sums[:, 0], sums[:, 1]), _gwet_chance(sums, table)
    return ratio(observed - chance, 1.0 - chance)


def _gwet_chance(sums: FloatArray, table: FloatArray) -> FloatArray:
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


Level: TypeAlias = Literal["nominal", "interval"]


def alpha(ratings: Ratings, drawing: ResamplingOptions, *, level: Level = "nominal") -> Estimate | Undefined:
    """Alpha with the percentile bootstrap over items or their clusters.

    (K. Krippendorff, Content Analysis, 2004, section 11.3; the formulas: Computing Krippendorff's Alpha-Reliability,
    2011, sections C and D.) The bootstrap draws items, not single disagreements as Krippendorff's own does: what is
    sampled is the answers.

    Args:
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


def balanced_accuracy(found: Confusion) -> Estimate | Undefined:
    """The mean of both rates: 0.5 for a judge that always gives the same verdict, whatever the labels.

    The interval combines those of the two rates, which rest on different items and so are independent (square-and-add;
    R. Newcombe, Statistics in Medicine 17, 1998, 873-890).

    Returns:
        `Undefined` where people only pass, or only fail.
    """
    passing, failing = found.true_pass, found.true_fail
    if passing.rate is None or failing.rate is None:
        return Undefined(f"people {'fail' if passing.rate is None else 'pass'} every answer")
    value = (passing.rate + failing.rate) / 2.0
    below = math.hypot(passing.rate - passing.lower, failing.rate - failing.lower) / 2.0
    above = math.hypot(passing.upper - passing.rate, failing.upper - failing.rate) / 2.0
    return Estimate(value, max(0.0, value - below), min(1.0, value + above), math.floor(found.total + TOLERANCE))


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
