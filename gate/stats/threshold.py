"""Which threshold makes a judge agree best with people, and how good that will be on answers it has not seen."""

from dataclasses import dataclass

import numpy as np

from gate.stats.arrays import TOLERANCE, FloatArray
from gate.stats.ratings import Ratings
from gate.stats.resampling import Drawing, resampled_sums, unit_totals
from gate.stats.undefined import Undefined

MOST = 100
"""Thresholds that are tried; of more distinct scores evenly spread quantiles are."""
FOLDS, ROUNDS = 10, 20
_CELLS = 1 << 22


@dataclass(frozen=True, slots=True)
class Choice:
    """The best threshold.

    Args:
        threshold: in the middle between two scores that were given; at least this is a pass.
        balanced: balanced accuracy in the sample that it was chosen from: too good.
        honest: balanced accuracy on answers that played no part in choosing it.
        lowest, highest: thresholds above the one and up to the other cannot be told from the best one.
        tried: how many.
    """

    threshold: float
    balanced: float
    honest: float
    lowest: float
    highest: float
    tried: int


def best_threshold(scores: Ratings, people: Ratings, drawing: Drawing) -> Choice | Undefined:
    """The threshold of greatest balanced accuracy; of several equally good ones the middle one.

    Balanced accuracy and not agreement, for on labels that are mostly passes agreement is greatest for a judge that
    passes everything. The range holds every threshold whose distance to the best one is no more than resampling
    explains, for all thresholds together (max-t; J. Romano and M. Wolf, Econometrica 73, 2005, 1237-1282). The honest
    figure is 20 rounds of 10-fold cross-validation (M. Stone, Journal of the Royal Statistical Society B 36, 1974,
    111-147), dealt so that each fold has its share of either label; clusters stay whole.

    Args:
        scores: the judge's, one row for each answer, its judgements side by side.
        people: labels 0 and 1 of the same answers.
        drawing: clusters of the answers, seed, level.

    Returns:
        `Undefined` where the judge gave one score only, or people one label, or all of a label are of one unit.

    Raises:
        ValueError: unequal numbers of answers, or a label that is neither 0 nor 1.
    """
    if scores.n != people.n:
        raise ValueError(f"Both sides must hold the same answers, not {scores.n} and {people.n}.")
    if np.setdiff1d(people.categories, [0.0, 1.0]).size:
        raise ValueError("A label must be 0 or 1.")
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
    own = Drawing(units, drawing.seed, drawing.alpha, max(1, min(drawing.resamples, _CELLS // cells.shape[1])))
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
    """The scores that were given, ascending; a threshold in the middle between two neighbours stands for all there.

    Of very many an evenly spread part: their quantiles.
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
    """float[B, T]; a resample without one of the labels counts what it has."""
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
    """Balanced accuracy where each unit is judged by the threshold that is best for the folds without it."""
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
