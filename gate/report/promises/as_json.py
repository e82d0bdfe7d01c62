"""What models and prompts said, as JSON that may be printed."""

import json
from collections.abc import Mapping

from gate.domain.jsonvalue import JsonValue
from gate.report.secrets import masked


def safe_json(document: Mapping[str, JsonValue]) -> str:
    """A document that neither a terminal nor a runner's log obeys, with what looks like a key masked.

    Args:
        document: what to print; a reader of the JSON gets the same texts, apart from keys.
    """
    text = json.dumps(_masked(dict(document)), ensure_ascii=False, indent=2)
    text = "".join(char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text)
    return text.replace("##[", "#\\u0023[").replace("::", ":\\u003a")


def _masked(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {key: _masked(inner) for key, inner in value.items()}
    return [_masked(inner) for inner in value] if isinstance(value, list) else value
