"""What an agent called, and what it left in its database."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.cases.case import Case
from gate.config.scorer import parse_scorers
from gate.record.transcript import Observation, Score, ToolUse, Transcript, Turn, Unscored
from gate.scoring.interface import Subject
from gate.scoring.panel import validate
from gate.scoring.validators.tool_calls import holds_all
from gate.values import JsonValue


def use(name: str, arguments: str = "{}", *, failed: bool = False) -> ToolUse:
    return ToolUse(name, arguments, "no such flat" if failed else "ok", failed)


def scored(kind: str, options: JsonValue, transcript: Transcript | None) -> Score:
    (spec,) = parse_scorers([{kind: options}], "here")
    return validate(spec, Subject(Case("c"), "an answer", transcript=transcript))


def tools(options: JsonValue, *uses: ToolUse | str) -> Score:
    """What the scorer says of calls that are spread over two rounds."""
    calls = [use(one) if isinstance(one, str) else one for one in uses]
    half = len(calls) // 2
    turns = (Turn(0, "q", "case", "a", tuple(calls[:half])), Turn(1, "q", "case", "a", tuple(calls[half:])))
    return scored("tools", options, Transcript("s", turns))


@pytest.mark.parametrize(
    ("options", "calls", "reason"),
    [
        (["a", "b"], "ba", ""),
        (["a", "b"], "a", 'missing: "b" (called a)'),
        ({"any": ["a", "b"]}, "c", 'none of "a", "b" was called'),
        ({"in_order": ["a", "b"]}, "acb", ""),
        ({"in_order": ["a", "b"]}, "bca", 'not in order: "b" came too early'),
        ({"exact": ["a", "b", "a"]}, "aab", ""),
        ({"exact": ["a", "b"]}, "ac", 'missing: "b"; unexpected: "c"'),
        ({"forbidden": ["d"]}, "abc", ""),
        ({"forbidden": ["d"]}, "abd", 'forbidden: "d"'),
        ({"min_calls": 1}, "", "0 calls, fewer than 1 (called no tool)"),
        ({"max_calls": 2}, "aaa", "3 calls, more than 2 (called a x3)"),
    ],
)
def test_what_was_called_is_held_against_what_should_have_been(options: JsonValue, calls: str, reason: str) -> None:
    found = tools(options, *calls)
    assert found.value == (0.0 if reason else 1.0)
    assert reason in found.reason
    assert found.required


@pytest.mark.parametrize(
    ("options", "value"),
    [
        (["a"], 0.0),
        ({"in_order": ["a"]}, 0.0),
        ({"arguments": {"a": {"subset": {}}}}, 0.0),
        ({"forbidden": ["a"]}, 0.0),
        ({"max_calls": 0}, 0.0),
        ({"max_errors": 0}, 0.0),
        ({"max_calls": 1, "max_errors": 1, "forbidden": ["b"]}, 1.0),
    ],
)
def test_a_tool_that_is_not_there_is_not_called_and_still_not_wanted(options: JsonValue, value: float) -> None:
    found = tools(options, ToolUse("a", "{}", "there is no tool 'a'", failed=True, missing=True))
    assert (found.value, "called a (not there)" in found.reason) == (value, True)


def test_all_that_is_wrong_is_reported_at_once() -> None:
    found = tools({"all": ["a"], "forbidden": ["d"], "max_calls": 0}, "d")
    assert found.reason == 'missing: "a"; forbidden: "d"; 1 call, more than 0 (called d)'


FLAT: JsonValue = {"arguments": {"book": {"subset": {"flat": 3, "who": {"name": "Ann"}}}}}
TYPED: JsonValue = {
    "arguments": {"book": {"schema": {"required": ["flat"], "properties": {"flat": {"type": "integer"}}}}}
}


def book(arguments: object) -> ToolUse:
    return use("book", arguments if isinstance(arguments, str) else json.dumps(arguments))


def test_one_call_has_the_arguments() -> None:
    good = book({"flat": 3, "who": {"name": "Ann", "age": 9}, "days": [1]})
    assert tools(FLAT, book({"flat": 4}), good).value == 1.0
    for bad in ({"flat": 3}, {"flat": "3", "who": {"name": "Ann"}}, "no JSON", "[]", "", "[" * 5000):
        assert tools(FLAT, book(bad)).value == 0.0
    assert 'missing: "book"' in tools(FLAT, "a").reason


def test_all_calls_satisfy_the_schema() -> None:
    assert tools(TYPED, book({"flat": 3}), book({"flat": 4})).value == 1.0
    for bad in ({}, {"flat": "3"}, "no JSON"):
        assert tools(TYPED, book({"flat": 3}), book(bad)).value == 0.0


@pytest.mark.parametrize("options", [["a"], {"forbidden": ["a"]}, {"max_calls": 0}, {"max_errors": 0}])
def test_an_agent_that_does_not_say_what_it_calls_has_no_score(options: JsonValue) -> None:
    turns = (Turn(0, "q", "case", "a", (use("a"),)), Turn(1, "q", "case", "I deleted it.", tools_told=False))
    found = scored("tools", options, Transcript("s", turns)).value
    assert isinstance(found, Unscored)
    assert 'each answer needs "tools", which is [] if it called none' in found.reason


def test_no_conversation_is_no_failure() -> None:
    assert isinstance(scored("tools", ["a"], None).value, Unscored)
    assert isinstance(scored("database", {"url": "DB", "query": "SELECT 1", "rows": 1}, None).value, Unscored)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES, st.dictionaries(st.text(max_size=3), VALUES, max_size=3))
def test_everything_has_all_of_itself_and_more_keys_do_not_matter(value: JsonValue, more: dict[str, JsonValue]) -> None:
    assert holds_all(value, value)
    if isinstance(value, dict):
        assert holds_all({**more, **value}, value)
        assert not holds_all(value, {**value, "further": 1})


def seen(options: dict[str, JsonValue], *rows: tuple[JsonValue, ...], more: bool = False) -> Score:
    found = Observation("database", rows, more=more, columns=("a", "b"))
    return scored("database", {"url": "DB", **options}, Transcript("s", (), observations=(found,)))


QUERY: dict[str, JsonValue] = {"query": "SELECT 1"}
TALKS: JsonValue = {"table": "talks", "key": "id"}


@pytest.mark.parametrize(
    ("options", "rows", "value"),
    [
        ({"conversation": TALKS}, [(1,)], 1.0),
        ({"conversation": TALKS}, [(0,)], 0.0),
        ({"messages": TALKS}, [(2,)], 1.0),
        ({"messages": TALKS}, [(1,)], 0.0),
        ({"messages": {"table": "m", "key": "k", "min": 5}}, [(4,)], 0.0),
        ({**QUERY, "rows": 1}, [(1, 2)], 1.0),
        ({**QUERY, "rows": {"min": 2}}, [(1, 2)], 0.0),
        ({**QUERY, "equals": 3}, [(3,)], 1.0),
        ({**QUERY, "equals": True}, [(1,)], 1.0),
        ({**QUERY, "equals": [[1, 2]]}, [(1, 2)], 1.0),
        ({**QUERY, "match": {"b": 2}}, [(1, 1), (1, 2)], 1.0),
        ({**QUERY, "match": {"b": 3}}, [(1, 2)], 0.0),
        ({**QUERY, "match": {"b": {"x": 1}}}, [(1, '{"x": 1, "y": 2}')], 1.0),
    ],
    ids=str,
)
def test_what_was_found_is_held_against_what_should_be(
    options: dict[str, JsonValue], rows: list[tuple[JsonValue, ...]], value: float
) -> None:
    assert seen(options, *rows).value == value


def test_more_rows_than_are_kept_are_more_than_any_limit() -> None:
    found = seen({**QUERY, "rows": {"max": 500}}, (1, 2), more=True)
    assert (found.value, found.reason) == (0.0, "1 or more rows, more than 500")


def test_a_database_without_an_answer_is_no_failure_of_the_agent() -> None:
    gone = Transcript("s", (), observations=(Observation("database", None, "server closed"),))
    found = scored("database", {"url": "DB", **QUERY, "rows": 1}, gone)
    assert found.value == Unscored("the database query failed: server closed")
    assert isinstance(scored("database", {"url": "DB", **QUERY, "rows": 1}, Transcript("s", ())).value, Unscored)


def test_hostile_cells_are_reported_on_one_line_of_bounded_length() -> None:
    found = seen({**QUERY, "equals": 1}, ("\x1b[2J\n\0" + "x" * 2000,))
    assert found.value == 0.0
    assert found.reason.isprintable()
    assert len(found.reason) < 1000
    assert seen({**QUERY, "match": {"b": 1}}, (1, "{" * 100_000)).value == 0.0
