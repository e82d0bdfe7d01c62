"""What the statistics accept: finite vectors, and the labels that say which cases belong together."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]

TOLERANCE = 1e-9
"""Means of thirds come out as -1e-17: smaller differences than this are none."""


def finite_vector(values: npt.ArrayLike, name: str) -> FloatArray:
    """Return `values` as float64[N].

    Args:
        values: anything that numpy reads as a vector of numbers.
        name: what the error calls it.

    Raises:
        ValueError: not one-dimensional, or NaN or infinite somewhere.
    """
    vector = np.asarray(values, dtype=np.float64)
    if vector.ndim != 1:
        raise ValueError(f"{name} must be a vector, not an array of {vector.ndim} dimensions.")
    bad = np.flatnonzero(~np.isfinite(vector))
    if len(bad):
        raise ValueError(f"{name} must be finite; entry {bad[0]} is {vector[bad[0]]}.")
    return vector


def integer_vector(values: npt.ArrayLike, name: str) -> IntArray:
    """Return `values` as int64[N]; an empty list is an empty vector.

    Raises:
        ValueError: not one-dimensional, or not integers.
    """
    vector = np.asarray(values)
    if vector.ndim != 1 or (len(vector) and vector.dtype.kind not in "iu"):
        raise ValueError(f"{name} must be a vector of integers.")
    return vector.astype(np.int64)


def unit_labels(n: int, clusters: npt.ArrayLike | None) -> IntArray:
    """Number the independent units 0, 1, …: each case for itself, or the clusters in the order of their labels.

    Args:
        n: number of cases.
        clusters: int[n], cases with equal labels are variants of one source; None when all cases are independent.

    Returns:
        int64[n], the unit of each case.

    Raises:
        ValueError: not one integer label for each case.
    """
    if clusters is None:
        return np.arange(n, dtype=np.int64)
    labels = integer_vector(clusters, "clusters")
    if len(labels) != n:
        raise ValueError(f"clusters must hold one label for each of the {n} cases, not {len(labels)}.")
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def check_level(alpha: float) -> None:
    """Refuse a one-sided level that is not in (0, 0.5).

    Raises:
        ValueError: with the value given.
    """
    if not 0.0 < alpha < 0.5:
        raise ValueError(f"alpha is a one-sided level and must lie between 0 and 0.5, not {alpha}.")
