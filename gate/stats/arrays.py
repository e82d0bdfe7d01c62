"""Units, slices and results: what the tests take and give."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]

TOLERANCE = 1e-9
"""Smaller differences than this count as none: means of thirds come out as -1e-17."""


def finite_vector(values: npt.ArrayLike, name: str) -> FloatArray:
    """`values` as float64[N]; raises ValueError where they are not one-dimensional, or not finite."""
    vector = np.asarray(values, dtype=np.float64)
    if vector.ndim != 1:
        raise ValueError(f"{name} must be a vector, not an array of {vector.ndim} dimensions.")
    bad = np.flatnonzero(~np.isfinite(vector))
    if len(bad):
        raise ValueError(f"{name} must be finite; entry {bad[0]} is {vector[bad[0]]}.")
    return vector


def unit_labels(n: int, clusters: npt.ArrayLike | None) -> IntArray:
    """Number the independent units 0, 1, …: each case for itself, or the clusters in the order of their labels;
    int64[n]."""
    if clusters is None:
        return np.arange(n, dtype=np.int64)
    return np.unique(np.asarray(clusters), return_inverse=True)[1].astype(np.int64)


BLOCKABLE_UNITS = 10
"""A slice with fewer independent units may warn, never block."""

CHANGED_FOR_ZERO_WIDTH = 6
"""2^-6 is the first power of a half below 2.5 %: fewer agreeing signs prove nothing."""


@dataclass(frozen=True, slots=True)
class UnitSums:
    """One slice, summed over its g units.

    Args:
        units: int[g], which units, ascending.
        sums: float[g], sum of the deltas of each unit.
        sizes: int[g], cases of each unit.
    """

    units: IntArray
    sums: FloatArray
    sizes: IntArray
    margin: float

    @property
    def n(self) -> int:
        return int(self.sizes.sum())

    @property
    def mean(self) -> float:
        """Mean delta of the cases; there must be some."""
        mean = float(self.sums.sum()) / self.n
        return 0.0 if abs(mean) < TOLERANCE else mean

    @property
    def changed(self) -> int:
        """Units whose deltas do not cancel to 0."""
        return int(np.count_nonzero(np.abs(self.sums) >= TOLERANCE))

    @property
    def blockable(self) -> bool:
        return len(self.units) >= BLOCKABLE_UNITS


def sum_slices(
    deltas: npt.ArrayLike,
    slices: Mapping[str, npt.ArrayLike],
    clusters: npt.ArrayLike | None,
    margin: float | Mapping[str, float],
) -> dict[str, UnitSums]:
    """Sum every slice over its units, in the order given.

    Args:
        deltas: float[N], candidate minus baseline.
        slices: name to positions in `deltas`, int[n], each at most once.
        clusters: int[N], equal labels are one unit; None when every case is its own.
        margin: tolerated drop, at least 0; one for all slices, or by name (others 0).
    """
    values = finite_vector(deltas, "deltas")
    labels = unit_labels(len(values), clusters)
    margins = margin if isinstance(margin, Mapping) else dict.fromkeys(slices, margin)
    return {
        name: _sum_units(values, labels, np.asarray(positions, dtype=np.int64), margins.get(name, 0.0))
        for name, positions in slices.items()
    }


def _sum_units(deltas: FloatArray, labels: IntArray, positions: IntArray, margin: float) -> UnitSums:
    units, index, sizes = np.unique(labels[positions], return_inverse=True, return_counts=True)
    sums = np.bincount(index, weights=deltas[positions], minlength=len(units)).astype(np.float64)
    return UnitSums(units, sums, sizes, margin)


@dataclass(frozen=True, slots=True)
class SliceResult:
    """The result of the test for one slice.

    Args:
        mean: mean delta of the cases; None when there are none.
        lower, upper: interval on the scale of `mean`; infinite where the data cannot bound it.
        p: one-sided, of a drop below the margin, adjusted for all slices tested; None where the slice is too small to
            block.
        blockable: at least 10 units, so that it belongs to the family.
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
        critical: how many standard errors a drop must measure, for planning; infinite where nothing could be shown.
        flips: sign flips behind the p-values; 0 when there was nothing to flip.
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


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure and its bounds, which may be infinite."""

    value: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Undefined:
    """No number."""

    reason: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its interval.

    Args:
        lower, upper: its bounds; the ends of what the figure can be at all where the data give none.
    """

    value: float
    lower: float
    upper: float
    units: int
