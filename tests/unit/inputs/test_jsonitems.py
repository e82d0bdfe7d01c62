"""A JSON list read item by item: the same values as the parser's, and the lines that they begin on."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gate.inputs.jsonitems import items, located
from gate.inputs.jsontext import BadJson
from gate.inputs.nodes import Node, plain

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)


def bad(text: str) -> tuple[int, str]:
    """Line and message of the mistake."""
    with pytest.raises(BadJson) as caught:
        list(items(text))
    return caught.value.line, caught.value.message


@settings(deadline=None, max_examples=75)
@given(st.lists(JSON, max_size=6), st.sampled_from([None, 0, 1, 3]), st.booleans())
@example([{"a": '}],"{['}, [], {}, ""], 2, True)
def test_every_item_is_what_the_parser_gives(values: list[object], indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(values, indent=indent, ensure_ascii=ascii_only)
    found = list(items(text))
    assert [item.value for item in found] == values
    for item in found:
        assert json.loads(text[item.start : item.end]) == item.value
        assert item.line == text.count("\n", 0, item.start) + 1
        node = located(text, item)
        assert plain(node) == item.value
        assert node.line == item.line


def test_every_value_knows_its_line() -> None:
    text = '[\n {"a": 1,\n  "b": [\n   2,\n   {"c"\n :\n 3}]},\n {}]'
    first, second = items(text)
    expected = {
        "a": Node(1, 2),
        "b": Node((Node(2, 4), Node({"c": Node(3, 5)}, 5)), 3),
    }
    assert located(text, first) == Node(expected, 2)
    assert located(text, second) == Node({}, 8)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "invalid JSON at column 1: Expecting value"),
        ("[\n", 2, "invalid JSON at column 1: Expecting value"),
        ("[1,\n2", 2, "invalid JSON at column 2: Expecting ',' delimiter"),
        ("[1\n 2]", 2, "invalid JSON at column 2: Expecting ',' delimiter"),
        ("[1,\n]", 2, "invalid JSON at column 1: Expecting value"),
        ("[1]\n\n x", 3, "invalid JSON at column 2: Extra data"),
        ("[]]", 1, "invalid JSON at column 3: Extra data"),
        ('[1,\n{"a": }]', 2, "invalid JSON at column 7: Expecting value"),
        ('[{"a": 1,\n"b": }]', 2, "invalid JSON at column 6: Expecting value"),
        ('{"a": 1}\n{"a": 2}', 2, "invalid JSON at column 1: Extra data"),
        ('[1,\n{"a": 1,\n"a": 2}]', 2, "the key 'a' is given twice"),
        ("[\n\n[NaN]]", 3, "NaN is not a JSON number"),
        ('["x",\n"\\ud800"]', 2, "half of a surrogate pair (\\ud800 to \\udfff) is not text"),
        ('["x",\n"\ud800"]', 2, "half of a surrogate pair (\\ud800 to \\udfff) is not text"),
        ("[1,\n" + "[" * 66 + "]" * 66 + "]", 2, "nested more than 64 levels deep"),
        ("[1,\n" + "[" * 200_000, 2, "nested more than 64 levels deep"),
    ],
)
def test_a_mistake_names_its_line(text: str, line: int, message: str) -> None:
    assert bad(text) == (line, message)


def test_what_stands_before_a_mistake_is_read() -> None:
    found = []
    with pytest.raises(BadJson):
        for item in items("[1, 2, x]"):
            found.append(item.value)
    assert found == [1, 2]


def test_one_object_is_its_own_only_item() -> None:
    assert [(item.value, item.line) for item in items('\n {"a": [1]}\n')] == [({"a": [1]}, 2)]
