"""What a validator is: a pure function of its options and one answer."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from gate.record.transcript import Unscored
from gate.scoring.interface import Subject
from gate.values import JsonValue

if TYPE_CHECKING:
    import regex

Options: TypeAlias = Mapping[str, JsonValue]
"""As `gate.config.scorer_options` reads them, with the fields of the case filled in."""

Finding: TypeAlias = tuple[float | Unscored, str]
"""A score in [0, 1], or why there is none; and a reason on one line, which names what was looked for."""

Validator: TypeAlias = Callable[[Options, Subject], Finding]

OptionComplaint: TypeAlias = tuple[str, str]
"""What is wrong, as a sentence about `it`; and what to do."""

OptionCheck: TypeAlias = Callable[[Options], Iterator[OptionComplaint]]

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


_BLANKS = re.compile(r"\s{3,}")


def opening_of(text: str) -> str:
    """The beginning of a text, for all further work; long runs of blanks, which could fill it, are shortened."""
    return text if len(text) <= LOOKED_AT else _BLANKS.sub(_shortened, text)[:LOOKED_AT]


def _shortened(blanks: re.Match[str]) -> str:
    return "\n\n" if blanks[0].count("\n") > 1 else "\n" if "\n" in blanks[0] else " "


def normal_form(text: str, form: str = "NFC", *, whole: bool = False) -> str:
    """A Unicode normal form (NFC, NFKC) of the beginning of a text, or of the whole; of a pile of accents on one letter
    the first are kept, which the library would sort in a time that grows with the square of its height."""
    text = text if whole else opening_of(text)
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC" if form == "NFKC" else "NFC", compiled(r"(\p{M}{8})\p{M}+").sub(r"\1", text))


@lru_cache(maxsize=8)
def compiled(pattern: str) -> "regex.Pattern[str]":
    """A pattern of the package `regex`, which is imported only for those who use one."""
    import regex

    return regex.compile(pattern)


def empty_words(key: str) -> OptionCheck:
    """Complains of an empty text in a list of words."""

    def check(options: Options) -> Iterator[OptionComplaint]:
        if not all(text.strip() for text in texts_of(options, key)):
            yield f"a text under its {key} is empty", "give the case the field, or take it out of the scorer"

    return check
