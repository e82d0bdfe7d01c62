"""The slices that a method looks at: read, checked, and summed over their independent units."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import TOLERANCE, FloatArray, IntArray, finite_vector, integer_vector, unit_labels

BLOCKABLE_UNITS = 10
"""A slice with fewer independent units may warn, never block."""

CHANGED_FOR_ZERO_WIDTH = 6
"""2^-6 is the first power of a half below 2.5 %: fewer signs that agree prove nothing."""


@dataclass(frozen=True, slots=True)
class UnitSums:
    """One slice, summed over its g units.

    Args:
        units: int[g], which units, ascending.
        sums: float[g], sum of the deltas of each unit.
        sizes: int[g], cases of each unit.
        margin: tolerated fall of the mean delta.
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
        clusters: int[N], cases with equal labels are one unit; None when every case is its own.
        margin: tolerated fall, at least 0; one for all slices, or by name (others 0).

    Raises:
        ValueError: NaN or infinite deltas, positions that are out of range or repeated, no slices at all, labels that
            do not fit, a margin outside its range.
    """
    values = finite_vector(deltas, "deltas")
    labels = unit_labels(len(values), clusters)
    margins = _margins(slices, margin)
    chosen = {name: _positions(name, positions, len(values)) for name, positions in slices.items()}
    return {name: _sum_units(values, labels, positions, margins[name]) for name, positions in chosen.items()}


def _sum_units(deltas: FloatArray, labels: IntArray, positions: IntArray, margin: float) -> UnitSums:
    units, index, sizes = np.unique(labels[positions], return_inverse=True, return_counts=True)
    sums = np.bincount(index, weights=deltas[positions], minlength=len(units)).astype(np.float64)
    return UnitSums(units, sums, sizes, margin)


def _positions(name: str, positions: npt.ArrayLike, n: int) -> IntArray:
    chosen = integer_vector(positions, f"slice {name!r}")
    outside = chosen[(chosen < 0) | (chosen >= n)]
    if len(outside):
        raise ValueError(f"slice {name!r} names case {outside[0]}, but there are {n} cases, counted from 0.")
    if len(np.unique(chosen)) != len(chosen):
        raise ValueError(f"slice {name!r} names a case twice.")
    return chosen


def _margins(slices: Mapping[str, npt.ArrayLike], margin: float | Mapping[str, float]) -> dict[str, float]:
    if not slices:
        raise ValueError("There must be at least one slice to test.")
    if not isinstance(margin, Mapping):
        margin = dict.fromkeys(slices, margin)
    if strangers := sorted(margin.keys() - slices.keys()):
        raise ValueError(f"margin names {strangers[0]!r}, which is not a slice.")
    if bad := sorted(name for name, value in margin.items() if not 0.0 <= value < math.inf):
        raise ValueError(f"the margin of slice {bad[0]!r} must be finite and at least 0, not {margin[bad[0]]}.")
    return {name: float(margin.get(name, 0.0)) for name in slices}
