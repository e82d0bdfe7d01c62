"""A list of cases in JSON, changed item by item, with the indentation that it has."""

import json
import re
from collections.abc import Collection, Mapping, Sequence

from gate.domain.stored_suite import Entry
from gate.inputs.jsonitems import Item, items

_INNER = re.compile(r"\{[ \t\r]*\n([ \t]*)")


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
        result += _dumped(puts[position], text, item) if position in puts else text[item.start : item.end]
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
    old = text[like.start : like.end]
    if "\n" not in old:
        return json.dumps(dict(entry), ensure_ascii=False)
    margin = _margin(text, like)
    inner = found[1] if (found := _INNER.match(old)) else ""
    step = inner.removeprefix(margin) or "  "
    return json.dumps(dict(entry), ensure_ascii=False, indent=step).replace("\n", _line_end(text) + margin)


def _margin(text: str, item: Item) -> str:
    """The blanks that the line of an item begins with."""
    line = text[text.rfind("\n", 0, item.start) + 1 : item.start]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
