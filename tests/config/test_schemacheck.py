from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from gate.config.json_schema import schema_complaint
from gate.values import JsonValue


@pytest.mark.parametrize(
    ("schema", "complaint"),
    [
        ({"type": "objekt"}, "'objekt' is not valid under any of the given schemas (at type)"),
        ({"pattern": "("}, "'(' is not a 'regex' (at pattern)"),
        ({"$ref": "other.json"}, "the reference 'other.json' points outside the schema"),
        ({"$ref": "#"}, "it refers to itself endlessly"),
        (
            {"patternProperties": {"^a": {}}, "unevaluatedProperties": False},
            "unevaluatedProperties cannot be combined with patternProperties here",
        ),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)
def test_errors_are_reported(schema: dict[str, JsonValue], complaint: str) -> None:
    assert complaint in schema_complaint(schema)


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"$defs": {"tree": {"items": {"$ref": "#/$defs/tree"}}}, "$ref": "#/$defs/tree"},
        {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "integer"}]},
        {"$schema": "http://json-schema.org/draft-03/schema#", "extends": {"type": "any"}},
        {"properties": {f"p{i}": {"type": "string", "minLength": 1} for i in range(500)}},
    ],
    ids=["empty", "tree", "7", "3", "large"],
)
def test_good_schemas_pass(schema: dict[str, JsonValue]) -> None:
    assert schema_complaint(schema) == ""


@pytest.fixture
def listener() -> Iterator[tuple[str, list[str]]]:
    """An address, and the paths that were asked for there."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"bar": {}}')

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/x", asked
        server.shutdown()


@pytest.mark.threat("case-schema")
def test_an_id_inside_an_unknown_keyword_is_never_fetched(listener: tuple[str, list[str]]) -> None:
    address, asked = listener
    inner: JsonValue = {"allOf": [{"$id": address, "$ref": "#/bar"}]}
    assert "does not exist" in schema_complaint({"$ref": "#/foo", "foo": inner})
    assert asked == []
