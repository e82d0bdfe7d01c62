"""Differences between two texts, or two cases, word by word."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gate.cases.stored import Entry
from gate.config.yaml_editing import dumped, flow
from gate.report.differences import word_differences
from gate.values import JsonValue

State: TypeAlias = Literal["same", "added", "removed"]


@dataclass(frozen=True, slots=True)
class DiffPart:
    """A piece that is in both texts or in one."""

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
            found.append(ChangedKey(key, before, now, tuple(merged_texts(before, now))))
    return tuple(found)


def merged_texts(old: str, new: str) -> Iterator[DiffPart]:
    """Both texts combined: common parts once, removed parts before the parts that replace them."""
    found = word_differences(old, new)
    before = [(piece.text, piece.differs) for piece in reversed(found.before)]
    after = [(piece.text, piece.differs) for piece in reversed(found.after)]
    while before or after:
        if before and before[-1][1]:
            yield DiffPart(before.pop()[0], "removed")
        elif after and after[-1][1]:
            yield DiffPart(after.pop()[0], "added")
        else:
            first, second = before.pop()[0], after.pop()[0]
            length = min(len(first), len(second))
            yield DiffPart(first[:length], "same")
            before += [(first[length:], False)] if first[length:] else []
            after += [(second[length:], False)] if second[length:] else []


def _text(entry: Entry, key: str) -> str:
    return readable_value(entry[key]) if key in entry else ""


def readable_value(value: JsonValue) -> str:
    """A text as it is, any other value as YAML."""
    if isinstance(value, str):
        return value
    return dumped(value).removesuffix("\n") if isinstance(value, (dict, list)) and value else flow(value)
