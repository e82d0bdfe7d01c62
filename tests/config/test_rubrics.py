"""Rubric files: valid ones, and every error with its line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.config.rubrics import Rubric, parse_rubric
from gate.errors import InputErrors
from tests.config.texts import errors

GOOD = """\
scale: [1, 5]
threshold: 3.5
dimensions:
  - name: brevity
    weight: 0.6
    description: One or two short
      sentences.
    anchors: {1: Five sentences., 5: "One."}
  - name: Tone!
    weight: 0.4
    description: Kind.
"""


def test_a_whole_rubric() -> None:
    rubric = Rubric.of(parse_rubric(GOOD, "r.yaml"))
    assert [(one.name, one.weight, one.description) for one in rubric.dimensions] == [
        ("brevity", 0.6, "One or two short sentences."),
        ("Tone!", 0.4, "Kind."),
    ]
    assert rubric.dimensions[0].anchors == ((1.0, "Five sentences."), (5.0, "One."))
    assert rubric.fields == ("brevity", "tone")
    assert rubric.mark == pytest.approx(0.625)
    assert rubric.score(rubric.share(3.5)) == 3.5


@pytest.mark.parametrize(
    ("low", "high", "grades"),
    [
        (1, 5, (1, 2, 3, 4, 5)),
        (-1, 1, (-1, 0, 1)),
        (0, 11, ()),
        (0, 0.5, ()),
    ],
)
def test_few_whole_steps_are_grades(low: float, high: float, grades: tuple[int, ...]) -> None:
    assert Rubric((), float(low), float(high)).grades == grades


LAUGHS = "a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 8)}]\n" for level in range(1, 12)
)
"""Few bytes that stand for billions of values."""


@pytest.mark.threat("multiplying")
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("weight: 0.4", "weight: 0.3", "r.yaml:3: dimensions has weights that sum to 0.9, not to 1"),
        ("    weight: 0.4\n", "", "r.yaml:3: dimensions has no weight for 'Tone!'"),
        (
            "description: Kind.",
            "description: ' '",
            "r.yaml:11: dimensions[1].description is blank (for example description: One or two",
        ),
        ("name: Tone!", "name: brevity", "r.yaml:9: dimensions[1] is the second dimension named 'brevity'"),
        ("scale: [1, 5]", "scale: [5, 1]", "r.yaml:1: scale must be two numbers, the lower one first, not [5, 1]"),
        ("{1: Five", "{0: Five", "r.yaml:8: dimensions[0].anchors.0 is outside the scale 1 to 5"),
        ("{1: Five", "{low: Five", "r.yaml:8: dimensions[0].anchors.low is not a score"),
        ("threshold: 3.5", "threshold: 5.5", "r.yaml:2: threshold must be a number above 1 to 5, not 5.5"),
        ("threshold: 3.5", "threshold: 1", "not 1 (at 1 and below every answer would pass)"),
        (GOOD, "scale: [1, 5]", "'dimensions' is missing"),
        (
            GOOD,
            "dimensions: [" + "{name: a, description: b}," * 31 + "]",
            "dimensions has more than 30 entries",
        ),
        ("scale: [1, 5]", LAUGHS + "scale: [1, 5]", "more than 20,000 values (split the file, or use fewer aliases)"),
    ],
)
def test_errors(old: str, new: str, said: str) -> None:
    assert old in GOOD
    assert said in errors(lambda: parse_rubric(GOOD.replace(old, new), "r.yaml"))


@given(st.text(max_size=200) | st.lists(st.sampled_from(GOOD.splitlines(keepends=True)), max_size=14).map("".join))
def test_any_text_is_a_rubric_or_an_error(text: str) -> None:
    try:
        rubric = Rubric.of(parse_rubric(text, "r.yaml"))
    except InputErrors:
        return
    assert sum(one.weight for one in rubric.dimensions) == pytest.approx(1)
    assert rubric.low < rubric.high
    assert 0 <= rubric.mark <= 1
    assert len(set(rubric.fields)) == len(rubric.dimensions)
