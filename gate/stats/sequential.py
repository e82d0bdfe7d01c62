"""The joint test with looks: after each repeat of all cases it may end, and if it does, it ends for all slices.

One flip per unit for all looks draws whole trajectories of all slices. At look j the boundary is the largest at which
the share of flips that crossed it now, or an earlier one before, stays within what may be spent by then. So the level
holds for all slices and all looks together, by construction, and no rule that ends the test without a regression can
raise it. All slices rest on the same samples.
(P. O'Brien and T. Fleming, Biometrics 35, 1979, 549-556; K. Lan and D. DeMets, Biometrika 70, 1983, 659-663.)
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import TOLERANCE, FloatArray, IntArray, check_level, unit_labels
from gate.stats.columns import Column, column_of, spread
from gate.stats.flips import null_paths
from gate.stats.results import JointResult, SliceResult
from gate.stats.slices import sum_slices

FLIPS = 19_999
"""The first of three boundaries is p = 0.0001, which lies below what 4,999 flips can show."""

_NORMAL = NormalDist()
_POWER = 0.8
_UNCHANGED = 0.5
"""Beforehand it is as likely that nothing changed as that one slice did."""
_LARGEST_EXPONENT = 500.0


@dataclass(frozen=True, slots=True)
class Plan:
    """How often is looked, and when enough is known.

    Args:
        looks: planned, evenly spaced, 1 or more.
        alpha: one-sided level for all slices and all looks together, in (0, 0.5).
        suspect: as long as a slice has a p up to here, the test goes on.
        falls, rises: so it does while the samples to come would show a regression with the first probability, or the
            rise of a watched slice with the second.
        watched: slices whose rise is worth waiting for.
    """

    looks: int
    alpha: float = 0.025
    suspect: float = 0.10
    falls: float = 0.05
    rises: float = 0.12
    watched: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Look:
    """What is known after one repeat.

    Args:
        deltas: float[N], candidate minus baseline over the samples so far; any finite number where there are none.
        slices: name to positions of the cases that have samples, int[n]; the same names at every look.
    """

    deltas: npt.ArrayLike
    slices: Mapping[str, npt.ArrayLike]


@dataclass(frozen=True, slots=True)
class Sequential:
    """What the look says that ended the test, or the latest one.

    Args:
        joint: the slices that are large enough to block, at that look; p is adjusted for slices and looks.
        looked: which look that is, 1 or more.
        over: a slice is a regression, or the samples to come are not likely to show anything, or there are none.
    """

    joint: JointResult
    looked: int
    over: bool


def sequential_test(  # noqa: PLR0913
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
    look says the same whatever comes after it.

    Args:
        looks: in order, at least one and at most as many as planned.
        plan: how many there will be, and when enough is known.
        clusters: int[N], cases with equal labels are one unit; None when every case is its own.
        margin: tolerated fall, at least 0; one for all slices, or by name (others 0).
        flips, seed: sign flips at least, and their seed.
        last: the earlier looks did not end the test, and no other will follow the latest, for a reason that has nothing
            to do with the data: so it may spend the whole level.

    Raises:
        ValueError: no looks or too many, slices that come and go, and what `joint_test` refuses.
    """
    _check(looks, plan)
    labels = unit_labels(np.size(looks[0].deltas), clusters)
    units = int(labels.max(initial=-1)) + 1
    families = [_family(look, labels, margin) for look in looks]
    paths = null_paths([spread(list(family.values()), units) for family in families], flips, seed)
    crossed = np.zeros(paths.shape[1], dtype=np.bool_)
    for looked, (family, minima) in enumerate(zip(families, paths, strict=True), 1):
        share = 1.0 if last and looked == len(looks) else looked / plan.looks
        found = Boundary(spent(plan.alpha, share), np.sort(minima[~crossed]), int(np.count_nonzero(crossed)))
        crossed |= minima < -found.critical - TOLERANCE
        if last and share < 1.0:
            continue
        results = {name: _result(column, found, plan.alpha, share) for name, column in family.items()}
        moved = any(column.moved for column in family.values())
        joint = JointResult(results, found.critical_at(plan.alpha), found.flips if moved else 0, len(family))
        over = share >= 1.0 or _over(joint, family, found, plan, share)
        if over:
            break
    return Sequential(joint, looked, over)


def spent(alpha: float, share: float) -> float:
    """The level used up by this share of the samples: 2 - 2 Phi(z(alpha / 2) / sqrt(share)).

    Almost nothing at first and all of it at the end, as with the boundaries of O'Brien and Fleming: 0.0001, 0.006 and
    0.025 for three looks. (K. Lan and D. DeMets, Biometrika 70, 1983, 659-663.)

    Args:
        alpha: one-sided level in all, in (0, 0.5).
        share: of the samples, above 0.
    """
    if share >= 1.0:
        return alpha
    return 2.0 - 2.0 * _NORMAL.cdf(_NORMAL.inv_cdf(1.0 - alpha / 2.0) / math.sqrt(share))


