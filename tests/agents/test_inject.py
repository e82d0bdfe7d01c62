"""Arguments that the harness puts in."""

import json

import pytest

from gate.agents.conversation_tools import Injection
from gate.messages import Tool
from gate.values import JsonValue

INJECTION = Injection({"token": "s3cr3t", "user": "42", "share": "0.5"}, frozenset({"session_id"}))


def tool(required: list[str] | None = None, **properties: JsonValue) -> Tool:
    schema: dict[str, JsonValue] = {"type": "object", "properties": dict(properties), "title": "Args"}
    if required is not None:
        schema["required"] = [*required]
    return Tool("get", "Gets.", json.dumps(schema))


def test_what_is_put_in_is_not_told() -> None:
    told = INJECTION.hidden(tool(["token", "city"], token={}, city={"type": "string"}, session_id={}))
    assert told.parameters == {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "title": "Args",
        "required": ["city"],
    }


def test_a_tool_gets_what_it_takes_and_nothing_else() -> None:
    assert INJECTION.filled(tool(token={}, city={}), {"city": "Rome"}, "s1") == {"city": "Rome", "token": "s3cr3t"}
    assert INJECTION.filled(tool(session_id={}), {}, "s1") == {"session_id": "s1"}
    assert INJECTION.filled(tool(city={}), {"x": 1}, "s1") == {"x": 1}
    assert INJECTION.filled(Tool("get", "", '{"type": "object"}'), {}, "s1") == {}


@pytest.mark.parametrize(
    ("name", "schema", "value"),
    [
        ("user", {"type": "integer"}, 42),
        ("user", {"type": "string"}, "42"),
        ("share", {"type": "number"}, 0.5),
        ("share", {"type": "integer"}, "0.5"),
    ],
)
def test_a_number_is_given_as_one(name: str, schema: JsonValue, value: JsonValue) -> None:
    found = INJECTION.filled(tool(**{name: schema}), {}, "s1")[name]
    assert (found, type(found)) == (value, type(value))
