"""Is there still something to learn? The chance that the remaining samples would show a change.

(J. Lan, R. Simon and M. Halperin, Communications in Statistics C 1, 1982, 207-219: conditional power as a drift of the
B-value, sqrt(t) Z at the share t of the samples, with independent increments.)
"""

import math
from statistics import NormalDist

import numpy as np

from gate.stats.arrays import FloatArray
from gate.stats.power import WHOLE

_NORMAL = NormalDist()
_POWER = 0.8


def expected_drift(units: FloatArray, sd: FloatArray, share: float, critical: float, effect: float) -> FloatArray:
    """Where the statistic would end, if every sample fell by so much: standard errors below zero, float[S].

    A slice that could not show the fall even with all of its samples is asked about the one that it could show four
    times of five, or it would be given up before it had begun.

    Args:
        units: float[S], independent units.
        sd: float[S], standard deviation of the units' mean deltas so far.
        share: of the samples that were taken, in (0, 1).
        critical: of the last look, as far as can be said now.
        effect: the fall of the mean score, beyond the margin.
    """
    # The deltas of all samples would vary less than those of a part; the fall itself adds variance of its own.
    variance = share * sd**2 + WHOLE * effect * (1.0 - effect)
    return np.maximum(effect * np.sqrt(units / variance), critical + _NORMAL.inv_cdf(_POWER))


def chance(statistic: FloatArray, share: float, critical: float, drift: FloatArray) -> FloatArray:
    """Conditional power: the probability that the statistic ends beyond the critical value, float[S].

    Args:
        statistic: float[S], so far, in the direction of the change that is looked for.
        share: of the samples that were taken, in (0, 1).
        critical: of the last look; infinite where nothing can be shown.
        drift: float[S], where the statistic would end if all samples were like those to come.
    """
    if critical == math.inf:
        return np.zeros(len(statistic))
    beyond = (math.sqrt(share) * statistic + (1.0 - share) * drift - critical) / math.sqrt(1.0 - share)
    return np.array([_NORMAL.cdf(float(value)) for value in beyond])
