"""The course of a joint test over its looks: which slices are settled, and what each look may convict."""

import math
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from gate.stats.arrays import TOLERANCE, FloatArray, IntArray
from gate.stats.futility import chance, design_drift
from gate.stats.spending import Boundary, Flags, boundary, overall_level, spent
from gate.stats.steady import Flips
from gate.stats.student import normal_quantile


class Standing(IntEnum):
    """What is to be expected of a slice."""

    OPEN = 0
    REGRESSION = 1
    FUTILE = 2
    LAST = 3
    OUTSIDE = 4


@dataclass(frozen=True, slots=True)
class Plan:
    """How often is looked, and when enough is known.

    Args:
        looks: planned, evenly spaced, 1 or more.
        alpha: one-sided level for all slices and all looks together, in (0, 0.5).
        suspect: a slice with p up to here is not given up.
        chance: a slice is given up when a fall that it would show four times of five, had all samples been like those
            to come, is shown with a lower probability.
        watched: slices that are not given up either while a rise is likely enough to be shown.
        drop: a settled slice stays as it is and needs no more samples; otherwise all go on until all are settled.
    """

    looks: int
    alpha: float = 0.025
    suspect: float = 0.10
    chance: float = 0.15
    watched: frozenset[str] = frozenset()
    drop: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """All slices at one look.

    Args:
        y: float[U, S], unit values as the test sees them.
        units: float[S], independent units.
        sd: float[S], standard deviation of their mean deltas.
        margin: float[S], tolerated fall.
        able: bool[S], large enough to block.
    """

    y: FloatArray
    units: FloatArray
    sd: FloatArray
    margin: FloatArray
    able: Flags

    def statistics(self) -> FloatArray:
        """Float[S], studentised sums; 0 where nothing moved."""
        norm = np.sqrt(np.sum(self.y * self.y, axis=0))
        out: FloatArray = np.divide(self.y.sum(axis=0), norm, out=np.zeros(len(norm)), where=norm > 0.0)
        return out


