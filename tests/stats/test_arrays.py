"""What is accepted as an array, and what the refusal says."""

import numpy as np
import pytest

from gate.stats.arrays import check_level, finite_vector, integer_vector, unit_labels


def test_a_list_becomes_a_float_vector() -> None:
    assert finite_vector([1, 2], "deltas").dtype == np.float64


def test_nan_is_named_with_its_place() -> None:
    with pytest.raises(ValueError, match=r"deltas must be finite; entry 1 is nan\."):
        finite_vector([0.0, float("nan")], "deltas")


def test_a_table_is_no_vector() -> None:
    with pytest.raises(ValueError, match="2 dimensions"):
        finite_vector([[1.0]], "deltas")


def test_an_empty_list_is_an_empty_integer_vector() -> None:
    assert integer_vector([], "slice").dtype == np.int64


@pytest.mark.parametrize("values", [[0.5], [True, False], ["a"], [[1]]])
def test_only_integers_are_positions(values: list[object]) -> None:
    with pytest.raises(ValueError, match="slice must be a vector of integers"):
        integer_vector(np.array(values), "slice")


def test_without_clusters_every_case_is_a_unit() -> None:
    assert unit_labels(3, None).tolist() == [0, 1, 2]


def test_clusters_are_numbered_from_zero() -> None:
    assert unit_labels(4, [7, -2, 7, 9]).tolist() == [1, 0, 1, 2]


def test_every_case_needs_a_cluster() -> None:
    with pytest.raises(ValueError, match="each of the 3 cases, not 2"):
        unit_labels(3, [1, 2])


@pytest.mark.parametrize("alpha", [0.0, 0.5, -1.0, float("nan")])
def test_a_level_is_one_sided(alpha: float) -> None:
    with pytest.raises(ValueError, match="one-sided level"):
        check_level(alpha)