def overall_level(used: float, share: float) -> float:
    """The level in all of which `used` is what may be spent by this share of the samples: the inverse of `spent`.

    Args:
        used: in (0, 1].
        share: of the samples, in (0, 1].
    """
    if share >= 1.0:
        return used
    return min(1.0, 2.0 - 2.0 * _NORMAL.cdf(_NORMAL.inv_cdf(1.0 - used / 2.0) * math.sqrt(share)))


@dataclass(frozen=True, slots=True)
class Boundary:
    """What one look may call a regression, given what the looks before it did.

    Args:
        level: may be spent by this look, the earlier ones included.
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
        """The same, if another level might be spent by this look."""
        rank = int((level + TOLERANCE) * (self.flips + 1)) - self.before
        moved = len(self.free) and self.free[0] < 0.0
        return -float(self.free[min(rank, len(self.free)) - 1]) if rank > 0 and moved else np.inf

    def p_value(self, statistic: float) -> float:
        """Share of the flips, the observed signs included, that crossed before or look as bad as this now."""
        as_small = np.searchsorted(self.free, statistic + TOLERANCE, side="right")
        return (1 + self.before + int(as_small)) / (self.flips + 1)


def chance_to_show(statistics: FloatArray, share: float, critical: float) -> float:
    """The probability that the rest of the samples would show a change of one slice.

    Beforehand it is as likely that nothing changed as that one slice did, any of them, by what it shows four times of
    five. What the samples so far say of these is Bayes' rule; given the change, conditional power says how likely it is
    shown in the end. A change of a fixed size would not do: small slices would be given up before they had begun.
    (J. Lan, R. Simon and M. Halperin, Communications in Statistics C 1, 1982, 207-219: the B-value, sqrt(t) Z at the
    share t of the samples, has independent increments; D. Spiegelhalter, L. Freedman and P. Blackburn, Controlled
    Clinical Trials 7, 1986, 8-17: predictive power.)

    Args:
        statistics: float[S], so far, in the direction of the change that is looked for.
        share: t, in (0, 1).
        critical: of the last look, as far as can be said now.
    """
    if not len(statistics) or critical == math.inf:
        return 0.0
    drift = critical + _NORMAL.inv_cdf(_POWER)
    exponents = drift * math.sqrt(share) * statistics - drift * drift * share / 2.0
    likelihoods = np.exp(np.minimum(exponents, _LARGEST_EXPONENT))
    weights = (1.0 - _UNCHANGED) / len(statistics) * likelihoods
    beyond = (math.sqrt(share) * statistics + (1.0 - share) * drift - critical) / math.sqrt(1.0 - share)
    powers = np.array([_NORMAL.cdf(float(value)) for value in beyond])
    return float(weights @ powers / (_UNCHANGED + weights.sum()))


def _check(looks: Sequence[Look], plan: Plan) -> None:
    check_level(plan.alpha)
    if not 1 <= len(looks) <= plan.looks:
        raise ValueError(f"There must be 1 to {plan.looks} looks, as many as planned, not {len(looks)}.")
    names = list(looks[0].slices)
    for number, look in enumerate(looks[1:], 2):
        if list(look.slices) != names or np.size(look.deltas) != np.size(looks[0].deltas):
            raise ValueError(f"Look {number} must have the cases and slices of look 1, in the same order.")
    if strangers := sorted(plan.watched - set(names)):
        raise ValueError(f"watched names {strangers[0]!r}, which is not a slice.")


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


def _over(joint: JointResult, family: Mapping[str, Column], found: Boundary, plan: Plan, share: float) -> bool:
    """Is there a regression, or nothing left to wait for?"""
    least = min((joint[name].p or 0.0 for name in family), default=1.0)
    if least <= plan.alpha or least <= plan.suspect:
        return least <= plan.alpha
    # As long as nothing moved there are no flips to ask.
    final = found.critical_at(plan.alpha) if joint.flips else _NORMAL.inv_cdf(1.0 - plan.alpha)
    falls = np.array([-_statistic(column) for column in family.values()])
    if chance_to_show(falls, share, final) >= plan.falls:
        return False
    # A rise must leave 0 behind, not the margin.
    rises = np.array(
        [
            _statistic(column_of(replace(column.sums, margin=0.0)))
            for name, column in family.items()
            if name in plan.watched
        ]
    )
    shown = bool(np.any(rises > found.critical + TOLERANCE))
    return shown or chance_to_show(rises, share, final) < plan.rises


def _statistic(column: Column) -> float:
    return column.statistic if column.moved else 0.0
