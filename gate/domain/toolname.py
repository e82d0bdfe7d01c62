"""Names of tools: what the interfaces of all providers take."""

import re

_TAKEN = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_OTHER = re.compile(r"[^a-zA-Z0-9_-]")
TOOL_NAME_CHARS = 64


def is_tool_name(name: str) -> bool:
    """Do all providers take the name as it is?"""
    return _TAKEN.fullmatch(name) is not None


def model_name(name: str) -> str:
    """What a model is told in place of a name, which may be told for others, too: `weather_get` for `weather.get`."""
    return _OTHER.sub("_", name)[:TOOL_NAME_CHARS]
