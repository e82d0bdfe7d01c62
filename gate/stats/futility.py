"""Is there still something to learn? The chance that the remaining samples would show a change.

(J. Lan, R. Simon and M. Halperin, Communications in Statistics C 1, 1982, 207-219: conditional power as a drift of the
B-value, sqrt(t) Z at the share t of the samples, with independent increments.)
"""

import math
from statistics import NormalDist

import numpy as np

from gate.stats.arrays import FloatArray

_NORMAL = NormalDist()
_POWER = 0.8


def design_drift(critical: float) -> float:
    """Where the statistic ends on average under the smallest change that shows four times of five.

    That change, and not one of fixed size, is what a slice is asked about: a small slice would be given up before it
    had begun if it had to show a fall of 0.10, and a large one would never be given up.

    Args:
        critical: of the last look, as far as can be said now.
    """
    return critical + _NORMAL.inv_cdf(_POWER)


def chance(statistic: FloatArray, share: float, critical: float, drift: FloatArray | float) -> FloatArray:
    """Conditional power: the probability that the statistic ends beyond the critical value, float[S].

    Args:
        statistic: float[S], so far, in the direction of the change that is looked for.
        share: of the samples that were taken, in (0, 1).
        critical: of the last look; infinite where nothing can be shown.
        drift: where the statistic would end if all samples were like those to come.
    """
    if critical == math.inf:
        return np.zeros(len(statistic))
    beyond = (math.sqrt(share) * statistic + (1.0 - share) * drift - critical) / math.sqrt(1.0 - share)
    return np.array([_NORMAL.cdf(float(value)) for value in beyond])
