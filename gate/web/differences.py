"""Differences between two texts, or two cases, word by word."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

from gate.cases.stored import Entry
from gate.config.yaml_editing import dumped, flow
from gate.values import JsonValue

State: TypeAlias = Literal["same", "added", "removed"]

_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_MOST_WORDS = 1_500
"""Of either text; the time of a comparison grows with the product of both."""
_MOST_LINES = 1_500


@dataclass(frozen=True, slots=True)
class DiffPart:
    """A piece of two texts: in both of them, or in one."""

    text: str
    state: State


@dataclass(frozen=True, slots=True)
class ChangedKey:
    """A key with different values in two versions of a case."""

    key: str
    old: str
    new: str
    pieces: tuple[DiffPart, ...]


def changed_keys(old: Entry, new: Entry) -> tuple[ChangedKey, ...]:
    """The keys with different values."""
    found = []
    for key in dict.fromkeys((*old, *new)):
        before, now = _text(old, key), _text(new, key)
        if before != now:
            found.append(ChangedKey(key, before, now, tuple(text_pieces(before, now))))
    return tuple(found)


def text_pieces(old: str, new: str) -> Iterator[DiffPart]:
    """Both texts combined, in words; in lines where they are long, and one after the other where they are very long."""
    parts, most = _WORDS, _MOST_WORDS
    if len(old) + len(new) > 20 * _MOST_WORDS or max(_count(old, _WORDS), _count(new, _WORDS)) > _MOST_WORDS:
        parts, most = _LINES, _MOST_LINES
    before, now = parts.findall(old), parts.findall(new)
    if max(len(before), len(now)) > most:
        yield from _given(DiffPart(old, "removed"), DiffPart(new, "added"))
        return
    for tag, start, end, first, last in SequenceMatcher(None, before, now, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from _given(_piece(before[start:end], "same"))
        else:
            yield from _given(_piece(before[start:end], "removed"), _piece(now[first:last], "added"))


def _piece(parts: Sequence[str], state: State) -> DiffPart:
    return DiffPart("".join(parts), state)


def _given(*found: DiffPart) -> Iterator[DiffPart]:
    return (piece for piece in found if piece.text)


def _count(text: str, parts: re.Pattern[str]) -> int:
    return sum(1 for _ in parts.finditer(text))


def _text(entry: Entry, key: str) -> str:
    return readable_value(entry[key]) if key in entry else ""


def readable_value(value: JsonValue) -> str:
    """A value for readers: a text as it is, all else as YAML."""
    if isinstance(value, str):
        return value
    return dumped(value).removesuffix("\n") if isinstance(value, dict | list) and value else flow(value)
