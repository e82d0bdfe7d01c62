"""Phrases that say how many."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.testgen.rules.sentences import LARGEST_NUMBER, Quantity, read_number, read_quantity


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("at most 80 words", None, 80),
        ("no more than eighty words", None, 80),
        ("up to 1,000 words", None, 1000),
        ("fewer than 80 words", None, 79),
        ("under 80 words", None, 79),
        ("80 words or fewer", None, 80),
        ("80 words at most", None, 80),
        ("at most 80 words or less", None, 80),
        ("at least twenty-five words", 25, None),
        ("more than one hundred words", 101, None),
        ("80 or more words", 80, None),
        ("multiple words", 2, None),
        ("between 10 and 20 words", 10, 20),
        ("10-20 words", 10, 20),
        ("ten to twenty words", 10, 20),
        ("at least 10 and at most 20 words", 10, 20),
        ("exactly 3 words", 3, 3),
        ("a single words", 1, 1),
        ("at most 0 words", None, 0),
        ("twenty-five words or fewer", None, 25),
        ("at least 10 words but no more than 20 words", 10, 20),
        ("at most 20 and at least 10 words", 10, 20),
        ("more than 10 but fewer than 20 words", 11, 19),
        ("one or two words", 1, 2),
        ("between 10 and 20 words, inclusive", 10, 20),
        ("two hundred words at most", None, 200),
        ("at most a dozen words", None, 12),
    ],
)
def test_bounds(text, low, high):
    assert read_quantity(text) == Quantity(low, high, "words")


def test_a_mere_number_is_bare():
    assert read_quantity("three words") == Quantity(3, 3, "words", bare=True)
    assert read_quantity("exactly three words") == Quantity(3, 3, "words")


@pytest.mark.parametrize(
    "text",
    [
        "between 80 and 20 words",
        "at least 0 words",
        "words",
        "about 80 words",
        "80",
        "several words",
        "1.5 words",
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


@given(st.integers(0, LARGEST_NUMBER))
def test_digits_are_read_with_separators_and_without(value):
    assert read_number(str(value)) == read_number(f"{value:,}") == value


@given(st.integers(0, LARGEST_NUMBER), st.integers(0, LARGEST_NUMBER))
def test_bounds_hold_what_they_name(low, high):
    found = read_quantity(f"between {low} and {high} words")
    assert found == (Quantity(low, high, "words") if low <= high else None)


def test_a_number_beyond_the_greatest_is_none():
    assert read_number(str(LARGEST_NUMBER + 1)) is None


@pytest.mark.parametrize("text", ["", "-1", "١٢", "1.0", "twenty-zero", "0x10"])
def test_no_number(text):
    assert read_number(text) is None


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        (None, 1, "at most 1 line"),
        (None, 2000, "at most 2,000 lines"),
        (1, 1, "exactly 1 line"),
        (2, None, "at least 2 lines"),
        (1, 3, "from 1 to 3 lines"),
    ],
)
def test_bounds_are_told(low, high, told):
    assert Quantity(low, high, "").told("line") == told
