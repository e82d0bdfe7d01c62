"""A list of cases in YAML, changed case by case and key by key, so that comments and quoting of the rest stay."""

import re
from collections.abc import Collection, Sequence

from gate.casefiles.places import Draft, Place
from gate.casefiles.reading import canonical
from gate.casefiles.yamlout import entries, flow, indented, items
from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import Entry

_DASH = re.compile(r"-\s*\Z")
_REST = re.compile(r"[ \t]*(?:#[^\n]*)?\r?$", re.MULTILINE)
"""The end of a line, with nothing on it but a comment."""
_BLANKS = re.compile(r"(?:[ \t]*\r?\n)*")


def take_out(draft: Draft, place: Place, gone: Collection[int]) -> None:
    """Remove items of a list; one at least stays.

    Args:
        draft: the file.
        place: of the list.
        gone: positions of what is to go.
    """
    found, text = place.items or (), draft.text
    last = max((at for at in range(len(found)) if at not in gone), default=-1)
    for at in sorted(gone):
        if place.flow:
            if at < last:
                draft.splice(found[at].start, found[at + 1].start, [])
            continue
        start, end = _line_start(text, _dash(text, found[at].start)), _after_line(text, found[at].end)
        if at == last + 1:
            start = _after_line(text, len(text[:start].rstrip()))
        blank = _BLANKS.match(text, end)
        draft.splice(start, blank.end() if blank and at + 1 < len(found) else end, [])
    if place.flow and last + 1 < len(found):
        draft.splice(found[last].end, found[-1].end, [])


def put_in(draft: Draft, place: Place, old: Entry, new: Entry) -> None:
    """Change the keys of an item that differ, and nothing else.

    Args:
        draft: the file.
        place: of the item.
        old: what stands there.
        new: what is to stand there.
    """
    if place.flow or not place.entries:
        put_whole(draft, place, new)
        return
    keys = list(place.entries)
    for at, key in enumerate(keys):
        value = place.entries[key]
        if key not in new:
            _drop(draft, place, value, place.entries[keys[at + 1]].key if at + 1 < len(keys) else len(draft.text))
        elif canonical({"": old[key]}) != canonical({"": new[key]}):
            _change(draft, place, key, new[key])
    if added := {key: value for key, value in new.items() if key not in place.entries}:
        draft.insert(place.end, indented(entries(added), place.column))


def put_whole(draft: Draft, place: Place, new: Entry) -> None:
    """Write an item anew."""
    lines = [flow(dict(new))] if place.flow else entries(new)
    _write(draft, (place.start, place.end), place.column, lines)


def add(draft: Draft, place: Place, rows: Sequence[JsonValue]) -> None:
    """Put items at the end of a list, which has some, each a paragraph where those before are.

    Args:
        draft: the file.
        place: of the list.
        rows: new items.
    """
    found = place.items or ()
    between = draft.text[found[-2].end : found[-1].start] if len(found) > 1 else "\n\n"
    apart = [""] if "\n\n" in between.replace("\r", "") else []
    for row in rows:
        draft.add_item(place, [] if place.flow else [*apart, *items([row])], row)


def as_list(text: str, start: int) -> str:
    """A file that holds one case in block style, as a list of it.

    Args:
        text: the file.
        start: where the case begins.
    """
    begin = _line_start(text, start)
    first, *rest = text[begin:].split("\n")
    return text[:begin] + "\n".join([f"- {first}", *indented(rest)])


def _change(draft: Draft, item: Place, key: str, value: JsonValue) -> None:
    place = item.entries[key]
    lines = entries({key: value})
    plain = place.value is not None and not place.block and "\n" not in draft.text[place.start : place.end]
    if plain and len(lines) == 1:
        draft.replace(place, value)
    else:
        _write(draft, (place.key, place.end), item.column, lines)


def _write(draft: Draft, part: tuple[int, int], column: int, lines: Sequence[str]) -> None:
    start, end = part
    rest = _REST.match(draft.text, end)
    if end and draft.text[end - 1] == "\n":
        lines = [*lines, ""]
    elif len(lines) > 1 and rest:
        # A comment behind the old value would be taken for a part of the new one.
        end = rest.end()
    draft.splice(start, end, [lines[0], *indented(lines[1:], column)])


def _drop(draft: Draft, item: Place, value: Place, following: int) -> None:
    if value.key == item.start:
        draft.splice(value.key, following, [])
    else:
        draft.splice(_line_start(draft.text, value.key), _after_line(draft.text, value.end), [])


def _dash(text: str, start: int) -> int:
    found = _DASH.search(text, 0, start)
    return found.start() if found else start


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _after_line(text: str, at: int) -> int:
    """Where the next line begins; `at` itself where a line begins there."""
    return at if at and text[at - 1] == "\n" else text.index("\n", at) + 1
