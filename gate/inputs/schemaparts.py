"""Pieces that the JSON Schemas of our files are built from."""

from collections.abc import Mapping, Sequence

from gate.domain.jsonvalue import JsonValue
from gate.inputs.fields import Range
from gate.inputs.limits import NAME_CHARS

Schema = dict[str, JsonValue]


def mapping(properties: Mapping[str, JsonValue], required: Sequence[str] = ()) -> Schema:
    """A mapping with these keys and no others."""
    schema: Schema = {"type": "object", "additionalProperties": False, "properties": dict(properties)}
    if required:
        schema["required"] = list(required)
    return schema


def string(most: int = NAME_CHARS) -> Schema:
    """A text that is not blank."""
    return {"type": "string", "pattern": r"\S", "maxLength": most}


def number(allowed: Range) -> Schema:
    """A number within a range."""
    low = "exclusiveMinimum" if allowed.above else "minimum"
    high = "exclusiveMaximum" if allowed.below else "maximum"
    return {"type": "number", low: _plain(allowed.low), high: _plain(allowed.high)}


def integer(allowed: Range) -> Schema:
    """A whole number within a range."""
    return {**number(allowed), "type": "integer"}


def _plain(value: float) -> int | float:
    return int(value) if float(value).is_integer() else value
