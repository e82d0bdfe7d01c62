"""Where the values of a YAML file stand, so that it can be added to without touching the rest, byte for byte."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ruamel.yaml import YAML
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceStartEvent,
)

from gate.casefiles.yamlout import flow, indented, items
from gate.domain.jsonvalue import JsonValue
from gate.errors import GateError
from gate.inputs.nodes import plain
from gate.inputs.problems import Problems
from gate.inputs.yamltext import parse_yaml

_BLOCKS = ("|", ">")
_COLON = re.compile(r"[ \t]*:")
_COMMENT = re.compile(r"#[^\n]*")


@dataclass(frozen=True, slots=True)
class Place:
    """One value.

    Args:
        start, end: of its text, in characters; of a list or mapping in block style the end of what it holds.
        column: 0-based, where it begins.
        value: of a scalar, as text; None for what is none.
        flow: between brackets.
        block: a literal or folded scalar, which ends with its line break.
        entries: of a mapping.
        items: of a list; None for what is none.
        key: where the key of an entry begins; -1 for what is none.
    """

    start: int
    end: int
    column: int
    value: str | None = None
    flow: bool = False
    block: bool = False
    entries: Mapping[str, "Place"] = field(default_factory=dict)
    items: "tuple[Place, ...] | None" = None
    key: int = -1


class Draft:
    """A YAML file under change.

    Args:
        text: the file; a byte order mark and its kind of line ends are kept, and it ends with a line break.
        file: its name, for messages.

    Raises:
        InputErrors: it is no YAML that the gate reads.
    """

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self._mark = "\ufeff" if text.startswith("\ufeff") else ""
        self._eol = "\r\n" if "\r\n" in text else "\n"
        self.text = text.removeprefix("\ufeff")
        if not self.text.endswith("\n"):
            self.text += self._eol
        self._edits: list[tuple[int, int, str]] = []
        self.data = _read(self.text, file)
        self.root = _located(self.text)

    def insert(self, at: int, lines: Sequence[str]) -> None:
        """Put lines behind the line that `at` is in, or before the one that it begins."""
        new = "".join(line + self._eol for line in lines)
        begins = not at or self.text[at - 1] == "\n"
        at = at if begins else self.text.index("\n", at) + 1
        self._edits.append((at, at, new))

    def splice(self, start: int, end: int, lines: Sequence[str]) -> None:
        """Put lines in place of a part of the text, without a line break at their end; no lines remove it."""
        self._edits.append((start, end, self._eol.join(lines)))

    def replace(self, place: Place, value: JsonValue) -> None:
        """Write another value in place of a scalar."""
        gap = "" if place.start and self.text[place.start - 1].isspace() else " "
        new = gap + flow(value)
        if place.block and self.text[place.end - 1 : place.end] == "\n":
            new += self._eol
        self._edits.append((place.start, place.end, new))

    def add_item(self, place: Place, lines: Sequence[str], value: JsonValue) -> None:
        """Put one item at the end of a list: as lines, or as a value where the list stands between brackets."""
        if place.flow:
            self._before_close(place, place.items or (), flow(value))
        else:
            self.insert(place.end, indented(lines, place.column))

    def add_entry(self, place: Place, key: str, value: JsonValue) -> None:
        """Put one entry at the end of a mapping."""
        entry = f"{flow(key)}: {flow(value)}"
        if place.flow:
            self._before_close(place, tuple(place.entries.values()), entry)
        else:
            self.insert(place.end, indented([entry], place.column))

    def extend(self, key: str, rows: Sequence[JsonValue]) -> None:
        """Put items at the end of a list of the root, which may be empty, nothing, or not there yet."""
        root = self.root
        assert root is not None  # noqa: S101
        place = root.entries.get(key)
        if root.flow and place is not None and place.items is None:
            self.replace(place, list(rows))
        elif place is not None and (place.items or root.flow):
            for row in rows:
                self.add_item(place, items([row]), row)
        elif root.flow:
            self.add_entry(root, key, list(rows))
        elif place is not None:
            self._edits.append((place.start, place.end, ""))
            self.insert(place.end, indented(items(rows), root.column + 2))
        else:
            self.insert(root.end, indented([f"{key}:", *indented(items(rows))], root.column))

    def _before_close(self, place: Place, inner: Sequence[Place], new: str) -> None:
        close = place.end - 1
        added = any(edit[:2] == (close, close) for edit in self._edits)
        tail = _COMMENT.sub("", self.text[inner[-1].end : close]) if inner else ""
        first = not inner or "," in tail
        self._edits.append((close, close, new if first and not added else f", {new}"))

    def result(self, expected: JsonValue) -> str:
        """The file with all that was changed.

        Args:
            expected: what it must hold now.

        Raises:
            GateError: it is written in a way that cannot be added to safely; nothing is guessed.
        """
        text, until = "", 0
        for start, end, new in sorted(self._edits, key=lambda edit: edit[:2]):
            text += self.text[until:start] + new
            until = end
        text += self.text[until:]
        problems = Problems(self.file)
        found = parse_yaml(text, problems)
        if problems.count or found is None or plain(found) != expected:
            raise GateError(
                f"{self.file} is written in a way that cannot be added to safely", "write it in block style"
            )
        return self._mark + text


def _read(text: str, file: str) -> JsonValue:
    problems = Problems(file)
    root = parse_yaml(text, problems)
    problems.check()
    return None if root is None else plain(root)


def _located(text: str) -> Place | None:
    events: Iterator[Event] = YAML(typ="safe", pure=True).parse(text)
    for event in events:
        if isinstance(event, DocumentStartEvent):
            return _place(text, next(events), events)
    return None


def _place(text: str, event: Event, events: Iterator[Event]) -> Place:
    assert isinstance(event, NodeEvent)  # noqa: S101
    start, column, end = event.start_mark.index, event.start_mark.column, event.end_mark.index
    if isinstance(event, SequenceStartEvent):
        found: list[Place] = []
        for inner in events:
            if isinstance(inner, CollectionEndEvent):
                last = _end(event, inner, found, end)
                return Place(start, last, column, flow=bool(event.flow_style), items=tuple(found))
            found.append(_place(text, inner, events))
    if isinstance(event, MappingStartEvent):
        entries: dict[str, Place] = {}
        for inner in events:
            if isinstance(inner, CollectionEndEvent):
                last = _end(event, inner, list(entries.values()), end)
                return Place(start, last, column, flow=bool(event.flow_style), entries=entries)
            place = _place(text, next(events), events)
            if place.start == place.end and (colon := _COLON.match(text, inner.end_mark.index)):
                # Nothing stands there, and its mark lies before what comes next.
                place = replace(place, start=colon.end(), end=colon.end())
            entries[str(getattr(inner, "value", ""))] = replace(place, key=inner.start_mark.index)
    if isinstance(event, ScalarEvent):
        block = event.style in _BLOCKS
        return Place(start, _block_end(text, end) if block else end, column, str(event.value), block=block)
    assert isinstance(event, AliasEvent)  # noqa: S101
    return Place(start, end, column)


def _end(begin: SequenceStartEvent | MappingStartEvent, close: Event, inner: Sequence[Place], start: int) -> int:
    if begin.flow_style:
        return int(close.end_mark.index)
    return inner[-1].end if inner else start


def _block_end(text: str, end: int) -> int:
    """The mark of a literal block lies before what comes next, behind its indentation."""
    begin = text.rfind("\n", 0, end) + 1
    return end if text[begin:end].strip(" ") else begin
