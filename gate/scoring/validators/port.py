"""What a validator is: a pure function of its options and one answer."""

import json
from collections.abc import Callable, Mapping
from typing import TypeAlias

from gate.domain.absence import Unscored
from gate.domain.jsonvalue import JsonValue
from gate.scoring.subject import Subject

Options: TypeAlias = Mapping[str, JsonValue]
"""As `gate.inputs.scorers` reads them, with the fields of the case filled in."""

Finding: TypeAlias = tuple[float | Unscored, str]
"""A score in [0, 1], or why there is none; and a reason in one line, which names what was looked for."""

Validator: TypeAlias = Callable[[Options, Subject], Finding]

# `json.dumps` makes a new encoder for each call with options.
_json = json.JSONEncoder(ensure_ascii=False).encode


def finding(passed: bool, yes: str, no: str) -> Finding:
    """All or nothing, with the reason for either."""
    return (1.0, yes) if passed else (0.0, no)


def as_text(value: JsonValue) -> str:
    """A value as text; what is no text as JSON."""
    return value if isinstance(value, str) else _json(value)


def fold(value: str, options: Options) -> str:
    """The text as it is compared, by the option `ignore_case`."""
    return value.casefold() if options.get("ignore_case", False) else value


def quote(value: str) -> str:
    """A text within a reason, cut short."""
    return _json(value if len(value) <= 80 else value[:77] + "…")
