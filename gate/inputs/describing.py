"""Puts descriptions into JSON Schemas, for editors to show."""

from functools import cache
from importlib import resources

from gate.domain.jsonvalue import JsonValue
from gate.inputs.nodes import plain
from gate.inputs.problems import Problems
from gate.inputs.schemaparts import Schema
from gate.inputs.yamltext import parse_yaml

FILE = "descriptions.yaml"


def described_schema(schema: Schema, root: str = "") -> Schema:
    """The same schema, with a description for each key that has one.

    Args:
        schema: of a file; stays as it is.
        root: goes before the path of each key.
    """
    found = _described(schema, tuple(filter(None, (root,))))
    return found if isinstance(found, dict) else schema


def description_of(path: tuple[str, ...]) -> str:
    """What stands for the longest ending of a key's path; empty where nothing does."""
    known = descriptions()
    return next((known[name] for at in range(len(path)) if (name := ".".join(path[at:])) in known), "")


@cache
def descriptions() -> dict[str, str]:
    """All of them, by the ending of a path with dots."""
    problems = Problems(FILE)
    root = parse_yaml(resources.files("gate.inputs").joinpath(FILE).read_text(encoding="utf-8"), problems)
    problems.check()
    found = plain(root) if root is not None else None
    return {key: str(value) for key, value in found.items()} if isinstance(found, dict) else {}


def _described(node: JsonValue, path: tuple[str, ...]) -> JsonValue:
    if isinstance(node, list):
        return [_described(one, path) for one in node]
    if not isinstance(node, dict):
        return node
    return {key: _properties(value, path) if key == "properties" else _inside(key, value, path)
            for key, value in node.items()}  # fmt: skip


def _inside(key: str, value: JsonValue, path: tuple[str, ...]) -> JsonValue:
    # What these hold are values of a file, and no schemas.
    return value if key in ("const", "enum", "default", "examples", "required") else _described(value, path)


def _properties(properties: JsonValue, path: tuple[str, ...]) -> JsonValue:
    if not isinstance(properties, dict):
        return properties
    found: dict[str, JsonValue] = {}
    for key, value in properties.items():
        inner = _described(value, (*path, key))
        words = description_of((*path, key))
        found[key] = {"description": words, **inner} if words and isinstance(inner, dict) else inner
    return found
