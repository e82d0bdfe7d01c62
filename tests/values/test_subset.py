"""When one JSON value is a part of another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.values import JsonValue, is_subset

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("part", "whole", "yes"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": None}, {}, False),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, True),
        ([1, {"a": 1}], [1, {"a": 1, "b": 2}], True),
        ([1], [1, 2], False),
        ([], {}, False),
        ("a", "ab", False),
    ],
)
def test_parts(part: JsonValue, whole: JsonValue, yes: bool) -> None:
    assert is_subset(part, whole) is yes


@given(VALUES)
def test_everything_is_a_part_of_itself(value: JsonValue) -> None:
    assert is_subset(value, value)


@given(st.dictionaries(st.text("ab", max_size=2), VALUES, max_size=3), st.text("cd", min_size=1, max_size=2), VALUES)
def test_more_entries_do_not_matter_and_fewer_do(value: dict[str, JsonValue], key: str, more: JsonValue) -> None:
    assert is_subset(value, {**value, key: more})
    assert not is_subset({**value, key: more}, value)
