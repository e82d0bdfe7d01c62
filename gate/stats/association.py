"""Grades against grades: do two sides order the items alike, and how far apart are they?"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gate.stats.agreement import Ratings, ResamplingOptions, Scale, estimate, quantiles, resampled_sums, unit_totals
from gate.stats.arrays import (
    TOLERANCE,
    Estimate,
    FloatArray,
    Undefined,
    finite_vector,
)

_COUNT = 1 << 24
"""Numbers sorted for one interval, which takes two seconds; larger tables are resampled less often."""


def midranks(values: FloatArray) -> FloatArray:
    """float[N], 1 for the smallest; equal values share the mean of their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks: FloatArray = (ends - (counts - 1) / 2.0)[inverse]
    return ranks


def rank_correlation(left: FloatArray, right: FloatArray, drawing: ResamplingOptions) -> Estimate | Undefined:
    """Spearman's rho with ties (C. Spearman, American Journal of Psychology 15, 1904, 72-101).

    The interval is the percentile bootstrap over items or clusters, ranks taken again in every resample.

    Args:
        left, right: float[N].

    Returns:
        `Undefined` where one side gives every item the same.
    """
    left, right = finite_vector(left, "left"), finite_vector(right, "right")
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


def mean_difference(values: FloatArray, drawing: ResamplingOptions, scale: Scale | None = None) -> Estimate | Undefined:
    """A mean over items, such as that of judge minus people, with the percentile bootstrap over items or clusters.

    Args:
        values: float[N].
        scale: range of a value; -1 to 1 where None.
    """
    rows = np.column_stack([finite_vector(values, "values"), np.ones(len(values))])
    return estimate(rows, lambda sums: sums[:, 0] / np.maximum(sums[:, 1], 1.0), drawing, scale)


def _rho(left: FloatArray, right: FloatArray) -> float | None:
    a, b = midranks(left), midranks(right)
    a, b = a - a.mean(), b - b.mean()
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(np.clip(a @ b / size, -1.0, 1.0)) if size > 1e-9 else None


LEAST_ITEMS = 10


def length_bias(
    judged: FloatArray, labels: FloatArray, lengths: FloatArray, drawing: ResamplingOptions
) -> Estimate | Undefined:
    """How much more the judge gives an answer twice as long, at the same label of people.

    The coefficient of log2(length) in the least squares of the score on label and log2(length). Long answers may really
    be better or worse, hence the label; and a judge that only shrinks all scores towards the middle would seem to have
    a length bias without it. (The confounding: Y. Dubois and others, Length-Controlled AlpacaEval, 2024, arXiv
    2404.04475.) The interval is the percentile bootstrap.

    Args:
        judged: float[N], mean score of each answer.
        labels: float[N], mean label of people.
        lengths: float[N], characters, above 0.

    Returns:
        `Undefined` with few answers, or where all are of one length.
    """
    judged, labels = finite_vector(judged, "judged"), finite_vector(labels, "labels")
    lengths = finite_vector(lengths, "lengths")
    if len(judged) < LEAST_ITEMS:
        return Undefined(f"fewer than {LEAST_ITEMS} answers")
    doublings = np.log2(lengths)
    if np.ptp(doublings) < 1e-9:
        return Undefined("all answers are of one length")
    x, h = doublings - doublings.mean(), labels - labels.mean()
    ones = np.ones_like(x)
    rows = np.column_stack([ones, x, h, judged, x * x, x * h, h * h, x * judged, h * judged])
    found = estimate(rows, _slopes, drawing, Scale(-np.inf, np.inf))
    if isinstance(found, Undefined):
        return Undefined("length and label go together, so they cannot be separated")
    return found


