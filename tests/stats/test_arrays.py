"""Numbers that are none, and clusters."""

import pytest

from gate.stats.arrays import finite_vector, unit_labels


def test_nan_is_named_with_its_place() -> None:
    with pytest.raises(ValueError, match=r"deltas must be finite; entry 1 is nan\."):
        finite_vector([0.0, float("nan")], "deltas")


def test_clusters_are_numbered_from_zero() -> None:
    assert unit_labels(4, [7, -2, 7, 9]).tolist() == [1, 0, 1, 2]
