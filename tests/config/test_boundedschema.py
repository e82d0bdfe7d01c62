"""The bounded keywords agree with the library's, and stop at the limit of work."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema.validators import validator_for

from gate.config.json_schema import MatchingWork, TooSlow, bounded, schema_complaint
from gate.values import JsonValue

KEYS = st.sampled_from(["", "a", "ab", "b", "b\n", "a\nb"])
ATOMS = st.none() | st.booleans() | st.integers(-1, 2) | st.sampled_from([0.0, 1.0, 1.5, -0.0, 1e300]) | KEYS
VALUES = st.recursive(ATOMS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4))
PATTERNS = st.sampled_from(["^a", "b$", "^b$", "", "a.b", "^a$"])
TYPES = st.sampled_from([{"type": "integer"}, {"type": "string"}, {"type": "array"}, {}])
DRAFTS = st.sampled_from(["draft-04/schema#", "draft-06/schema#", "draft-07/schema#", "draft/2020-12/schema"])


@st.composite
def schemas(draw: st.DrawFn) -> dict[str, JsonValue]:
    inner: dict[str, JsonValue] = {
        "uniqueItems": draw(st.booleans()),
        "pattern": draw(PATTERNS),
        "properties": draw(st.dictionaries(KEYS, TYPES, max_size=2)),
        # The library takes an empty pattern for none where it looks for further properties; the drafts do not.
        "patternProperties": draw(st.dictionaries(PATTERNS.filter(bool), TYPES, max_size=2)),
        "additionalProperties": draw(st.booleans() | TYPES),
    }
    for key in draw(st.sets(st.sampled_from(sorted(inner)))):
        del inner[key]
    draft = draw(DRAFTS)
    scheme = "https" if "2020" in draft else "http"
    return {"$schema": f"{scheme}://json-schema.org/{draft}", **inner, "items": draw(st.just({}) | st.just(inner))}


@given(schemas(), VALUES)
def test_results_agree_with_the_library(schema: dict[str, JsonValue], value: JsonValue) -> None:
    assert schema_complaint(schema) == ""
    assert bounded(schema, MatchingWork()).is_valid(value) == validator_for(schema)(schema).is_valid(value)


def doubling(depth: int) -> dict[str, JsonValue]:
    parts: dict[str, JsonValue] = {f"a{i}": {"allOf": [{"$ref": f"#/$defs/a{i + 1}"}] * 2} for i in range(depth)}
    return {"$defs": {**parts, f"a{depth}": {}}, "$ref": "#/$defs/a0"}


def test_doubling_references_are_refused_when_the_schema_is_read() -> None:
    assert schema_complaint(doubling(3)) == ""
    assert "takes more than 20,000 steps" in schema_complaint(doubling(40))


EVIL = "^(a|b|ab)*[cd]$"
LONG = "ab" * 40


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"properties": {"a": doubling(40)["$defs"]["a0"]}, "$defs": doubling(40)["$defs"]}, {"a": 1}),
        ({"patternProperties": {EVIL: {}}}, {LONG: 1}),
        ({"patternProperties": {EVIL: {}}, "additionalProperties": False}, {LONG: 1}),
        ({"propertyNames": {"pattern": EVIL}}, {LONG: 1}),
        ({"patternProperties": {f"^{i}$": {} for i in range(1000)}}, dict.fromkeys(map(str, range(1000)), 1)),
        ({"items": {"allOf": [{"type": "integer"}] * 100}}, list(range(5000))),
        ({"unevaluatedItems": False, "prefixItems": [{}]}, list(range(20_000))),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#", "patternProperties": {EVIL: {"$ref": "#"}}},
            {LONG: 1},
        ),
        (
            # A reference to the root must not lead back to the library's own validator.
            {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "properties": {"a": {"$ref": "#"}},
                "patternProperties": {EVIL: {}},
            },
            {"a": {LONG: 1}},
        ),
    ],
    ids=range(9),
)
def test_endless_validation_is_stopped(schema: dict[str, JsonValue], value: JsonValue) -> None:
    with pytest.raises(TooSlow):
        list(bounded(schema, MatchingWork(steps=20_000, seconds=0.05)).iter_errors(value))


@pytest.mark.parametrize(
    "items",
    [[{"a": i} for i in range(5_000)], [i * (2**61 - 1) for i in range(5_000)], [[i] for i in range(5_000)]],
    ids=["objects", "numbers of one hash", "lists"],
)
def test_many_items_are_compared_in_one_pass(items: list[JsonValue]) -> None:
    validator = bounded({"uniqueItems": True}, MatchingWork(steps=10))
    assert validator.is_valid(items)
    assert not validator.is_valid([*items, items[7]])


@pytest.mark.parametrize(
    ("items", "unique"),
    [
        ([1, 1.0], False),
        ([1, True], True),
        ([0, False, None, ""], True),
        ([{"a": 1, "b": 2}, {"b": 2, "a": 1.0}], False),
    ],
)
def test_unique_items_follow_the_equality_of_json_schema(items: list[JsonValue], unique: bool) -> None:
    assert bounded({"uniqueItems": True}, MatchingWork()).is_valid(items) == unique


def test_anchors_stand_for_the_ends_of_the_text() -> None:
    assert not bounded({"pattern": "^[0-9]+$"}, MatchingWork()).is_valid("5\nand more")


def test_a_schema_in_an_answer_does_not_change_the_draft() -> None:
    schema: dict[str, JsonValue] = {"const": {"$schema": "http://json-schema.org/draft-07/schema#"}}
    assert bounded(schema, MatchingWork()).is_valid(
        json.loads('{"$schema": "http://json-schema.org/draft-07/schema#"}')
    )
