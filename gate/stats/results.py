"""What every method says about the slices it looked at."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SliceResult:
    """What the test says about one slice.

    Args:
        n: cases.
        units: independent units, cases or clusters.
        mean: mean delta of the cases; None when there are none.
        lower, upper: interval on the scale of `mean`; infinite where the data cannot bound it.
        p: one-sided p-value of a fall below the margin, adjusted for all slices tested; None where the slice is too
            small to block.
        blockable: at least 10 units, so that the slice belongs to the family.
    """

    n: int
    units: int
    mean: float | None
    lower: float
    upper: float
    p: float | None
    blockable: bool


@dataclass(frozen=True, slots=True)
class JointResult(Mapping[str, SliceResult]):
    """Every slice, in the order given: a mapping from name to result.

    Args:
        slices: name to result.
        critical: for planning, how many standard errors a fall must measure. For the joint test the c of which a slice
            is below its margin when its statistic lies below -c: infinite when no statistic could reach the level, and
            when no slice of the family changed anywhere. For the other methods the normal quantile at the level that
            the slice with the largest p is held to.
        flips: sign flips behind the p-values; 0 when there was nothing to flip.
        family: how many slices were tested together.
    """

    slices: Mapping[str, SliceResult]
    critical: float
    flips: int
    family: int

    def __getitem__(self, name: str) -> SliceResult:
        return self.slices[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.slices)

    def __len__(self) -> int:
        return len(self.slices)


EMPTY = SliceResult(0, 0, None, -math.inf, math.inf, None, False)
"""A slice without cases."""
