"""What a validator is: a pure function of its options and one answer."""

import json
from collections.abc import Callable, Mapping
from typing import TypeAlias

from gate.record.transcript import Unscored
from gate.scoring.interface import Subject
from gate.values import JsonValue

Options: TypeAlias = Mapping[str, JsonValue]
"""As `gate.config.scorer_options` reads them, with the fields of the case filled in."""

Finding: TypeAlias = tuple[float | Unscored, str]
"""A score in [0, 1], or why there is none; and a reason on one line, which names what was looked for."""

Validator: TypeAlias = Callable[[Options, Subject], Finding]

LOOKED_AT = 100_000
"""Characters from the beginning of an answer that are split into words, sentences and numbers."""

_SHOWN = 5

# `json.dumps` makes a new encoder for each call with options.
_json = json.JSONEncoder(ensure_ascii=False).encode


def finding(passed: bool, yes: str, no: str) -> Finding:
    """Score 1 or 0, with a reason for each."""
    return (1.0, yes) if passed else (0.0, no)


def as_text(value: JsonValue) -> str:
    """A string unchanged; any other value as JSON."""
    return value if isinstance(value, str) else _json(value)


def texts_of(options: Options, key: str) -> list[str]:
    """The texts of a list; empty without the option."""
    found = options.get(key, [])
    return [as_text(item) for item in found] if isinstance(found, list) else [as_text(found)]


def number_of(options: Options, key: str) -> float | None:
    """A number; None without the option, or where it is no number."""
    found = options.get(key)
    return float(found) if isinstance(found, (int, float)) and not isinstance(found, bool) else None


def quote(value: str) -> str:
    """A text for a reason, shortened."""
    return _json(value if len(value) <= 80 else value[:77] + "…")


def shown_value(value: JsonValue) -> str:
    """A JSON value for a reason, shortened."""
    text = _json(value)
    return text if len(text) <= 80 else text[:79] + "…"


def listed_texts(values: list[str]) -> str:
    """Texts for a reason: the first few, and how many more there are."""
    more = f" and {len(values) - _SHOWN} more" if len(values) > _SHOWN else ""
    return ", ".join(map(quote, values[:_SHOWN])) + more
