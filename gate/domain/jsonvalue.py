"""The type of parsed JSON, and its canonical bytes for digests."""

import hashlib
import json

from pydantic import JsonValue as JsonValue

DEPTH = 64
"""Lists and objects inside each other, of JSON and YAML from anywhere."""


def too_deep(value: JsonValue) -> bool:
    """Are lists and objects nested more than `DEPTH` levels deep?"""
    level: list[JsonValue] = [value]
    for _ in range(DEPTH + 1):
        level = _inside(level)
        if not level:
            return False
    return True


def more_than(most: int, value: JsonValue) -> bool:
    """Has a value more than so many texts, numbers, lists and objects in it?

    Args:
        most: how many are few enough.
        value: nested as deeply as may be.
    """
    level: list[JsonValue] = [value]
    seen = 0
    while level and seen <= most:
        seen += len(level)
        level = _inside(level)
    return seen > most


def _inside(level: list[JsonValue]) -> list[JsonValue]:
    """What the lists and objects among some values hold."""
    inner: list[JsonValue] = []
    for item in level:
        if isinstance(item, list):
            inner.extend(item)
        elif isinstance(item, dict):
            inner.extend(item.values())
    return inner


def digest(value: JsonValue) -> str:
    """SHA-256 (64 hex digits) of the canonical JSON of `value`: sorted keys, no spaces, UTF-8."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
