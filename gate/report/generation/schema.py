"""The JSON Schema of `generation.json`, taken from the very types that are written."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from gate.domain.jsonvalue import JsonValue
from gate.domain.promptspec import GeneratedTest, Specification
from gate.report.generation.as_json import FIGURES, SCHEMA
from gate.testgen.diversity import Lengths
from gate.testgen.outcomes import Row

_PLAIN: Mapping[Any, str] = {str: "string", bool: "boolean", int: "integer", float: "number", NoneType: "null"}
_TEXT: dict[str, JsonValue] = {"type": "string"}
_COUNT: dict[str, JsonValue] = {"type": "integer", "minimum": 0}
_SHARE: dict[str, JsonValue] = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
_MAYBE: tuple[str, ...] = ("evaluation",)


def generation_schema() -> dict[str, JsonValue]:
    """Draft 2020-12; a fresh copy that the caller may change."""
    test = schema_of(GeneratedTest)
    figures = {**dict.fromkeys(FIGURES, _SHARE), "tests": _COUNT, "scenarios": _by_name(_SHARE)}
    properties: dict[str, JsonValue] = {
        "schema": {"const": SCHEMA},
        "prompt": _TEXT,
        "specification": schema_of(Specification),
        "compiled": _list(_object({"rule": _TEXT, "checks": _TEXT})),
        "tests": _list(test),
        "discarded": _list(_object({"why": _TEXT, **_properties(GeneratedTest)})),
        "diversity": _object({**figures, "lengths": {"anyOf": [schema_of(Lengths), {"type": "null"}]}}),
        **dict.fromkeys(("warnings", "notes", "left_out", "written"), _list(_TEXT)),
        "calls": _object(dict.fromkeys(("made", "cached", "retried"), _COUNT)),
        "spent_usd": {"type": ["number", "null"], "minimum": 0},
        "evaluation": _list(schema_of(Row)),
    }
    whole = _object(properties)
    whole["required"] = [name for name in properties if name not in _MAYBE]
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "generation.json"}
    return {**head, "$id": f"https://prompt-gate.dev/schemas/{SCHEMA}", **whole}


def schema_of(kind: Any) -> dict[str, JsonValue]:
    """JSON Schema of what `json.dumps` makes of a type of ours; values of a mapping that are not plain may be anything.

    Args:
        kind: a dataclass, a plain type, a list or mapping of such, one of some words, or any of several.

    Raises:
        TypeError: something else.
    """
    origin, inner = get_origin(kind), get_args(kind)
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    if is_dataclass(kind):
        return _object(_properties(kind))
    if origin is Literal:
        return {"enum": [*inner]}
    if origin is tuple and inner[1:] == (...,):
        return _list(schema_of(inner[0]))
    if origin is Mapping and inner[0] is str:
        return _by_name(schema_of(inner[1]) if inner[1] in _PLAIN else {})
    if origin in (Union, UnionType):
        return {"anyOf": [schema_of(one) for one in inner]}
    raise TypeError(f"no schema for {kind}")


def _properties(kind: Any) -> dict[str, JsonValue]:
    hints = get_type_hints(kind)
    return {field.name: schema_of(hints[field.name]) for field in fields(kind)}


def _object(properties: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """With all of these, and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": [*properties],
        "additionalProperties": False,
    }


def _list(item: JsonValue) -> dict[str, JsonValue]:
    return {"type": "array", "items": item}


def _by_name(item: JsonValue) -> dict[str, JsonValue]:
    return {"type": "object", "additionalProperties": item}
