"""One slice as the joint test sees it: transformed sums of its units, their statistic, and the interval dual to it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gate.stats.arrays import TOLERANCE, FloatArray
from gate.stats.slices import CHANGED_FOR_ZERO_WIDTH, UnitSums

TIE_BREAK = 0.99
"""Deltas are multiples of 1/k and tie; any odd transform keeps the test exact, and this one parts the ties."""


@dataclass(frozen=True, slots=True)
class Column:
    """One slice as the test sees it, over its g units.

    Args:
        sums: the slice.
        x: float[g], sums of delta + margin.
        y: float[g], x after the transform that parts ties.
    """

    sums: UnitSums
    x: FloatArray
    y: FloatArray

    @property
    def moved(self) -> bool:
        """Some unit is not exactly at the margin; without one there is no statistic."""
        return bool(self.y.any())

    @property
    def statistic(self) -> float:
        """The studentised sum that the test decides on; something must have moved."""
        return float(self.y.sum()) / math.sqrt(np.sum(self.y**2))

    def interval(self, critical: float, alpha: float) -> tuple[float, float]:
        """Bounds of the mean delta: computed on y, whose sign the test decides on, and carried back.

        Args:
            critical: c, where the test rejects a statistic below -c.
            alpha: the level of c; it counts only where all units moved alike.
        """
        n, g = self.sums.n, len(self.y)
        reach = critical + TOLERANCE  # a tie with the critical value is no rejection
        if reach * reach >= g or not self.moved:
            return -math.inf, math.inf
        centre = float(self.y.mean())
        half = reach * math.sqrt((g - 1) / (g - reach * reach)) * float(self.y.std(ddof=1)) / math.sqrt(g)
        if half < TOLERANCE:
            if self.sums.changed < CHANGED_FOR_ZERO_WIDTH:
                return -math.inf, math.inf
            half = 2.0 * abs(centre) * (1.0 - _share_alike(g, reach, alpha))
        mean = float(self.x.sum()) / n
        # Units per case, and the stretch of the transform: y times this is x again, on average.
        scale = float(np.abs(self.x).sum() / np.abs(self.y).sum()) * g / n
        return (
            _carry_back(centre - half, centre, mean, scale) - self.sums.margin,
            _carry_back(centre + half, centre, mean, scale) - self.sums.margin,
        )


def _share_alike(g: int, reach: float, alpha: float) -> float:
    """Where all g units moved alike: the share of all units that do so at the least, above one half.

    Equal units show no spread, and that is no proof that there is none: further ones may move as far the other way. The
    exact bound of a share (C. Clopper and E. Pearson, Biometrika 26, 1934, 404-413) allows for that, but knows nothing
    of other slices; the one that inverts the score test (E. Wilson, JASA 22, 1927, 209-212) takes the critical value of
    all of them, but is too sure of few units. The lower of the two holds alone and together with others. Either is
    above one half where the test rejects, so the interval still excludes zero where it does.
    """
    score = g / (g + reach * reach)
    exact = float(alpha ** (1.0 / g))
    # Random flips may reject a little beyond what is exact.
    return min(score, exact) if exact > 0.5 else score


def column_of(sums: UnitSums) -> Column:
    """Add the margin, drop rounding errors, part the ties."""
    x = sums.sums + sums.margin * sums.sizes
    x[np.abs(x) < TOLERANCE] = 0.0
    return Column(sums, x, np.sign(x) * np.abs(x) ** TIE_BREAK)


def spread(family: Sequence[Column], units: int) -> FloatArray:
    """float[U, S] over all units, numbered as in the slices."""
    y = np.zeros((units, len(family)))
    for position, column in enumerate(family):
        y[column.sums.units, position] = column.y
    return y


def stacked(family: Sequence[Column]) -> FloatArray:
    """float[U, S] over the units that are in some slice of the family."""
    if not family:
        return np.empty((0, 0))
    units = np.unique(np.concatenate([column.sums.units for column in family]))
    y = np.zeros((len(units), len(family)))
    for position, column in enumerate(family):
        y[np.searchsorted(units, column.sums.units), position] = column.y
    return y


def _carry_back(bound: float, centre: float, mean: float, scale: float) -> float:
    """Measure a bound on y from the mean delta, unless that would move it across zero, where the verdict lies."""
    carried = mean + scale * (bound - centre)
    return carried if carried * bound > 0.0 else scale * bound
