"""The default test: one joint sign-flip max-T test over all slices, and the intervals dual to it.

If the change does nothing, each unit's deltas are symmetric given all others, so flipping the signs of whole units
draws from the joint null distribution of all slices, overlaps included: the level holds exactly, and for all slices
together.
(P. Westfall and S. Young, Resampling-Based Multiple Testing, 1993; J. Romano and M. Wolf, JASA 100, 2005, 94-108.)
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import (
    CHANGED_FOR_ZERO_WIDTH,
    EMPTY,
    TOLERANCE,
    FloatArray,
    JointResult,
    SliceResult,
    UnitSums,
    check_level,
    finite_vector,
    sum_slices,
    unit_labels,
)
from gate.stats.sign_flips import Column, NullMinima, column_of, dealt_minima, null_minima, stacked

FLIP_SHARE = 0.8
"""Of alpha, for the sign flips."""
DEAL_SHARE = 0.2
"""Of alpha, for the breakage channel."""

Samples: TypeAlias = tuple[npt.ArrayLike, npt.ArrayLike]

_FEWEST, _MOST = 2, 5  # one sample does not vary within a case; six would have 924 deals, and say enough by themselves


@dataclass(frozen=True, slots=True)
class Pools:
    """The pooled samples of both arms of each case.

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
    """What the channel says about the slices of a family; their units are positions of cases."""

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
    """Test the slices of a family, whose units are positions of cases, together by dealing samples."""
    members = np.zeros((len(pools.spread), len(family)))
    for column, sums in enumerate(family):
        members[sums.units, column] = 1.0
    return Breakage(pools, dealt_minima(pools.centred, pools.spread, members, flips, seed))


def joint_test(  # noqa: PLR0913
    deltas: npt.ArrayLike,
    slices: Mapping[str, npt.ArrayLike],
    *,
    alpha: float = 0.025,
    clusters: npt.ArrayLike | None = None,
    samples: Samples | None = None,
    margin: float | Mapping[str, float] = 0.0,
    flips: int = 4999,
    seed: int = 0,
) -> JointResult:
    """Test all slices together for a fall of the mean delta.

    The upper bound of a blockable slice lies below -margin exactly when its p <= alpha (to 1e-9). Slices under 10 units
    are outside the family, with the interval of `single_slice`. Without a margin, swapping the arms mirrors the
    intervals; permuting cases and renaming or repeating slices change only the last digits. A slice without any change
    has p = 1 and infinite bounds. One in which all units moved alike has the interval of a share, see
    `gate.stats.sign_flips`.

    Args:
        deltas: float[N], candidate minus baseline.
        slices: name to positions in `deltas`, int[n], each at most once. An empty slice is outside the family.
        alpha: one-sided level for all slices together, in (0, 0.5).
        clusters: int[N], equal labels are one unit; None when every case is its own.
        samples: opens the breakage channel: baseline and candidate, float[N, k] each, 2 <= k <= 5. The sign flips then
            keep 0.8 alpha (`critical` is theirs), the channel gets 0.2 alpha, p is adjusted for both, and a slice has
            the lower of the two upper bounds and the higher of the two lower ones.
        margin: tolerated fall, at least 0, on the scale of the deltas; one for all slices, or by name (others 0). Both
            bounds then come from the test of deltas + margin.
        flips, seed: sign flips at least, rounded up to pairs of opposites (below 13 units all 2^units).

    Raises:
        ValueError: deltas that are not finite, positions out of range or repeated, no slices, an option outside its
            range; samples with a margin, with clusters of several cases, or that do not fit the deltas.
    """
    check_level(alpha)
    pools = None if samples is None else pool_samples(samples, deltas, clusters)
    units = clusters if pools is None else None  # with pools units are positions of cases
    columns = {name: column_of(piece) for name, piece in sum_slices(deltas, slices, units, margin).items()}
    family = {name: column for name, column in columns.items() if column.sums.blockable}
    null = null_minima(stacked(list(family.values())), flips, seed)
    level = alpha if pools is None else FLIP_SHARE * alpha
    results = {
        name: _result(column, null, level) if column.sums.blockable else _alone(column, alpha, flips, seed)
        for name, column in columns.items()
    }
    if pools is not None:
        _refuse_margins(columns)
        sums = {name: column.sums for name, column in family.items()}
        results |= _with_breakage(results, sums, breakage(pools, list(sums.values()), flips, seed), alpha)
    return JointResult(results, null.critical(level), null.flips, len(family))


def single_slice(  # noqa: PLR0913
    deltas: npt.ArrayLike,
    *,
    alpha: float = 0.025,
    clusters: npt.ArrayLike | None = None,
    margin: float = 0.0,
    flips: int = 4999,
    seed: int = 0,
) -> SliceResult:
    """Test one slice alone, as `joint_test` with no other: the interval of a slice outside the family.

    Args:
        deltas: float[n], of the cases of the slice only.
        alpha, clusters, margin, flips, seed: as in `joint_test`; labels int[n].

    Raises:
        ValueError: as `joint_test`.
    """
    check_level(alpha)
    count = np.arange(np.size(deltas))
    column = column_of(sum_slices(deltas, {"alone": count}, clusters, margin)["alone"])
    return _alone(column, alpha, flips, seed)


def _alone(column: Column, alpha: float, flips: int, seed: int) -> SliceResult:
    return _result(column, null_minima(column.y[:, None], flips, seed), alpha)


def _result(column: Column, null: NullMinima, alpha: float) -> SliceResult:
    sums = column.sums
    if sums.n == 0:
        return EMPTY
    p = None
    if sums.blockable:
        p = null.p_value(column.statistic) if column.moved else 1.0
    lower, upper = column.interval(null.critical(alpha), alpha)
    return SliceResult(sums.n, len(sums.units), sums.mean, lower, upper, p, sums.blockable)


def _refuse_margins(columns: Mapping[str, Column]) -> None:
    if any(column.sums.margin > 0.0 for column in columns.values()):
        raise ValueError("The breakage channel takes no margin.")


def _with_breakage(
    results: Mapping[str, SliceResult], family: Mapping[str, UnitSums], channel: Breakage, alpha: float
) -> dict[str, SliceResult]:
    """The results of the slices, adjusted for both channels."""
    both = {}
    for name, sums in family.items():
        one = results[name]
        lower, upper = channel.bounds(sums, DEAL_SHARE * alpha)
        p = min(1.0, (1.0 if one.p is None else one.p) / FLIP_SHARE, channel.p(sums) / DEAL_SHARE)
        both[name] = replace(one, lower=max(lower, one.lower), upper=min(upper, one.upper), p=p)
    return both
