"""McNemar's exact test: of the cases whose answer turned, did more turn wrong than right?"""

import math
from dataclasses import dataclass

import numpy as np

from gate.stats.beta import beta_quantile, incomplete_beta
from gate.stats.slices import UnitSums


@dataclass(frozen=True, slots=True)
class Discordant:
    """The cases of a slice that turned.

    If the change does nothing, each is as likely to turn wrong as right: a binomial test
    (Q. McNemar, Psychometrika 12, 1947, 153-157). The bounds are those of the share that turned wrong
    (C. Clopper and E. Pearson, Biometrika 26, 1934, 404-413), carried to the mean: given the number of cases that
    turned, the mean delta is their share of all cases times (1 - 2 share turned wrong).

    Args:
        wrong: cases with a delta of -1.
        right: cases with a delta of +1.
        n: cases.
    """

    wrong: int
    right: int
    n: int

    @property
    def p(self) -> float:
        """Probability that at least as many turn wrong."""
        return incomplete_beta(self.wrong, self.right + 1, 0.5, 0.5) if self.wrong else 1.0

    def bounds(self, level: float) -> tuple[float, float]:
        if self.wrong + self.right == 0:
            return -math.inf, math.inf
        return -self._furthest(self.right, level), self._furthest(self.wrong, level)

    def _furthest(self, turned: int, level: float) -> float:
        """The mean, away from the side that these cases turned to, if they are as many as luck allows."""
        discordant = self.wrong + self.right
        share = beta_quantile(level, turned, discordant - turned + 1) if turned else 0.0
        return discordant / self.n * (1.0 - 2.0 * share)


def discordant(sums: UnitSums) -> Discordant:
    """Count the cases that turned, of a slice whose units are single cases with deltas -1, 0 or 1."""
    turned = np.rint(sums.sums)
    return Discordant(int(np.count_nonzero(turned < 0)), int(np.count_nonzero(turned > 0)), sums.n)
