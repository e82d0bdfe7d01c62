"""Means of both arms over the cases that both have a figure for: a dimension of a rubric, or a single scorer."""

from dataclasses import dataclass

import numpy as np

from gate.domain.suite import Suite
from gate.engine.grid import Bools, Floats, Ints
from gate.engine.pairs import paired


@dataclass(frozen=True, slots=True)
class Means:
    """One figure, case by case.

    Args:
        positions: int[n], which cases of the exam these are.
        means: float[2, n], of both arms, each in [0, 1].
        compared: there are two arms; else both rows are of the same one.
    """

    positions: Ints
    means: Floats
    compared: bool

    def mean(self, arm: int) -> float | None:
        """Mean over the cases of one arm, 0 or 1; None where there is none."""
        known = self.positions.size and (arm == 1 or self.compared)
        return min(1.0, max(0.0, float(self.means[arm].mean()))) if known else None

    @property
    def delta(self) -> float | None:
        """Mean of `deltas`; None where nothing is compared."""
        return float(self.deltas.mean()) if self.compared and self.positions.size else None

    @property
    def deltas(self) -> Floats:
        """float[n], candidate minus baseline."""
        found: Floats = self.means[1] - self.means[0]
        return found


def means(suite: Suite, known: Bools, values: Floats) -> Means:
    """The means of a figure that samples have.

    Args:
        suite: whose samples they are.
        known: bool[2, N, k], which samples have it.
        values: float[2, N, k].
    """
    if suite.baseline is not None:
        return Means(*paired(values, known), compared=True)
    # There is one arm, which is paired with itself.
    return Means(*paired(np.stack([values[1], values[1]]), np.stack([known[1], known[1]])), compared=False)
