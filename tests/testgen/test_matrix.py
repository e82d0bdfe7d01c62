"""The model matrix: which rows it has, in which order, and what its cells count."""

from gate.stats.intervals import rate_difference
from gate.testgen.evaluation.matrix import contrasts, group_matrix
from gate.testgen.evaluation.metrics import Tally
from tests.testgen.rows import rows

SEVERAL = [
    *rows("vc", "rule", "big"), *rows("vv", "inverse", "big"), *rows("cc?", "control", "big"),
    *rows("vv", "rule", "small"), *rows("v-", "inverse", "small"), *rows("ccv", "control", "small"),
]  # fmt: skip


def test_groups_of_tests_against_models() -> None:
    found = group_matrix(SEVERAL)
    assert found.models == ("big", "small") and found.corner == "tests" and found.source == "judge"
    assert [row.name for row in found.rows] == ["rules", "inverse", "rules + inverse", "control", "all"]
    assert found.rows[2].cells == (Tally(3, 1, 0, 0, 4), Tally(3, 0, 0, 1, 3))
    assert found.rows[3].cells == (Tally(0, 2, 1, 0, 2), Tally(1, 2, 0, 0, 3))


def test_a_group_without_tests_is_no_row() -> None:
    assert [row.name for row in group_matrix(rows("v", "control")).rows] == ["control"]
    assert [row.name for row in group_matrix(rows("v", "inverse")).rows] == ["inverse"]
    two = group_matrix([*rows("v", "rule"), *rows("v", "control")])
    assert [row.name for row in two.rows] == ["rules", "control", "all"]


def test_contrasts_model_by_model() -> None:
    first, second = contrasts(SEVERAL)
    assert first.name == "rules + inverse minus control" and second.name == "inverse minus rules"
    assert dict(first.differences)["big"] == rate_difference((3, 4), (0, 2))
    assert dict(second.differences)["small"] == rate_difference((1, 1), (2, 2))
    assert contrasts(rows("vc", "control")) == ()
