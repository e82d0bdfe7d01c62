"""The joint test with looks: after each repeat of the cases, is there anything left to learn?

One flip per unit for all looks draws whole trajectories of all slices. At look j the boundary is the largest at which
the share of flips that crossed it now, or an earlier one before, stays within what may be spent by then: so the level
holds for all slices and all looks together, whatever is asked in between. Giving up is not counted on.
(P. O'Brien and T. Fleming, Biometrics 35, 1979, 549-556; K. Lan and D. DeMets, Biometrika 70, 1983, 659-663.)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import TOLERANCE, IntArray, check_level, unit_labels
from gate.stats.columns import Column, column_of, spread
from gate.stats.futility import chance_of_fall, chance_of_rise
from gate.stats.maxt import single_slice
from gate.stats.results import JointResult, SliceResult
from gate.stats.slices import sum_slices
from gate.stats.spending import Boundary, Flags, boundary, overall_level, spent
from gate.stats.steady import Flips, SteadyFlips

FLIPS = 19_999
"""The first of three boundaries is p = 0.0001, which lies below what 4,999 flips can show."""


class Standing(StrEnum):
    """What is to be expected of a slice."""

    OPEN = "open"
    REGRESSION = "regression shown"
    FUTILE = "nothing more to learn"
    LAST = "last look"
    OUTSIDE = "cannot block"


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
class Plan:
    """How often is looked, and when enough is known.

    Args:
        looks: planned, evenly spaced, 1 or more.
        alpha: one-sided level for all slices and all looks together, in (0, 0.5).
        suspect: a slice with p up to here is not given up.
        effect: fall of the mean beyond the margin that a slice should not miss.
        chance: a slice is given up when it would show that fall with a lower probability.
        watched: slices that are not given up either while a rise is likely enough to be shown.
        drop: a settled slice stays as it is and needs no more samples; otherwise all go on until all are settled.
    """

    looks: int
    alpha: float = 0.025
    suspect: float = 0.10
    effect: float = 0.10
    chance: float = 0.15
    watched: frozenset[str] = frozenset()
    drop: bool = True


@dataclass(frozen=True, slots=True)
class Looks:
    """What is known after some looks.

    Args:
        joint: every slice, at the look where it was settled, or the latest; p is adjusted for slices and looks.
        looked: name to that look, 1 or more.
        standing: name to what is to be expected.
    """

    joint: JointResult
    looked: Mapping[str, int]
    standing: Mapping[str, Standing]

    @property
    def open(self) -> tuple[str, ...]:
        """The slices that need more samples."""
        return tuple(name for name, standing in self.standing.items() if standing is Standing.OPEN)


def joint_looks(  # noqa: PLR0913
    looks: Sequence[Look],
    plan: Plan,
    *,
    clusters: npt.ArrayLike | None = None,
    margin: float | Mapping[str, float] = 0.0,
    flips: int = FLIPS,
    seed: int = 0,
    closing: bool = False,
    draw: Flips | None = None,
) -> Looks:
    """Look at all slices together after each repeat.

    The upper bound of a blockable slice lies below -margin exactly when its p <= alpha, and each look repeats what the
    looks before it said. With one look the test is `joint_test`, up to the draw of the flips. Neither the order of the
    cases nor the names of the arms matter; the order of the slices moves no more than the last digits of p.

    Args:
        looks: in order, at least one and at most as many as planned.
        plan: how many there will be, and when enough is known.
        clusters: int[N], cases with equal labels are one unit; None when every case is its own.
        margin: tolerated fall, at least 0; one for all slices, or by name (others 0).
        flips, seed: sign flips at least, and their seed.
        closing: the latest look is the last for a reason that has nothing to do with the data: it may spend all.
        draw: takes the place of the random flips.

    Raises:
        ValueError: no looks or too many, slices that come and go, and what `joint_test` refuses.
    """
    _check(looks, plan)
    labels = unit_labels(np.size(looks[0].deltas), clusters)
    units = int(labels.max()) + 1 if len(labels) else 0
    levels = spent(plan.alpha, plan.looks)
    trial = _Trial(plan, draw or SteadyFlips(units, flips, seed), units)
    for number, look in enumerate(looks, 1):
        columns = {
            name: column_of(sums) for name, sums in sum_slices(look.deltas, look.slices, labels, margin).items()
        }
        last = number == plan.looks or (closing and number == len(looks))
        trial.look(number, columns, levels[-1] if last else levels[number - 1], last=last)
        if not last and not trial.open:
            break
    outside = {name: _alone(look, name, labels, trial.columns[name], plan.alpha) for name in trial.outside}
    return trial.result(outside)


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


def _alone(look: Look, name: str, labels: IntArray, column: Column, alpha: float) -> SliceResult:
    """A slice outside the family."""
    rows = np.asarray(look.slices[name], dtype=np.int64)
    deltas = np.asarray(look.deltas, dtype=np.float64)[rows]
    return single_slice(deltas, alpha=alpha, clusters=labels[rows], margin=column.sums.margin)


@dataclass(slots=True)
class _Trial:
    """The looks so far."""

    plan: Plan
    flips: Flips
    units: int
    columns: dict[str, Column] = field(default_factory=dict)
    results: dict[str, SliceResult] = field(default_factory=dict)
    looked: dict[str, int] = field(default_factory=dict)
    standing: dict[str, Standing] = field(default_factory=dict)
    crossed: Flags | None = None
    critical: float = np.inf
    moved: bool = False

    @property
    def open(self) -> list[str]:
        return [name for name, standing in self.standing.items() if standing is Standing.OPEN]

    @property
    def outside(self) -> list[str]:
        return [name for name, standing in self.standing.items() if standing is Standing.OUTSIDE]

    def look(self, number: int, columns: Mapping[str, Column], level: float, *, last: bool) -> None:
        """Take the next look at the slices that are not settled; the others stay in the family as they were."""
        live = [name for name in columns if self.standing.get(name) not in (Standing.REGRESSION, Standing.FUTILE)]
        now = columns.keys() if not self.plan.drop else live
        self.columns |= {name: columns[name] for name in (*now, *live)}
        for name in live:
            self.looked[name] = number
            self.standing[name] = Standing.OPEN if self.columns[name].sums.blockable else Standing.OUTSIDE
        family = [column for column in self.columns.values() if column.sums.blockable]
        minima = self.flips.minima(spread(family, self.units))
        if self.crossed is None:
            self.crossed = np.zeros(len(minima), dtype=np.bool_)
        found, self.crossed = boundary(minima, self.crossed, level)
        self.critical, self.moved = found.critical, any(column.moved for column in family)
        share = 1.0 if last else number / self.plan.looks
        for name in self.open:
            self.results[name] = _result(self.columns[name], found, share, self.plan.alpha)
            self.standing[name] = self._standing(name, found, share)
        if not self.plan.drop and self.open:
            given_up = [name for name, standing in self.standing.items() if standing is Standing.FUTILE]
            self.standing |= dict.fromkeys(given_up, Standing.OPEN)

    def _standing(self, name: str, found: Boundary, share: float) -> Standing:
        result, column = self.results[name], self.columns[name]
        if result.p is not None and result.p <= self.plan.alpha:
            return Standing.REGRESSION
        if share >= 1.0:
            return Standing.LAST
        if result.p is not None and result.p <= self.plan.suspect:
            return Standing.OPEN
        final = found.critical_at(self.plan.alpha)
        chance = chance_of_fall(column, share, final, self.plan.effect)
        if name in self.plan.watched and result.lower <= 0.0:
            chance = max(chance, chance_of_rise(column, share, final))
        return Standing.OPEN if chance >= self.plan.chance else Standing.FUTILE

    def result(self, outside: Mapping[str, SliceResult]) -> Looks:
        family = sum(column.sums.blockable for column in self.columns.values())
        flips = len(self.crossed) if self.crossed is not None and self.moved else 0
        rows = {name: outside.get(name) or self.results[name] for name in self.columns}
        return Looks(JointResult(rows, self.critical, flips, family), dict(self.looked), dict(self.standing))


def _result(column: Column, found: Boundary, share: float, alpha: float) -> SliceResult:
    p = 1.0
    if column.moved:
        used = found.p_value(column.statistic)
        p = overall_level(used, share)
        convicted = column.statistic < -found.critical - TOLERANCE
        p = min(p, alpha) if convicted else p
    sums = column.sums
    return SliceResult(sums.n, len(sums.units), sums.mean, *column.interval(found.critical), p, True)
