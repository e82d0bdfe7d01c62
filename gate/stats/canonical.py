"""An order and a sign for each unit that depend on neither the order of the input nor the names of the arms.

A random sign flip of a row and of its negative have the same distribution, so each row may be replaced by a
representative of the two. With that, and with an order that only looks at the representatives, the random flips meet
the same numbers after the cases are permuted, the slices renamed or rearranged, or the arms swapped.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import FloatArray, IntArray

Hashes: TypeAlias = npt.NDArray[np.uint64]

_RESOLUTION = 2.0**30  # of the largest value; coarser than the rounding of sums, so that equals stay equal


def canonical_rows(looks: Sequence[FloatArray]) -> tuple[IntArray, FloatArray]:
    """Sort the units, and give each the sign of its representative.

    The first look decides; later ones part only those that were alike until then, and could have traded places without
    a trace. So a look says the same whatever comes after it.

    Args:
        looks: float[U, S] each, the same units at every look; not all zero, its columns pairwise different.

    Returns:
        order: int[U], positions of the rows in canonical order; only equal representatives may trade places.
        lead: float[U], +1 or -1 for each row; `y * lead[:, None]` holds the representatives.
    """
    keys: list[Hashes] = []
    lead = np.zeros(len(looks[0]))
    for y in looks:
        ahead, behind = _colours(y)
        undecided = lead == 0.0
        keys.append(np.where(undecided, np.maximum(ahead, behind), np.where(lead > 0.0, ahead, behind)))
        sign = np.where(ahead > behind, 1.0, np.where(ahead < behind, -1.0, 0.0))
        lead = np.where(undecided, sign, lead)
    return np.lexsort(keys[::-1]), np.where(lead == 0.0, 1.0, lead)


def _colours(y: FloatArray) -> tuple[Hashes, Hashes]:
    """The colour of each row as it stands, and with its signs turned."""
    there = np.rint(y / np.abs(y).max() * _RESOLUTION).astype(np.int64).view(np.uint64)
    back = np.negative(there)
    columns = _column_colours(there, back)
    return _row_colours(there, columns), _row_colours(back, columns)


def _column_colours(there: Hashes, back: Hashes) -> Hashes:
    """Tell the columns apart by their content alone.

    Colour refinement, the usual way to a canonical form: rows are coloured by the values they hold in which columns,
    columns by the values they hold in which rows, until nothing more can be told apart. Each row is seen `there` and
    `back`, with its signs turned, and both count alike. Columns that still look alike are then mirror images in all but
    contrived layouts, so that it does not matter which one is singled out before refining on.
    (B. Weisfeiler and A. Leman, 1968; wrapping sums of hashes stand for multisets.)
    """
    columns = np.zeros(there.shape[1], dtype=np.uint64)
    classes = 0
    while True:
        ahead, behind = _row_colours(there, columns), _row_colours(back, columns)
        seen = _mix(there + ahead[:, None]) + _mix(back + behind[:, None])
        columns = _mix(seen.sum(axis=0, dtype=np.uint64) + columns)
        colours, counts = np.unique(columns, return_counts=True)
        if len(colours) == len(columns):
            return columns
        found = len(colours) + len(np.unique(ahead + behind))
        if found == classes:
            special = np.flatnonzero(columns == colours[counts > 1][0])[:1]
            columns[special] = _mix(columns[special])
        classes = found


def _row_colours(q: Hashes, columns: Hashes) -> Hashes:
    return _mix(_mix(_mix(q) + columns).sum(axis=1, dtype=np.uint64))


def _mix(values: Hashes) -> Hashes:
    """Scatter 64-bit integers (the finaliser of SplitMix64: Steele, Lea and Flood 2014)."""
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
