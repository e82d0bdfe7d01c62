"""Does a judge favour long answers? How its score goes with length among answers that people labelled alike."""

import numpy as np

from gate.stats.arrays import FloatArray, finite_vector
from gate.stats.resampling import Drawing, Scale, estimate
from gate.stats.undefined import Estimate, Undefined

LEAST_ITEMS = 10


def length_bias(judged: FloatArray, labels: FloatArray, lengths: FloatArray, drawing: Drawing) -> Estimate | Undefined:
    """What an answer twice as long gets more from the judge, at the same label of people.

    The coefficient of log2(length) in the least squares of the score on label and log2(length). The label stands in
    the regression because long answers may really be better or worse, and a judge that only shrinks all scores
    towards the middle would seem to have a bias of length without it. (The confounding: Y. Dubois and others,
    Length-Controlled AlpacaEval, 2024, arXiv 2404.04475.) The interval is the percentile bootstrap.

    Args:
        judged: float[N], mean score of each answer.
        labels: float[N], mean label of people.
        lengths: float[N], characters, above 0.
        drawing: clusters of the N answers, seed, level.

    Returns:
        `Undefined` with few answers, or where all are of one length.

    Raises:
        ValueError: unequal lengths, or a length that is not above 0.
    """
    judged, labels = finite_vector(judged, "judged"), finite_vector(labels, "labels")
    lengths = finite_vector(lengths, "lengths")
    if not len(judged) == len(labels) == len(lengths):
        raise ValueError("judged, labels and lengths must hold the same answers.")
    if len(lengths) and lengths.min() <= 0.0:
        raise ValueError("A length must be above 0.")
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
        return Undefined("length and label go together, so they cannot be told apart")
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