@dataclass(slots=True)
class Course:
    """The looks so far.

    Args:
        plan: how many there will be, and when enough is known.
        flips: the same for all looks.
        watched: bool[S], the plan's watched slices.

    After each look: `y` float[U, S], the slices as they are in the family; `standing`, `looked` (1, 2, …), `p`,
    adjusted for slices and looks, and `criticals` of each slice when it was settled, or at the latest look; and, for
    planning, `critical`, what the latest look would convict if it were the last.
    """

    plan: Plan
    flips: Flips
    watched: Flags
    taken: int = field(default=0, init=False)
    y: FloatArray = field(init=False)
    standing: IntArray = field(init=False)
    looked: IntArray = field(init=False)
    p: FloatArray = field(init=False)
    criticals: FloatArray = field(init=False)
    critical: float = field(default=np.inf, init=False)
    _crossed: Flags | None = field(default=None, init=False)
    _fourth: list[FloatArray] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        slices = len(self.watched)
        self.standing, self.looked = np.zeros(slices, dtype=np.int64), np.zeros(slices, dtype=np.int64)
        self.p, self.criticals = np.ones(slices), np.full(slices, np.inf)

    @property
    def open(self) -> Flags:
        """bool[S]: more samples are needed."""
        found: Flags = self.standing == Standing.OPEN
        return found

    @property
    def flipped(self) -> int:
        """Flips behind the p-values; 0 when there was nothing to flip."""
        return 0 if self._crossed is None or not np.any(self.y) else len(self._crossed)

    def look(self, table: Table, *, last: bool = False) -> None:
        """Take the next look. Settled slices stay as they are, and in the family.

        Args:
            table: all slices, the settled ones included.
            last: there will be no other, whatever was planned, for a reason that has nothing to do with the data.
        """
        self.taken += 1
        last = last or self.taken == self.plan.looks
        live = ~np.isin(self.standing, (Standing.REGRESSION, Standing.FUTILE))
        now = live | (not self.plan.drop)
        family = np.where(table.able, table.y, 0.0)
        self.y = np.where(now, family, self.y) if self.taken > 1 else family
        minima = self.flips.minima(self._weights(live))
        crossed = np.zeros(len(minima), dtype=np.bool_) if self._crossed is None else self._crossed
        level = self.plan.alpha if last else spent(self.plan.alpha, self.plan.looks)[self.taken - 1]
        found, self._crossed = boundary(minima, crossed, level)
        self.critical = found.critical_at(self.plan.alpha)
        self.looked[live], self.criticals[live] = self.taken, found.critical
        self.standing[live] = np.where(table.able[live], Standing.OPEN, Standing.OUTSIDE)
        self._judge(table, found, 1.0 if last else self.taken / self.plan.looks)

    def _weights(self, live: Flags) -> list[FloatArray]:
        """What is flipped: the slices that go on, and those that were settled.

        Means of more samples have lighter tails, so that flips of them reach further. A settled slice that stayed as
        it was would lend its share of the level to the others. So a part of it is flipped on its own: as much as brings
        its fourth cumulant to where those of the others have moved since.
        """
        norm = np.sqrt(np.sum(self.y * self.y, axis=0))
        weights = np.divide(self.y, norm, out=np.zeros_like(self.y), where=norm > 0.0)
        fourth = np.sum(weights**4, axis=0)
        self._fourth.append(fourth)
        if live.all() or not self.plan.drop:
            return [weights]
        common = np.ones(len(live))
        for position in np.flatnonzero(~live):
            common[position] = _common_part(self._fourth[self.looked[position] - 1], fourth, live)
        return [weights * np.sqrt(common), weights * np.sqrt(1.0 - common)]

    def _judge(self, table: Table, found: Boundary, share: float) -> None:
        statistic, judged = table.statistics(), self.open
        for position in np.flatnonzero(judged):
            if table.y[:, position].any():
                p = overall_level(found.p_value(statistic[position]), share)
                convicted = statistic[position] < -found.critical - TOLERANCE
                self.p[position] = min(p, self.plan.alpha) if convicted else p
            else:
                self.p[position] = 1.0
        fallen = judged & (self.p <= self.plan.alpha)
        self.standing[fallen] = Standing.REGRESSION
        if share >= 1.0:
            self.standing[judged & ~fallen] = Standing.LAST
            return
        quiet = judged & (self.p > max(self.plan.alpha, self.plan.suspect)) & ~self._promising(table, found, share)
        if self.plan.drop or np.array_equal(quiet, judged & ~fallen):
            self.standing[quiet] = Standing.FUTILE

    def _promising(self, table: Table, found: Boundary, share: float) -> Flags:
        """bool[S]: a fall, or in a watched slice a rise, is likely enough to show in the end."""
        statistic = table.statistics()
        # As long as nothing moved there are no flips to ask.
        final = found.critical_at(self.plan.alpha) if np.any(self.y) else normal_quantile(1.0 - self.plan.alpha)
        falls = chance(-statistic, share, final, design_drift(final)) >= self.plan.chance
        if not self.watched.any():
            return falls
        # A rise must leave 0 behind, not the margin.
        rise = statistic - table.margin * np.sqrt(table.units) / np.where(table.sd > 0.0, table.sd, np.inf)
        rises = (rise <= found.critical) & (chance(rise, share, final, rise / share**0.5) >= self.plan.chance)
        likely: Flags = falls | (self.watched & rises)
        return likely


def _common_part(then: FloatArray, now: FloatArray, live: Flags) -> float:
    """w in sqrt(w) A + sqrt(1 - w) B with A, B alike: w^2 + (1 - w)^2 is what is left of the fourth cumulant."""
    both = live & (then > 0.0) & (now > 0.0)
    left = float(np.median(now[both] / then[both])) if both.any() else 1.0
    return 0.5 + 0.5 * math.sqrt(max(0.0, 2.0 * min(1.0, left) - 1.0))