def _slopes(sums: FloatArray) -> FloatArray:
    """The partial slope; the simple one where all labels are the same."""
    n = np.maximum(sums[:, 0], 1.0)
    x, h, y = (sums[:, place] / n for place in (1, 2, 3))
    xx, xh, hh = sums[:, 4] / n - x * x, sums[:, 5] / n - x * h, sums[:, 6] / n - h * h
    xy, hy = sums[:, 7] / n - x * y, sums[:, 8] / n - h * y
    plain = hh < 1e-12
    top = np.where(plain, xy, xy * hh - xh * hy)
    bottom = np.where(plain, xx, xx * hh - xh * xh)
    whole = np.where(plain, xx, xx * hh)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bottom > 1e-9 * whole, top / bottom, np.nan)


MOST = 100
"""Thresholds tried at most; of more distinct scores, evenly spread quantiles."""
FOLDS, ROUNDS = 10, 20
_CELLS = 1 << 22


@dataclass(frozen=True, slots=True)
class Choice:
    """The best threshold.

    Args:
        threshold: midway between two scores that were given; at least this is a pass.
        balanced: balanced accuracy in the sample that it was chosen from, so too high.
        honest: balanced accuracy on answers that played no part in choosing it.
        lowest, highest: thresholds above the one and up to the other cannot be distinguished from the best one.
    """

    threshold: float
    balanced: float
    honest: float
    lowest: float
    highest: float
    tried: int


