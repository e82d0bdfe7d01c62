"""Does a judge say the same again when it reads the same answer again?"""

import math
from dataclasses import dataclass

import numpy as np

from gate.stats.arrays import TOLERANCE
from gate.stats.ratings import Ratings
from gate.stats.resampling import Drawing
from gate.stats.undefined import Undefined
from gate.stats.wilson import Rate, wilson


@dataclass(frozen=True, slots=True)
class Consistency:
    """What repeated judging shows.

    Args:
        items: judged twice or more.
        flips: share of them whose verdict is not always the same.
        two_differ: chance that two judgements of one answer, drawn at random, give different verdicts.
        within_sd: standard deviation of the scores of one answer, pooled over the answers; on the scores' scale.
        widest: largest distance between two scores of one answer.
    """

    items: int
    flips: Rate
    two_differ: float
    within_sd: float
    widest: float


def consistency(scores: Ratings, mark: float, drawing: Drawing) -> Consistency | Undefined:
    """How much a judge differs from itself.

    Args:
        scores: one row for each answer, its judgements side by side.
        mark: a score of at least this is a pass.
        drawing: clusters of the answers, which count in place of answers in the interval, and the level.

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
