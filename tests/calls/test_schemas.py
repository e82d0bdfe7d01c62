"""What a remote interface is sent, and what a grammar is made from."""

import json
from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gate.calls.endpoints import LARGER, PACKAGED, list_room, reply_limits, schema_with_bounds, schema_without_bounds
from gate.config.models import ModelRef
from gate.testgen.questions import REMARK_SCHEMA, TEXT_SCHEMA, choice_schema, list_schema, object_schema
from gate.testgen.specification.extraction import rules_schema

BOUNDS = ("minItems", "maxItems", "minLength", "maxLength", "prefixItems")


@st.composite
def schemas(draw: st.DrawFn, depth: int = 3) -> Mapping[str, Any]:
    """As the stages write them; properties may be named like a bound."""
    kinds = ("text", "word") if depth == 0 else ("text", "word", "list", "each", "object")
    kind = draw(st.sampled_from(kinds))
    if kind == "list":
        return list_schema(draw(schemas(depth=depth - 1)), least=draw(st.integers(0, 9)))
    if kind == "each":
        item = draw(schemas(depth=depth - 1))
        return list_schema(item, each=[item] * draw(st.integers(1, 4)))
    if kind == "object":
        names = draw(st.lists(st.sampled_from([*BOUNDS, "properties", "type", "a"]), unique=True, max_size=4))
        return object_schema({name: draw(schemas(depth=depth - 1)) for name in names})
    return choice_schema("minItems", "b") if kind == "word" else TEXT_SCHEMA


def bare(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same as its maker would write it without any bound."""
    if schema["type"] == "object":
        return object_schema({name: bare(inner) for name, inner in schema["properties"].items()})
    return list_schema(bare(schema["items"])) if schema["type"] == "array" else schema


@given(schemas())
def test_without_bounds_nothing_else_is_lost(schema: Mapping[str, Any]) -> None:
    before = json.dumps(schema)
    assert schema_without_bounds(dict(schema)) == bare(schema)
    assert json.dumps(schema) == before


@given(schemas())
def test_every_text_and_every_list_has_an_end(schema: Mapping[str, Any]) -> None:
    def ends(found: Any) -> bool:
        if found["type"] == "object":
            return all(map(ends, found["properties"].values()))
        if found["type"] == "array" and "prefixItems" in found:
            return "items" not in found and all(map(ends, found["prefixItems"]))
        if found["type"] == "array":
            return found.get("minItems", 0) <= found["maxItems"] and ends(found["items"])
        return "enum" in found or (found["minLength"], found["maxLength"]) == (1, PACKAGED.chars)

    assert ends(schema_with_bounds(dict(schema), PACKAGED))


BIG, TINY = ModelRef("local", "models/big-8b.gguf"), ModelRef("local", "gemma3-270m")


def test_a_larger_model_may_write_as_much_as_was_asked_for() -> None:
    """Any local model was cut to three rules, and to inputs of 160 characters."""
    assert (reply_limits(BIG), reply_limits(TINY)) == (LARGER, PACKAGED)
    rules: Any = schema_with_bounds(rules_schema(12), LARGER)
    assert rules["properties"]["rules"]["maxItems"] == 12
    text: Any = schema_with_bounds(dict(TEXT_SCHEMA), LARGER)
    assert text["maxLength"] >= 1_000
    remark: Any = schema_with_bounds(dict(REMARK_SCHEMA), LARGER)
    assert remark["maxLength"] == REMARK_SCHEMA["maxLength"]


def test_how_many_items_a_reply_has_room_for() -> None:
    assert [
        list_room(TINY),
        list_room(TINY, 12),
        list_room(BIG),
        list_room(BIG, 12),
        list_room(ModelRef("openai", "gpt-5"), 12),
    ] == [
        PACKAGED.items,
        PACKAGED.items,
        LARGER.items,
        12,
        None,
    ]
