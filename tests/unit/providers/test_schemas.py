"""What a remote interface is sent, and what a grammar is made from."""

import json
from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gate.domain.model import ModelRef
from gate.providers.schemas import LARGER, PACKAGED, bounded, limits_of, room, unbounded
from gate.testgen.frames import REMARK, TEXT, list_schema, object_schema, one_of
from gate.testgen.output_rules import rules_schema

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
    return one_of("minItems", "b") if kind == "word" else TEXT


def bare(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same as its maker would write it without any bound."""
    if schema["type"] == "object":
        return object_schema({name: bare(inner) for name, inner in schema["properties"].items()})
    return list_schema(bare(schema["items"])) if schema["type"] == "array" else schema


@given(schemas())
def test_without_bounds_nothing_else_is_lost(schema: Mapping[str, Any]) -> None:
    before = json.dumps(schema)
    assert unbounded(dict(schema)) == bare(schema)
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

    assert ends(bounded(dict(schema), PACKAGED))


def test_a_list_that_needs_more_items_gets_them() -> None:
    found: Any = bounded(list_schema(one_of("a"), least=PACKAGED.items + 2), PACKAGED)
    assert found["maxItems"] == PACKAGED.items + 2


BIG, TINY = ModelRef("local", "models/big-8b.gguf"), ModelRef("local", "gemma3-270m")


def test_a_larger_model_may_write_as_much_as_was_asked_for() -> None:
    """Any local model was cut to three rules, and to inputs of 160 characters."""
    assert (limits_of(BIG), limits_of(TINY)) == (LARGER, PACKAGED)
    rules: Any = bounded(rules_schema(12), LARGER)
    assert rules["properties"]["rules"]["maxItems"] == 12
    text: Any = bounded(dict(TEXT), LARGER)
    assert text["maxLength"] >= 1_000
    remark: Any = bounded(dict(REMARK), LARGER)
    assert remark["maxLength"] == REMARK["maxLength"]


def test_the_packaged_model_writes_short_remarks() -> None:
    """It filled each with 160 characters of nothing, at ten tokens in a second."""
    remark: Any = bounded(dict(REMARK), PACKAGED)
    assert remark["minLength"] < remark["maxLength"] <= 80


def test_how_many_items_a_reply_has_room_for() -> None:
    assert [room(TINY), room(TINY, 12), room(BIG), room(BIG, 12), room(ModelRef("openai", "gpt-5"), 12)] == [
        PACKAGED.items,
        PACKAGED.items,
        LARGER.items,
        12,
        None,
    ]
