"""What part of a total is of one kind, such as the input tokens that came from a prompt cache."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import FloatArray, finite_vector, unit_labels
from gate.stats.ratio import half_width


@dataclass(frozen=True, slots=True)
class Share:
    """A share, or the difference of two; 0.7 is 70 %, or 70 percentage points.

    Args:
        value: the estimate.
        lower, upper: its interval; infinite with fewer than 2 units.
    """

    value: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Parts:
    """The part and the whole of each case, in one unit.

    Args:
        part: float[N], at least 0 and at most the whole.
        whole: float[N], above 0 for at least one case.

    Raises:
        ValueError: unequal lengths, no cases, numbers out of range.
    """

    part: FloatArray
    whole: FloatArray

    def __post_init__(self) -> None:
        part, whole = finite_vector(self.part, "part"), finite_vector(self.whole, "whole")
        if len(part) != len(whole):
            raise ValueError(f"part and whole must hold the same cases, not {len(part)} and {len(whole)}.")
        if len(part) == 0 or whole.max() <= 0.0:
            raise ValueError("There must be at least one case whose whole is above 0.")
        if part.min() < 0.0 or np.any(part > whole):
            raise ValueError("A part must lie between 0 and its whole.")

    @property
    def share(self) -> float:
        """All parts over all wholes."""
        return float(np.sum(self.part) / np.sum(self.whole))

    @property
    def residuals(self) -> FloatArray:
        """float[N], the share linearised over the cases; they sum to 0."""
        values: FloatArray = (self.part - self.share * self.whole) / float(np.mean(self.whole))
        return values


def share(parts: Parts, *, alpha: float = 0.025, clusters: npt.ArrayLike | None = None) -> Share:
    """A ratio of sums with a t interval on its linearised per-case values, cut to [0, 1].

    (W. Cochran, Sampling Techniques, 1977, section 6.3; clusters: section 9A.) The interval has no width when the
    share is the same in every case, for then the data show no variation.

    Args:
        parts: of the cases.
        alpha: one-sided level of each bound.
        clusters: int[N], cases with equal labels are one unit; None when every case is its own.

    Raises:
        ValueError: a level or labels out of range.
    """
    half = half_width(parts.residuals, unit_labels(len(parts.part), clusters), alpha)
    value = parts.share
    if half == math.inf:
        return Share(value, -math.inf, math.inf)
    return Share(value, max(0.0, value - half), min(1.0, value + half))


def share_change(
    baseline: Parts, candidate: Parts, *, alpha: float = 0.025, clusters: npt.ArrayLike | None = None
) -> Share:
    """The share of the candidate minus that of the baseline, over the same cases; the interval is cut to [-1, 1].

    Args:
        baseline, candidate: of the same N cases, in the same order.
        alpha: one-sided level of each bound.
        clusters: as in `share`.

    Raises:
        ValueError: unequal lengths, a level or labels out of range.
    """
    n = len(baseline.part)
    if len(candidate.part) != n:
        raise ValueError(f"Both arms must hold the same cases, not {n} and {len(candidate.part)}.")
    half = half_width(candidate.residuals - baseline.residuals, unit_labels(n, clusters), alpha)
    value = candidate.share - baseline.share
    if half == math.inf:
        return Share(value, -math.inf, math.inf)
    return Share(value, max(-1.0, value - half), min(1.0, value + half))