def best_threshold(scores: Ratings, people: Ratings, drawing: ResamplingOptions) -> Choice | Undefined:
    """The threshold of greatest balanced accuracy; of several equally good ones the middle one.

    Balanced accuracy and not agreement, for on labels that are mostly passes agreement is greatest for a judge that
    passes everything. The range holds every threshold whose distance to the best one is no more than resampling
    explains, for all thresholds together (max-t; J. Romano and M. Wolf, Econometrica 73, 2005, 1237-1282). The honest
    figure is 20 rounds of 10-fold cross-validation (M. Stone, Journal of the Royal Statistical Society B 36, 1974,
    111-147), stratified by label; clusters stay whole.

    Args:
        scores: the judge's, float[N, judgements], one row for each answer.

    Returns:
        `Undefined` where the judge gave one score only, or people one label, or all of a label are of one unit.
    """
    both = (scores.counts > 0) & (people.counts > 0)
    if not both.any():
        return Undefined("there is nothing to compare")
    distinct = distinct_scores(scores.values[scores.present & both[:, None]])
    tried = (distinct[1:] + distinct[:-1]) / 2.0
    if not len(tried):
        return Undefined("the judge gave every answer the same score")
    cells = _cells(Ratings(scores.values[both], scores.present[both]), people.shares(np.array([0.0, 1.0]))[both], tried)
    units = drawing.units(scores.n)[both]
    totals = unit_totals(cells, np.unique(units, return_inverse=True)[1])
    if np.any(np.count_nonzero(totals[:, :2] > TOLERANCE, axis=0) < 2):
        return Undefined("people pass, or fail, fewer than two independent answers")
    figures = _balanced(totals.sum(axis=0)[None])[0]
    best = _middle(figures)
    own = ResamplingOptions(
        units, drawing.seed, drawing.alpha, max(1, min(drawing.resamples, _CELLS // cells.shape[1]))
    )
    alike = np.flatnonzero(_alike(figures, best, _balanced(resampled_sums(cells, own)), 2.0 * drawing.alpha))
    return Choice(
        threshold=float(tried[best]),
        balanced=float(figures[best]),
        honest=_unseen(totals, np.random.default_rng(drawing.seed)),
        lowest=float(distinct[alike.min()]),
        highest=float(distinct[alike.max() + 1]),
        tried=len(tried),
    )


def distinct_scores(values: FloatArray) -> FloatArray:
    """The scores that were given, ascending; of very many, evenly spread quantiles.

    A threshold midway between two neighbours stands for all there.
    """
    distinct = np.unique(values.round(9))
    if len(distinct) > MOST + 1:
        distinct = np.unique(distinct[np.linspace(0, len(distinct) - 1, MOST + 1).round().astype(np.int64)])
    found: FloatArray = distinct
    return found


def _cells(scores: Ratings, labels: FloatArray, tried: FloatArray) -> FloatArray:
    """float[N, 2 + 2T]: weight of label fail and pass; then for each threshold what is failed and passed rightly."""
    counts = scores.counts
    passing = np.stack(
        [((scores.values >= one) & scores.present).sum(axis=1) / counts for one in tried], axis=1
    )  # fmt: skip
    return np.column_stack([labels, labels[:, :1] * (1.0 - passing), labels[:, 1:] * passing])


def _balanced(sums: FloatArray) -> FloatArray:
    """float[B, T]; a label that a resample lacks counts as 0."""
    tried = (sums.shape[1] - 2) // 2
    fail, passed = np.maximum(sums[:, :1], 1e-12), np.maximum(sums[:, 1:2], 1e-12)
    found: FloatArray = (sums[:, 2 : 2 + tried] / fail + sums[:, 2 + tried :] / passed) / 2.0
    return found


def _middle(figures: FloatArray) -> int:
    tied = np.flatnonzero(figures >= figures.max() - TOLERANCE)
    return int(tied[(len(tied) - 1) // 2])


def _alike(figures: FloatArray, best: int, resampled: FloatArray, level: float) -> FloatArray:
    """bool[T], thresholds that are not shown to be worse than the best one."""
    behind = figures[best] - figures
    drawn = resampled[:, [best]] - resampled
    error = drawn.std(axis=0)
    varies = error > TOLERANCE
    if not varies.any():
        return np.asarray(behind <= TOLERANCE)
    critical = np.quantile(((drawn - behind)[:, varies] / error[varies]).max(axis=1), 1.0 - level)
    return np.asarray(behind <= max(0.0, float(critical)) * error + TOLERANCE)


def _unseen(totals: FloatArray, rng: np.random.Generator) -> float:
    """Balanced accuracy where each unit is judged by the best threshold of the folds without it."""
    tried = (totals.shape[1] - 2) // 2
    whole = totals.sum(axis=0)
    folds = min(FOLDS, len(totals))
    found = []
    for _ in range(ROUNDS):
        # Units of one label follow each other and so are dealt evenly.
        order = np.lexsort((rng.random(len(totals)), totals[:, 1]))
        right = np.zeros(2)
        for fold in range(folds):
            part = totals[order[fold::folds]].sum(axis=0)
            chosen = _middle(_balanced((whole - part)[None])[0])
            right += part[[2 + chosen, 2 + tried + chosen]]
        found.append(float((right / whole[:2]).mean()))
    return float(np.mean(found))


def cosine(first: npt.ArrayLike, second: npt.ArrayLike) -> float | Undefined:
    """Cosine of the angle between two vectors; it ignores size: (10, 20) and (20, 40) are the same.

    Args:
        first, second: float[N].

    Returns:
        1 for two zero vectors; `Undefined` where only one is zero.
    """
    one, other = finite_vector(first, "first"), finite_vector(second, "second")
    if not one.size:
        return Undefined("there is nothing to compare")
    # Scaled first, or the squares of tiny rates would vanish.
    sizes = [float(np.max(np.abs(vector))) for vector in (one, other)]
    if sizes == [0.0, 0.0]:
        return 1.0
    if 0.0 in sizes:
        return Undefined("one side is zero throughout, and so has no direction")
    one, other = one / sizes[0], other / sizes[1]
    found = float(np.dot(one, other)) / math.sqrt(float(np.dot(one, one)) * float(np.dot(other, other)))
    return min(1.0, max(-1.0, found))


def closeness(first: npt.ArrayLike, second: npt.ArrayLike) -> float | Undefined:
    """1 minus the mean absolute difference (J. Gower, Biometrics 27, 1971, 857-871, for values with a range of 1).

    1 means equal, 0 as far apart as rates can be; rates of 10 and 20 % are 0.85 close to 20 and 40 %.

    Args:
        first, second: float[N], each in [0, 1].

    Returns:
        `Undefined` for empty vectors.
    """
    one, other = finite_vector(first, "first"), finite_vector(second, "second")
    if not one.size:
        return Undefined("there is nothing to compare")
    return 1.0 - float(np.mean(np.abs(one - other)))
