"""A list of cases in JSON, changed case by case and key by key, with the indentation that it has."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from gate.casefiles.reading import canonical
from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import Entry
from gate.inputs.jsonitems import Item, items
from gate.inputs.jsontext import parse_value

_INNER = re.compile(r"\{[ \t\r]*\n([ \t]*)")
_BLANK = re.compile(r"[ \t\r\n]*")
_SHORT = 100
"""Columns of a new value on one line."""


def changed_list(text: str, puts: Mapping[int, Entry], gone: Collection[int], more: Sequence[Entry]) -> str:
    """The file with other items, the rest as it was to the byte.

    Args:
        text: one list, or one object, which becomes a list where more come; with one case at least.
        puts: by position, what is to stand there.
        gone: positions of what is to go.
        more: what comes at the end.
    """
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = text.removeprefix("\ufeff")
    found = list(items(text))
    head, tail = text[: found[0].start], text[found[-1].end :]
    if more and not head.strip():
        head, tail = f"{head}[", f"]{tail}"
    result = ""
    for position, item in enumerate(found):
        if position in gone:
            continue
        if result:
            result += text[found[position - 1].end : item.start]
        result += _put(puts[position], text, item) if position in puts else text[item.start : item.end]
    between = _separator(text, found)
    for entry in more:
        result += (between if result else "") + _dumped(entry, text, found[-1])
    return mark + head + result + tail


def _separator(text: str, found: Sequence[Item]) -> str:
    if len(found) > 1:
        return text[found[-2].end : found[-1].start]
    last = found[-1]
    alone = not text[text.rfind("\n", 0, last.start) + 1 : last.start].strip()
    several = "\n" in text[: last.start] or "\n" in text[last.start : last.end]
    return f",{_line_end(text)}{_margin(text, last)}" if alone and several else ", "


def _dumped(entry: Entry, text: str, like: Item) -> str:
    """An item written as another one is: on one line, or on several with the same indentation."""
    if "\n" not in text[like.start : like.end]:
        return json.dumps(dict(entry), ensure_ascii=False)
    margin = _margin(text, like)
    return _over_lines(dict(entry), _inner(text, like).removeprefix(margin) or "  ", _line_end(text) + margin)


def _put(entry: Entry, text: str, item: Item) -> str:
    """An item of which only the keys that differ are written anew."""
    found, old = _members(text, item.start), item.value
    assert isinstance(old, dict)  # noqa: S101
    if not any(member.key in entry for member in found):
        return _dumped(entry, text, item)
    result, first, last = "", found[0], found[-1]
    comma = text[found[-2].end : last.start] if len(found) > 1 else _between(text, item)
    for position, member in enumerate(found):
        if member.key in entry:
            result += text[found[position - 1].end : member.start] if result else ""
            result += _member(member, old, entry, text, item)
    for key, value in entry.items():
        result += "" if key in old else comma + _written(key, value, text, item)
    return text[item.start : first.start] + result + text[last.end : item.end]


@dataclass(frozen=True, slots=True)
class _Member:
    """An entry of an object: its key, and where it, its value and its end stand in the text."""

    key: str
    start: int
    value: int
    end: int


def _members(text: str, start: int) -> list[_Member]:
    """The entries of the object that begins there, which is known to be sound."""
    found: list[_Member] = []
    at = _skipped(text, start + 1)
    while text[at] != "}":
        begin = _skipped(text, at + 1) if text[at] == "," else at
        key, at = parse_value(text, begin)
        value = _skipped(text, _skipped(text, at) + 1)
        _, end = parse_value(text, value)
        found.append(_Member(str(key), begin, value, end))
        at = _skipped(text, end)
    return found


def _member(member: _Member, old: Entry, new: Entry, text: str, item: Item) -> str:
    value = new[member.key]
    if canonical({"": old[member.key]}) == canonical({"": value}):
        return text[member.start : member.end]
    before = text[member.value : member.end]
    head = text[member.start : member.value]
    if "\n" not in before:
        return head + json.dumps(value, ensure_ascii=False)
    return head + _value(value, text, item)


def _written(key: str, value: JsonValue, text: str, item: Item) -> str:
    head = f"{json.dumps(key, ensure_ascii=False)}: "
    several = "\n" in text[item.start : item.end]
    return head + (_value(value, text, item) if several else json.dumps(value, ensure_ascii=False))


def _value(value: JsonValue, text: str, item: Item) -> str:
    """The value of an entry, over several lines where it does not fit on one."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) <= _SHORT:
        return line
    inner = _inner(text, item)
    return _over_lines(value, inner.removeprefix(_margin(text, item)) or "  ", _line_end(text) + inner)


def _over_lines(value: JsonValue, step: str, line: str) -> str:
    return json.dumps(value, ensure_ascii=False, indent=step).replace("\n", line)


def _between(text: str, item: Item) -> str:
    return f",{_line_end(text)}{_inner(text, item)}" if "\n" in text[item.start : item.end] else ", "


def _inner(text: str, item: Item) -> str:
    """The blanks before the entries of an item that stands on several lines."""
    found = _INNER.match(text[item.start : item.end])
    return found[1] if found else _margin(text, item) + "  "


def _skipped(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _margin(text: str, item: Item) -> str:
    """The blanks that the line of an item begins with."""
    line = text[text.rfind("\n", 0, item.start) + 1 : item.start]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
