"""How much of the level each look may use up, and the boundary that keeps to it, counted on the flips themselves."""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import TOLERANCE, FloatArray, check_level

Flags = npt.NDArray[np.bool_]

_NORMAL = NormalDist()


def spent(alpha: float, looks: int) -> tuple[float, ...]:
    """The level used up after each of the looks: 2 - 2 Phi(z(alpha / 2) / sqrt(t)) at the share t of the samples.

    Almost nothing at first and all of it at the end, as with the boundaries of O'Brien and Fleming: 0.0001, 0.006 and
    0.025 for three looks. (K. Lan and D. DeMets, Biometrika 70, 1983, 659-663.)

    Args:
        alpha: one-sided level in all, in (0, 0.5).
        looks: evenly spaced, 1 or more.

    Raises:
        ValueError: an argument outside its range.
    """
    check_level(alpha)
    if looks < 1:
        raise ValueError(f"looks must be at least 1, not {looks}.")
    z = _NORMAL.inv_cdf(1.0 - alpha / 2.0)
    early = (2.0 - 2.0 * _NORMAL.cdf(z / math.sqrt(look / looks)) for look in range(1, looks))
    return (*early, alpha)


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
    """What one look may convict, given what the looks before it did.

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
        """c such that statistics below -c are convicted; infinite when none could be."""
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


def boundary(minima: FloatArray, crossed: Flags, level: float) -> tuple[Boundary, Flags]:
    """The boundary of a look, and which flips have crossed by now.

    Args:
        minima: float[F], of each flip the smallest statistic at this look.
        crossed: bool[F], which flips crossed at an earlier look.
        level: may be spent by this look, the earlier ones included.
    """
    found = Boundary(level, np.sort(minima[~crossed]), int(np.count_nonzero(crossed)))
    return found, crossed | (minima < -found.critical - TOLERANCE)
