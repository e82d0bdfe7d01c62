"""Published ratings whose coefficients are printed beside them."""

import numpy as np

from gate.stats.agreement import Ratings


def from_table(table: list[list[int]]) -> tuple[Ratings, Ratings]:
    """Two raters whose cross-table is given as counts."""
    pairs = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    both = np.array(pairs, dtype=float)
    return Ratings.of(both[:, :1]), Ratings.of(both[:, 1:])
