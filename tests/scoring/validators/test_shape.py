import pytest

from tests.scoring.validators.scored import score


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("{}", 1.0), (" [1, 2]\n", 1.0), ('"text"', 1.0), ("{'a': 1}", 0.0), ("", 0.0), ("Here: {}", 0.0), ("NaN", 0.0)],
)
def test_json(answer: str, expected: float) -> None:
    assert score("json", answer) == expected


def test_a_fence_around_json_is_allowed_unless_it_is_not() -> None:
    fenced = "```json\n{}\n```"
    assert score("json", fenced) == 1.0
    assert score({"json": {"fence": False}}, fenced) == 0.0
