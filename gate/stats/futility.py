"""Is there still something to learn? The chance that the remaining samples would show a change.

(J. Lan, R. Simon and M. Halperin, Communications in Statistics C 1, 1982, 207-219: conditional power as a drift of the
B-value, sqrt(t) Z at the share t of the samples, with independent increments.)
"""

import math
from statistics import NormalDist

import numpy as np

from gate.stats.columns import Column
from gate.stats.power import WHOLE

_NORMAL = NormalDist()
_POWER = 0.8


def chance_of_fall(column: Column, share: float, critical: float, effect: float) -> float:
    """The conditional power to show a fall, if the samples to come fall by so much.

    A slice that could not show a fall of `effect` even with all of its samples is asked about the fall that it could
    show four times of five, or it would be given up before it had begun.

    Args:
        column: the slice at this look.
        share: of the samples that were taken, in (0, 1).
        critical: of the last look, as far as can be said now.
        effect: the fall of the mean score, beyond the margin.
    """
    if critical == math.inf:
        return 0.0
    g = len(column.y)
    sizes = column.sums.n / g
    # The deltas of all samples would vary less than those of a part; the fall itself adds variance of its own.
    variance = share * float(np.var(column.x / sizes, ddof=1)) + WHOLE * effect * (1.0 - effect)
    drift = max(effect * math.sqrt(g / variance), critical + _NORMAL.inv_cdf(_POWER))
    return _chance(-_statistic(column), share, critical, drift)


def chance_of_rise(column: Column, share: float, critical: float) -> float:
    """The conditional power to show a rise, if the samples to come go on as those so far.

    Args:
        column, share, critical: as for `chance_of_fall`.
    """
    if critical == math.inf:
        return 0.0
    rise = _statistic(column)
    return _chance(rise, share, critical, rise / math.sqrt(share))


def _statistic(column: Column) -> float:
    return column.statistic if column.moved else 0.0


def _chance(statistic: float, share: float, critical: float, drift: float) -> float:
    expected = math.sqrt(share) * statistic + (1.0 - share) * drift
    return _NORMAL.cdf((expected - critical) / math.sqrt(1.0 - share))
