"""Does a pairwise judge favour what it reads first?"""

from dataclasses import dataclass

import numpy as np

from gate.stats.arrays import TOLERANCE, FloatArray, finite_vector
from gate.stats.ranks import mean_difference
from gate.stats.resampling import Drawing
from gate.stats.undefined import Estimate, Undefined
from gate.stats.wilson import Rate, wilson

TIE = 0.5


@dataclass(frozen=True, slots=True)
class PositionBias:
    """How the order of reading moves a pairwise judge.

    Args:
        gain: mean of the score when shown first minus the score when shown second; 0 without bias.
        reversed: share of the pairs of which another side wins when the order is turned.
    """

    gain: Estimate | Undefined
    reversed: Rate


def position_bias(first: FloatArray, second: FloatArray, drawing: Drawing) -> PositionBias | Undefined:
    """What reading an answer first, and not second, does to its score.

    Args:
        first, second: float[N], the score of the same side of a pair when it is shown first and when second; above
            0.5 it wins, at 0.5 it ties.
        drawing: clusters of the N pairs, seed, level.

    Returns:
        `Undefined` without pairs.

    Raises:
        ValueError: unequal lengths.
    """
    first, second = finite_vector(first, "first"), finite_vector(second, "second")
    if len(first) != len(second):
        raise ValueError(f"Both orders must hold the same pairs, not {len(first)} and {len(second)}.")
    if not len(first):
        return Undefined("no pair was judged in both orders")
    turned = (first - TIE) * (second - TIE) < -TOLERANCE
    units = len(np.unique(drawing.units(len(first))))
    return PositionBias(
        gain=mean_difference(first - second, drawing),
        reversed=wilson(float(turned.mean()) * units, units, alpha=drawing.alpha),
    )
