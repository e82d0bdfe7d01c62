"""Options of the form KEY=VALUE."""

import json
from collections.abc import Sequence

from gate.domain.jsonvalue import JsonValue
from gate.errors import GateError


def key_values(texts: Sequence[str]) -> dict[str, JsonValue]:
    """`temperature=0` and the like; what is no JSON is text."""
    values: dict[str, JsonValue] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise GateError(f"--param {text} has no value", "write --param temperature=0")
        try:
            values[key.strip()] = json.loads(value)
        except ValueError:
            values[key.strip()] = value
    return values
