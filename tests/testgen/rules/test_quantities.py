"""Phrases that say how many."""

import pytest

from gate.testgen.rules.sentences import Quantity, read_quantity


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("at most 80 words", None, 80),
        ("up to 1,000 words", None, 1000),
        ("fewer than 80 words", None, 79),
        ("at least twenty-five words", 25, None),
        ("between 10 and 20 words", 10, 20),
        ("exactly 3 words", 3, 3),
        ("at least 10 words but no more than 20 words", 10, 20),
        ("one or two words", 1, 2),
        ("between 10 and 20 words, inclusive", 10, 20),
    ],
)
def test_bounds(text, low, high):
    assert read_quantity(text) == Quantity(low, high, "words")


@pytest.mark.parametrize(
    "text",
    [
        "between 80 and 20 words",
        "at least 0 words",
        "about 80 words",
        "two or five words",
        "at most 99999999 words",
    ],
)
def test_no_quantity(text):
    assert read_quantity(text) is None


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("more than 2 words", None, 2), ("fewer than 3 words", 3, None), ("at most 4 words", 5, None)],
)
def test_the_opposite_of_one_bound_is_the_other(text, low, high):
    found = read_quantity(text)
    assert found is not None
    assert found.opposite() == Quantity(low, high, "words")


def test_of_a_range_and_of_a_bound_that_all_keep_there_is_no_opposite():
    assert Quantity(2, 3, "words").opposite() is None
    assert Quantity(3, 3, "words").opposite() is None
    assert Quantity(0, None, "words").opposite() is None
