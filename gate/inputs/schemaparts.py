"""Pieces that the JSON Schemas of our files are built from."""

from collections.abc import Mapping, Sequence

from gate.domain.jsonvalue import JsonValue
from gate.inputs import models
from gate.inputs.fields import Range
from gate.inputs.limits import NAME_CHARS

Schema = dict[str, JsonValue]


def params() -> Schema:
    """Neutral parameters; an empty value takes a setting of the defaults back."""
    stop: Schema = {"type": "string", "minLength": 1, "maxLength": NAME_CHARS}
    properties: dict[str, JsonValue] = {
        "max_output_tokens": integer(models.MAX_OUTPUT_TOKENS),
        "temperature": number(models.TEMPERATURE),
        "top_p": number(models.TOP_P),
        "stop": {"anyOf": [stop, {"type": "array", "maxItems": models.STOPS, "items": stop}]},
        "seed": integer(models.SEED),
        "reasoning_effort": {"type": "string", "pattern": models.EFFORT},
        "prompt_cache": {"type": "boolean"},
        "chat_template": {"enum": list(models.CHAT_TEMPLATES)},
        "base_url": {"type": "string", "pattern": "^https?://"},
        "timeout_s": number(models.TIMEOUT_S),
    }
    return mapping({key: {"anyOf": [value, {"type": "null"}]} for key, value in properties.items()})


def model() -> Schema:
    """`provider:name`."""
    return {**string(), "pattern": f"^{models.PROVIDER}:\\S"}


def mapping(properties: Mapping[str, JsonValue], required: Sequence[str] = ()) -> Schema:
    """A mapping with these keys and no others."""
    schema: Schema = {"type": "object", "additionalProperties": False, "properties": dict(properties)}
    if required:
        schema["required"] = list(required)
    return schema


def optional(schema: Schema) -> Schema:
    """The same, or nothing."""
    return {**schema, "type": ["object", "null"]}


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
