import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.config.values import BadPath, look_up, parse_path, written
from gate.scoring.validators.json_answers import same_json
from gate.values import JsonValue
from tests.scoring.validators.scored import score

ANSWER = '{"a": {"b c": [10, {"d": null}]}, "n": 1.0, "yes": true}'


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"path": "$.a['b c'][0]", "equals": 10}, 1.0),
        ({"path": "$.a['b c'][0]", "equals": 11}, 0.0),
        ({"path": "$.a['b c'][0]", "equals": "10"}, 0.0),
        ({"path": "n", "equals": 1}, 1.0),
        ({"path": "$.yes", "equals": 1}, 0.0),
        ({"path": "$.yes", "equals": True}, 1.0),
        ({"path": "$.a['b c'][-1].d", "one_of": [None, 3]}, 1.0),
        ({"path": "$.n", "one_of": [2, 3]}, 0.0),
        ({"path": "$.a", "equals": {"b c": [10, {"d": None}]}}, 1.0),
        ({"path": "$.a['b c'][2]"}, 0.0),
        ({"path": "$.a['b c'][-2]", "equals": 10}, 1.0),
        ({"path": "$.a['b c'][-3]"}, 0.0),
        ({"path": "$.a['b c'][1].d"}, 1.0),
        ({"path": "$.x", "exists": False}, 1.0),
        ({"path": "$.n", "exists": False}, 0.0),
        ({"path": "$.n.m"}, 0.0),
        ({"path": "$.a[0]"}, 0.0),
    ],
)
def test_values(options: JsonValue, expected: float) -> None:
    assert score({"json_path": options}, ANSWER) == expected
    assert score({"json_path": options}, f"```json\n{ANSWER}\n```") == expected


def test_what_is_no_json_fails_even_where_a_path_must_not_exist() -> None:
    assert score({"json_path": {"path": "$.a", "exists": False}}, "no JSON") == 0.0


@pytest.mark.parametrize("expected", [10, "ten", True, [1, {"a": 2}], {"b": 1}])
def test_the_expected_value_is_compared_as_json(expected: JsonValue) -> None:
    written: JsonValue = {"json_path": {"path": "$.v", "equals": "{{ expected }}"}}
    assert score(written, json.dumps({"v": expected}), expected) == 1.0
    assert score(written, json.dumps({"v": str(expected) + "!"}), expected) == 0.0


def test_letters_that_look_the_same_are_the_same() -> None:
    answer = json.dumps({"city": ["Orle\u0301ans"]})
    assert score({"json_path": {"path": "city", "equals": ["Orl\u00e9ans"]}}, answer) == 1.0
    assert score({"json_path": {"path": "city[0]", "one_of": ["Paris", "Orl\u00e9ans"]}}, answer) == 1.0
    assert score({"json_path": {"path": "city[0]", "equals": "Orleans"}}, answer) == 0.0


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("$", ()),
        ("$.a.b", ("a", "b")),
        ("a.b", ("a", "b")),
        ("[0]['x']", (0, "x")),
        ("$['it\\'s']", ("it's",)),
        ("$['say \"hi\"']", ('say "hi"',)),
        ('$["\\u00e4"]', ("ä",)),
        ("$.größe[-2]", ("größe", -2)),
        ("$ .a [ 1 ]", ("a", 1)),
    ],
)
def test_paths(text: str, path: tuple[str | int, ...]) -> None:
    assert parse_path(text) == path


@pytest.mark.parametrize(
    "text", ["$.*", "$..a", "$[*]", "$[1:2]", "$[:]", "$[0,1]", "$['a','b']", "$[?@.a]", "$.a[?@>1]"]
)
def test_paths_to_several_values_are_refused(text: str) -> None:
    with pytest.raises(BadPath, match=r"is not \.name"):
        parse_path(text)


@pytest.mark.parametrize("text", ["$.", "$a b", "$[01]", "$[-0]", "$['a]", "$.1a", "$['\\x']", "$.a" * 65, "{{ x }}"])
def test_what_is_no_path_is_refused(text: str) -> None:
    with pytest.raises(BadPath):
        parse_path(text)


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=5) | st.integers(-3, 3), max_size=5))
def test_a_path_leads_to_what_was_put_there(steps: list[str | int]) -> None:
    value: JsonValue = "treasure"
    for step in reversed(steps):
        value = {step: value} if isinstance(step, str) else [value] * 5
    text = "$" + "".join(f"[{json.dumps(step)}]" for step in steps)
    assert look_up(parse_path(text), value) == "treasure"
    assert parse_path(text) == tuple(steps)
    assert written(tuple(steps)).startswith("$")


def test_equality_of_json() -> None:
    assert same_json([1, {"a": 2.0}], [1.0, {"a": 2}])
    assert not same_json([True], [1])
    assert not same_json({"a": 1}, {"a": 1, "b": 2})
    assert not same_json([], {})
    assert not same_json("1", 1)
    assert same_json(None, None)
