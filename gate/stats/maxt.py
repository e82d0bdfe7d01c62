"""The default test: one joint sign-flip max-T test over all slices, and the intervals dual to it.

If the change does nothing, each unit's deltas are symmetric given all others, so flipping the signs of whole units
draws from the joint null distribution of all slices, overlaps included: the level holds exactly, and for all slices
together.
(P. Westfall and S. Young, Resampling-Based Multiple Testing, 1993; J. Romano and M. Wolf, JASA 100, 2005, 94-108.)
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import check_level
from gate.stats.breakage import DEAL_SHARE, FLIP_SHARE, Breakage, Samples, breakage, pool_samples
from gate.stats.columns import Column, column_of, stacked
from gate.stats.flips import NullMinima, null_minima
from gate.stats.results import EMPTY, JointResult, SliceResult
from gate.stats.slices import UnitSums, sum_slices


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
    intervals; permuting cases and renaming or repeating slices change nothing but the last digits. A slice without any
    change has p = 1 and infinite bounds: nothing was learnt about the size of a change. One in which all units moved
    alike has the interval of a share, see `gate.stats.columns`.

    Args:
        deltas: float[N], candidate minus baseline, one for each case.
        slices: name to positions in `deltas`, int[n], each at most once. An empty slice is outside the family.
        alpha: one-sided level for all slices together, in (0, 0.5).
        clusters: int[N], cases with equal labels are one unit; None when every case is its own.
        samples: opens the breakage channel (module `breakage`): baseline and candidate, float[N, k] each, 2 <= k <= 5.
            The sign flips then keep 0.8 alpha (`critical` is theirs), the channel gets 0.2 alpha, p is adjusted for
            both, and a slice has the lower of the two upper bounds and the higher of the two lower ones.
        margin: tolerated fall, at least 0, on the scale of the deltas; one for all slices, or by name (others 0). Both
            bounds then come from the test of deltas + margin.
        flips, seed: sign flips at least, rounded up to pairs of opposites (below 13 units all 2^units), and their seed.

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
    """Test one slice alone: the interval of a slice that stands outside the family.

    The same as `joint_test` with this slice and no other.

    Args:
        deltas: float[n], of the cases of the slice only.
        alpha, clusters, margin, flips, seed: as in `joint_test`; int[n] labels.

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
    """The slices of the family once more, as both channels see them."""
    both = {}
    for name, sums in family.items():
        one = results[name]
        lower, upper = channel.bounds(sums, DEAL_SHARE * alpha)
        p = min(1.0, (1.0 if one.p is None else one.p) / FLIP_SHARE, channel.p(sums) / DEAL_SHARE)
        both[name] = replace(one, lower=max(lower, one.lower), upper=min(upper, one.upper), p=p)
    return both
