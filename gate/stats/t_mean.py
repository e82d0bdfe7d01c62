"""Student's t for the mean of cases that come in units."""

import math
from dataclasses import dataclass

import numpy as np

from gate.stats.arrays import TOLERANCE
from gate.stats.slices import UnitSums
from gate.stats.student import t_cdf, t_quantile


@dataclass(frozen=True, slots=True)
class TMean:
    """A mean delta with its standard error, from the linearised sums of the units.

    (W. Gosset, Biometrika 6, 1908, 1-25; clusters of unequal size: W. Cochran, Sampling Techniques, 1977, section 9A.)

    Args:
        mean: mean delta of the cases.
        error: its standard error; 0 when the units do not vary.
        units: g; the degrees of freedom are g - 1.
        margin: tolerated fall.
    """

    mean: float
    error: float
    units: int
    margin: float

    @property
    def p(self) -> float:
        """One-sided, of a fall below the margin; without variation 0 or 1."""
        above = self.mean + self.margin
        if self.units < 2:
            return 1.0
        if self.error == 0.0:
            return 0.0 if above < -TOLERANCE else 1.0
        return t_cdf(above / self.error, self.units - 1)

    def bounds(self, level: float) -> tuple[float, float]:
        if self.units < 2:
            return -math.inf, math.inf
        half = t_quantile(1.0 - level, self.units - 1) * self.error
        return self.mean - half, self.mean + half


def t_mean(sums: UnitSums) -> TMean:
    """Estimate the mean of a slice that has cases."""
    g, mean = len(sums.units), sums.mean
    residuals = sums.sums - mean * sums.sizes
    error = math.sqrt(g / (g - 1) * float(np.sum(residuals * residuals))) / sums.n if g > 1 else 0.0
    return TMean(mean, error if error >= TOLERANCE else 0.0, g, sums.margin)
