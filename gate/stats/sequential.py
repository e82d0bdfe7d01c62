"""The joint test with looks: after each repeat of all cases it may end, for all slices at once.

One flip per unit for all looks draws whole trajectories of all slices. At look j the boundary is the largest at which
the share of flips that crossed it now, or an earlier one before, stays within what may be spent by then. So the level
holds for all slices and all looks together, by construction, and no rule that ends the test without a regression can
raise it. All slices rest on the same samples.
(K. Lan and D. DeMets, Biometrika 70, 1983, 659-663.)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import (
    TOLERANCE,
    FloatArray,
    IntArray,
    JointResult,
    SliceResult,
    sum_slices,
    unit_labels,
)
from gate.stats.maxt import Column, column_of, null_paths, spread

FLIPS = 19_999
"""The first of five boundaries is p = 0.00025: five of these flips."""

BEFORE_THE_END = 0.05
"""Of the level, what looks before the last may spend together."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How many looks there are, and when enough is known.

    Args:
        watched: slices whose rise is worth waiting for.
    """

    looks: int
    alpha: float = 0.025
    watched: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Look:
    """The data after one repeat.

    Args:
        deltas: float[N], candidate minus baseline over the samples so far; any finite number where there are none.
        slices: name to positions of the cases that have samples, int[n]; the same names at every look.
    """

    deltas: npt.ArrayLike
    slices: Mapping[str, npt.ArrayLike]


@dataclass(frozen=True, slots=True)
class Sequential:
    """The result of the look that ended the test, or of the latest one.

    Args:
        looked: number of that look, from 1.
        over: a slice is a regression, or nothing looks like a change so far, or no samples are to come.
    """

    joint: JointResult
    looked: int
    over: bool


def sequential_test(
    looks: Sequence[Look],
    plan: Plan,
    *,
    clusters: npt.ArrayLike | None = None,
    margin: float | Mapping[str, float] = 0.0,
    flips: int = FLIPS,
    seed: int = 0,
    last: bool = False,
) -> Sequential:
    """Test all slices together after each repeat, until a look ends the test.

    The upper bound of a slice lies below -margin exactly when its p <= alpha. With one planned look the test is
    `joint_test`, up to the draw of the flips. Neither the order of the cases nor the names of the arms matter, and a
    look has the same result whatever comes after it.

    Args:
        looks: in order, at least one and at most as many as planned.
        clusters: int[N], equal labels are one unit; None when every case is its own.
        margin: tolerated drop, at least 0; one for all slices, or by name (others 0).
        flips, seed: sign flips at least, and their seed.
        last: no other look will follow, for a reason that has nothing to do with the data (and no earlier one ended the
            test): so it may spend the whole level.
    """
    labels = unit_labels(np.size(looks[0].deltas), clusters)
    units = int(labels.max(initial=-1)) + 1
    families = [_family(look, labels, margin) for look in looks]
    # A rise is the drop of a mirror image, and needs no margin.
    mirrors = [_mirrors(family, plan.watched) for family in families]
    columns = [part for pair in zip(families, mirrors, strict=True) for part in pair]
    paths = null_paths([spread(list(part.values()), units) for part in columns], flips, seed)
    crossed = np.zeros(paths.shape[1], dtype=np.bool_)
    for looked, (family, images) in enumerate(zip(families, mirrors, strict=True), 1):
        minima, mirrored = paths[2 * looked - 2 : 2 * looked]
        share = 1.0 if last and looked == len(looks) else looked / plan.looks
        found = Boundary(alpha_spent(plan.alpha, share), np.sort(minima[~crossed]), int(np.count_nonzero(crossed)))
        crossed |= minima < -found.critical - TOLERANCE
        if last and share < 1.0:
            continue
        results = {name: _result(column, found, plan.alpha, share) for name, column in family.items()}
        moved = any(column.moved for column in family.values())
        joint = JointResult(results, found.critical_at(plan.alpha), found.flips if moved else 0, len(family))
        falls, rises = _least(family), _least(images)
        if rises < -found.critical - TOLERANCE:
            mirrored, rises = minima, falls  # shown already, so it need not be waited for
        alike = np.count_nonzero(np.minimum(minima, mirrored) <= min(falls, rises) + TOLERANCE)
        convicted = falls < -found.critical - TOLERANCE
        over = share >= 1.0 or convicted or 1 + int(alike) > continuation_limit(share) * (len(minima) + 1)
        if over:
            break
    return Sequential(joint, looked, over)


def alpha_spent(alpha: float, share: float) -> float:
    """The level used up by this share of the samples: little and evenly before the end, all of it at the end.

    So early looks cost the last one almost nothing, and a clear drop is still found. (J. Haybittle, British Journal of
    Radiology 44, 1971, 793-797; R. Peto et al., British Journal of Cancer 34, 1976, 585-612.)

    Args:
        share: of the samples, above 0.
    """
    return alpha if share >= 1.0 else BEFORE_THE_END * share * alpha


def overall_level(used: float, share: float) -> float:
    """The inverse of `alpha_spent`: the whole level, of which `used` in (0, 1] may be spent by this share in (0, 1]."""
    return used if share >= 1.0 else min(1.0, used / (BEFORE_THE_END * share))


def continuation_limit(share: float) -> float:
    """The test goes on while at most this share of the flips looks as much like a change: 1.5 (1 - share), at most 1.

    Of unchanged prompts at most this share goes on, whatever their slices and scores. In the first third none is given
    up: where most scores tie, one repeat without a change means little.

    Args:
        share: of the samples, in (0, 1].
    """
    return min(1.0, 1.5 * (1.0 - share))


@dataclass(frozen=True, slots=True)
class Boundary:
    """What one look may call a regression, given the looks before it.

    Args:
        level: may be spent by this look and the earlier ones.
        free: float[], ascending: smallest statistics, at this look, of the flips that crossed at none before.
        before: flips that crossed at an earlier look.
    """

    level: float
    free: FloatArray
    before: int

    @property
    def flips(self) -> int:
        return len(self.free) + self.before

    @property
    def critical(self) -> float:
        """c such that statistics below -c are regressions; infinite when none could be."""
        return self.critical_at(self.level)

    def critical_at(self, level: float) -> float:
        """As `critical`, if another level might be spent by this look."""
        rank = int((level + TOLERANCE) * (self.flips + 1)) - self.before
        moved = len(self.free) and self.free[0] < 0.0
        return -float(self.free[min(rank, len(self.free)) - 1]) if rank > 0 and moved else np.inf

    def p_value(self, statistic: float) -> float:
        """Share of the flips, the observed signs included, that crossed before or look as bad as this now."""
        as_small = np.searchsorted(self.free, statistic + TOLERANCE, side="right")
        return (1 + self.before + int(as_small)) / (self.flips + 1)


def _family(look: Look, labels: IntArray, margin: float | Mapping[str, float]) -> dict[str, Column]:
    """The slices that are large enough to block."""
    sums = sum_slices(look.deltas, look.slices, labels, margin)
    return {name: column_of(one) for name, one in sums.items() if one.blockable}


def _result(column: Column, found: Boundary, alpha: float, share: float) -> SliceResult:
    sums, p = column.sums, 1.0
    if column.moved:
        p = overall_level(found.p_value(column.statistic), share)
        if column.statistic < -found.critical - TOLERANCE:
            p = min(p, alpha)
    return SliceResult(sums.n, len(sums.units), sums.mean, *column.interval(found.critical, alpha), p, True)


def _mirrors(family: Mapping[str, Column], watched: frozenset[str]) -> dict[str, Column]:
    return {
        name: column_of(replace(column.sums, sums=-column.sums.sums, margin=0.0))
        for name, column in family.items()
        if name in watched
    }


def _least(columns: Mapping[str, Column]) -> float:
    """The smallest statistic; 0 where nothing moved."""
    return min((column.statistic for column in columns.values() if column.moved), default=0.0)
