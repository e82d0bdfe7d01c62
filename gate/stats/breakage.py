"""The breakage channel: a second look at the samples, which sees that three right against three wrong is no accident.

The deltas forget how much the samples of a case vary. If no case changed, the 2k samples of a case are exchangeable
between the arms, so dealing them at random draws from the null distribution (R. Fisher, The Design of Experiments,
1935, section 21). This tests "no case changed", not "the mean did not fall": a harmless rewording changes cases too.
That is why it must be asked for.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import TOLERANCE, FloatArray, finite_vector, unit_labels
from gate.stats.deals import dealt_minima
from gate.stats.flips import NullMinima
from gate.stats.slices import CHANGED_FOR_ZERO_WIDTH, UnitSums

FLIP_SHARE = 0.8
"""The share of alpha that the sign flips keep."""
DEAL_SHARE = 0.2
"""The share that the breakage channel gets."""

Samples: TypeAlias = tuple[npt.ArrayLike, npt.ArrayLike]

_FEWEST, _MOST = 2, 5  # one sample does not vary within a case; six would have 924 deals, and say enough by themselves


@dataclass(frozen=True, slots=True)
class Pools:
    """The samples of both arms of each case, put together.

    Args:
        centred: float[N, 2k], ascending, minus their mean.
        spread: float[N], variance of the delta when the samples are dealt to the arms at random.
    """

    centred: FloatArray
    spread: FloatArray

    @property
    def odd(self) -> int:
        """2k - 1, the degrees of freedom of a case."""
        return int(self.centred.shape[1]) - 1


def pool_samples(samples: Samples, deltas: npt.ArrayLike, clusters: npt.ArrayLike | None) -> Pools:
    """Check the samples against the deltas, and pool them.

    Args:
        samples: baseline and candidate, float[N, k] each.
        deltas: float[N].
        clusters: int[N] or None.

    Raises:
        ValueError: scores that are not finite, shapes that disagree, fewer than 2 or more than 5 samples, deltas that
            are not the differences of the means, clusters of several cases.
    """
    values = finite_vector(deltas, "deltas")
    baseline, candidate = (np.asarray(arm, dtype=np.float64) for arm in samples)
    if baseline.ndim != 2 or baseline.shape != candidate.shape or len(baseline) != len(values):
        raise ValueError(
            f"samples must be two tables of {len(values)} cases and k samples, "
            f"not of the shapes {baseline.shape} and {candidate.shape}."
        )
    k = baseline.shape[1]
    if not _FEWEST <= k <= _MOST:
        raise ValueError(f"The breakage channel takes {_FEWEST} to {_MOST} samples for each case and arm, not {k}.")
    if not (np.isfinite(baseline).all() and np.isfinite(candidate).all()):
        raise ValueError("samples must be finite.")
    stray = np.flatnonzero(np.abs(candidate.mean(axis=1) - baseline.mean(axis=1) - values) > TOLERANCE)
    if len(stray):
        raise ValueError(f"deltas must be the differences of the samples' means; that of case {stray[0]} is not.")
    labels = unit_labels(len(values), clusters)
    if len(np.unique(labels)) < len(labels):
        raise ValueError("The breakage channel takes independent cases, not clusters of several.")
    pooled = np.sort(np.concatenate([baseline, candidate], axis=1), axis=1)
    centred = pooled - pooled.mean(axis=1, keepdims=True)
    centred[np.ptp(pooled, axis=1) < TOLERANCE] = 0.0
    return Pools(centred, 2.0 / k * np.sum(centred * centred, axis=1) / (2 * k - 1))


@dataclass(frozen=True, slots=True)
class Breakage:
    """What the channel says about the slices of a family; their units are positions of cases.

    Args:
        pools: of all cases.
        null: what the smallest statistic looks like if no case changed.
    """

    pools: Pools
    null: NullMinima

    def p(self, sums: UnitSums) -> float:
        """Joint p-value of a fall, before it is adjusted for the other channel."""
        spread = float(self.pools.spread[sums.units].sum())
        return self.null.p_value(float(sums.sums.sum()) / math.sqrt(spread)) if spread else 1.0

    def bounds(self, sums: UnitSums, level: float) -> tuple[float, float]:
        """The means to which the candidate's samples could be shifted without a rejection at `level`.

        A shift by t changes the spread by ((d - t)^2 - d^2) / (2k - 1) for a case with delta d; solved for the t at
        which the statistic meets its critical value.
        """
        g, odd, mean = len(sums.units), self.pools.odd, sums.mean
        spread = float(self.pools.spread[sums.units].sum())
        reach = self.null.critical(level) + TOLERANCE  # a tie with the critical value is no rejection
        if spread == 0.0 or reach * reach >= g * odd:
            return -math.inf, math.inf
        within = max(0.0, spread - g * mean * mean / odd)
        half = reach * math.sqrt(within / (g * g - reach * reach * g / odd))
        if half < TOLERANCE and sums.changed < CHANGED_FOR_ZERO_WIDTH:
            return -math.inf, math.inf
        return mean - half, mean + half


def breakage(pools: Pools, family: Sequence[UnitSums], flips: int, seed: int) -> Breakage:
    """Test the slices of a family together by dealing samples.

    Args:
        pools: of all cases.
        family: slices whose units are positions of cases.
        flips: deals at least.
        seed: of the deals.
    """
    members = np.zeros((len(pools.spread), len(family)))
    for column, sums in enumerate(family):
        members[sums.units, column] = 1.0
    return Breakage(pools, dealt_minima(pools.centred, pools.spread, members, flips, seed))
