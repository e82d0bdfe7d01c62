"""The joint test with looks: after each repeat of the cases, is there anything left to learn?

One flip per unit for all looks draws whole trajectories of all slices. At look j the boundary is the largest at which
the share of flips that crossed it now, or an earlier one before, stays within what may be spent by then: so the level
holds for all slices and all looks together, whatever is asked in between. Giving up is not counted on.
(P. O'Brien and T. Fleming, Biometrics 35, 1979, 549-556; K. Lan and D. DeMets, Biometrika 70, 1983, 659-663.)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import IntArray, check_level, unit_labels
from gate.stats.columns import Column, column_of, spread
from gate.stats.course import Course, Plan, Standing, Table
from gate.stats.maxt import single_slice
from gate.stats.results import JointResult, SliceResult
from gate.stats.slices import sum_slices
from gate.stats.steady import SteadyFlips

FLIPS = 19_999
"""The first of three boundaries is p = 0.0001, which lies below what 4,999 flips can show."""


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
) -> Looks:
    """Look at all slices together after each repeat.

    The upper bound of a blockable slice lies below -margin exactly when its p <= alpha, and each look repeats what the
    looks before it said. With one look the test is `joint_test`, up to the draw of the flips. Neither the order of the
    cases nor the names of the arms matter; the order of the slices moves no more than the last digits of p.

    Args:
        looks: in order, at least one and at most as many as planned; those after all slices are settled are ignored.
        plan: how many there will be, and when enough is known.
        clusters: int[N], cases with equal labels are one unit; None when every case is its own.
        margin: tolerated fall, at least 0; one for all slices, or by name (others 0).
        flips, seed: sign flips at least, and their seed.
        closing: the latest look is the last, for a reason that has nothing to do with the data: it may spend all.

    Raises:
        ValueError: no looks or too many, slices that come and go, and what `joint_test` refuses.
    """
    _check(looks, plan)
    names = list(looks[0].slices)
    labels = unit_labels(np.size(looks[0].deltas), clusters)
    units = int(labels.max(initial=-1)) + 1
    course = Course(plan, SteadyFlips(units, flips, seed), np.array([name in plan.watched for name in names]))
    seen: list[dict[str, Column]] = []
    for number, look in enumerate(looks, 1):
        sums = sum_slices(look.deltas, look.slices, labels, margin)
        seen.append({name: column_of(one) for name, one in sums.items()})
        course.look(_table(list(seen[-1].values()), units), last=closing and number == len(looks))
        if not course.open.any():
            break
    columns = {name: seen[look - 1][name] for name, look in zip(names, course.looked, strict=True)}
    standing = {name: Standing(one) for name, one in zip(names, course.standing, strict=True)}
    results = {
        name: _alone(looks[len(seen) - 1], name, labels, column, plan.alpha)
        if standing[name] is Standing.OUTSIDE
        else _result(column, float(course.p[position]), float(course.criticals[position]), plan.alpha)
        for position, (name, column) in enumerate(columns.items())
    }
    family = sum(one is not Standing.OUTSIDE for one in standing.values())
    looked = dict(zip(names, map(int, course.looked), strict=True))
    return Looks(JointResult(results, course.critical, course.flipped, family), looked, standing)


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


def _table(columns: Sequence[Column], units: int) -> Table:
    means = [column.x * (len(column.y) / max(1, column.sums.n)) for column in columns]
    return Table(
        y=spread(columns, units),
        units=np.array([len(column.y) for column in columns], dtype=np.float64),
        sd=np.array([one.std(ddof=1) if len(one) > 1 else 0.0 for one in means]),
        margin=np.array([column.sums.margin for column in columns]),
        able=np.array([column.sums.blockable for column in columns]),
    )


def _result(column: Column, p: float, critical: float, alpha: float) -> SliceResult:
    sums = column.sums
    return SliceResult(sums.n, len(sums.units), sums.mean, *column.interval(critical, alpha), p, True)


def _alone(look: Look, name: str, labels: IntArray, column: Column, alpha: float) -> SliceResult:
    """A slice outside the family."""
    rows = np.asarray(look.slices[name], dtype=np.int64)
    deltas = np.asarray(look.deltas, dtype=np.float64)[rows]
    return single_slice(deltas, alpha=alpha, clusters=labels[rows], margin=column.sums.margin)
