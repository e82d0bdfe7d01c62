"""How far grades of two sides are apart, what length adds to a score, and how alike two vectors are."""

import math

import numpy as np
import numpy.typing as npt

from gate.stats.agreement import ResamplingOptions, Scale, estimate
from gate.stats.arrays import (
    Estimate,
    FloatArray,
    Undefined,
    finite_vector,
)


def mean_difference(values: FloatArray, drawing: ResamplingOptions, scale: Scale | None = None) -> Estimate | Undefined:
    """A mean over items, such as that of judge minus people, with the percentile bootstrap over items or clusters.

    Args:
        values: float[N].
        scale: range of a value; -1 to 1 where None.
    """
    rows = np.column_stack([finite_vector(values, "values"), np.ones(len(values))])
    return estimate(rows, lambda sums: sums[:, 0] / np.maximum(sums[:, 1], 1.0), drawing, scale)


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
