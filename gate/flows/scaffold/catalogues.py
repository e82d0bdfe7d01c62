"""YAML and JSON in a folder of prompts that hold no messages: prompts under keys, settings, or a mistake."""

import re
from collections.abc import Iterator

from gate.config.documents import read_yaml
from gate.domain.jsonvalue import JsonValue
from gate.errors import InputErrors
from gate.inputs.problems import quoted

_KEY = re.compile(
    r".*(?:prompt|instructions?|template|plan)|.*message|system|user|human|goal|backstory|content|text", re.IGNORECASE
)
"""Under such a key a longer text is a prompt."""
_LEAST_WORDS = 4
_CJK_CHARS = 12
"""Of a text without spaces that is as long as so many words."""
_DEEP = 4
_SHOWN = 2


def why_no_chat(text: str, path: str, mistake: str) -> str:
    """Why a file that lies among prompts is none; empty where it is something else altogether, such as settings.

    Args:
        text: the file.
        path: its ending tells YAML from JSON.
        mistake: what its reader says.
    """
    try:
        value = read_yaml(text, path).data  # JSON is YAML
    except InputErrors:
        return "" if path.lower().endswith(".json") else mistake
    if isinstance(value, dict) and "messages" in value or isinstance(value, list) and _roles(value):
        return mistake
    keys = [quoted(key) for key in _keys(value, "")]
    if not keys:
        return ""
    shown = ", ".join(keys[:_SHOWN]) + (f" and {len(keys) - _SHOWN} more" if len(keys) > _SHOWN else "")
    return f"holds texts under keys of its own ({shown}) instead of messages"


def _roles(items: list[JsonValue]) -> bool:
    return any(isinstance(one, dict) and "role" in one for one in items)


def _keys(value: JsonValue, where: str) -> Iterator[str]:
    if not isinstance(value, dict) or where.count(".") >= _DEEP:
        return
    for key, inner in value.items():
        place = f"{where}.{key}" if where else key
        if isinstance(inner, str) and _KEY.fullmatch(key) and _long(inner):
            yield place
        yield from _keys(inner, place)


def _long(text: str) -> bool:
    return len(text.split()) >= _LEAST_WORDS or not text.isascii() and len(text) >= _CJK_CHARS
