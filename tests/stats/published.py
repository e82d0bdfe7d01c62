"""Published ratings whose coefficients are printed beside them."""

import numpy as np

from gate.stats.agreement import Ratings

_NONE = float("nan")

KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, _NONE, _NONE, _NONE],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _NONE, 3],
        [_NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _NONE],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _NONE],
    ]
).T
"""Four raters, twelve items, some missing: K. Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011, section
C; also the example of K. Gwet's Handbook of Inter-Rater Reliability."""

MEG_AND_OWEN = np.array([[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]], dtype=float).T
"""Section A of the same: alpha = 0.095."""

BEN_AND_GERRY = np.array([[ord(x) for x in "aabbdcccedda"], [ord(x) for x in "babbbcccedd" + "d"]], dtype=float).T
"""Section B of the same: alpha = 0.692."""


def ratings(table: np.ndarray) -> Ratings:
    """With NaN for what is missing."""
    return Ratings.of(table, ~np.isnan(table))


def from_table(table: list[list[int]]) -> tuple[Ratings, Ratings]:
    """Two raters whose cross-table is given as counts."""
    pairs = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    both = np.array(pairs, dtype=float)
    return Ratings.of(both[:, :1]), Ratings.of(both[:, 1:])
