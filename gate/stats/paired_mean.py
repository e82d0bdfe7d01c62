"""The mean of differences that were taken pair by pair, such as one for each prompt."""

import math

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import check_level, finite_vector
from gate.stats.student import t_quantile
from gate.stats.undefined import Estimate, Undefined


def paired_mean(differences: npt.ArrayLike, *, alpha: float = 0.025) -> Estimate | Undefined:
    """Mean with its t interval (W. Gosset, Biometrika 6, 1908, 1-25); without width where all are the same.

    Args:
        differences: float[N], one for each pair.
        alpha: one-sided level of each bound.

    Returns:
        `Undefined` for fewer than two pairs, of which nobody knows how they vary.

    Raises:
        ValueError: a number that is not finite, or a level out of range.
    """
    check_level(alpha)
    values = finite_vector(differences, "differences")
    if len(values) < 2:
        return Undefined("fewer than two pairs do not show how they vary")
    mean = float(np.mean(values))
    error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    half = t_quantile(1.0 - alpha, len(values) - 1) * error
    return Estimate(mean, mean - half, mean + half, len(values))
