"""YAML text to nodes with lines: no tags, no objects, no alias bombs, no duplicate keys.

Only ruamel's event stream is used. Scalars follow the core schema of YAML 1.2 (section 10.3.2), so `no` is a word.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
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

from gate.domain.jsonvalue import DEPTH
from gate.inputs.limits import YAML_NODES
from gate.inputs.nodes import Node, Scalar
from gate.inputs.problems import Problems, quoted

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_INTEGER = re.compile(r"[-+]?[0-9]{1,300}|0o[0-7]{1,300}|0x[0-9a-fA-F]{1,300}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")


def parse_yaml(text: str, problems: Problems, *, merges: bool = False) -> Node | None:
    """One YAML document.

    Args:
        text: the file.
        problems: gets each mistake with its line; the text is not usable when there is one.
        merges: take the merge key of YAML 1.1, `<<`, as other tools do.

    Returns:
        the root, or None where there is no document to speak of.
    """
    try:
        events = YAML(typ="safe", pure=True).parse(text)
        return _Composer(events, problems, merges).document()
    except _Stop as stop:
        problems.add(stop.line, stop.message, stop.hint)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = " ".join(str(error.problem or error.context or "cannot be read").split())
        problems.add(mark.line + 1 if mark else 0, f"invalid YAML: {message[:200]}", _syntax_hint(message))
    except (YAMLError, ValueError, OverflowError, RecursionError, NotImplementedError) as error:
        message = " ".join(str(error).split())
        problems.add(0, f"invalid YAML: {quoted(message)}")
    return None


class _Stop(Exception):
    """A mistake after which the rest cannot be read."""

    def __init__(self, line: int, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.line, self.message, self.hint = line, message, hint


@dataclass(frozen=True, slots=True)
class _Anchored:
    node: Node
    size: int
    height: int


class _Composer:
    """Builds nodes from events, counting depth and size as it goes."""

    def __init__(self, events: Iterator[Event], problems: Problems, merges: bool) -> None:
        self._events = events
        self._problems = problems
        self._merges = merges
        self._anchors: dict[str, _Anchored | None] = {}
        self._size = 0
        self._deepest = 0

    def document(self) -> Node | None:
        root: Node | None = None
        documents = 0
        for event in self._events:
            if isinstance(event, DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise _Stop(_line(event), "a second YAML document starts here", "keep one document in the file")
                root = self._node(next(self._events), depth=1)
        return root

    def _node(self, event: Event, depth: int) -> Node:
        if isinstance(event, AliasEvent):
            return self._alias(event, depth)
        self._count(1, depth, _line(event))
        if not isinstance(event, NodeEvent):
            raise _Stop(_line(event), "invalid YAML: a value is missing")
        tag = getattr(event, "tag", None)
        if tag is not None:
            raise _Stop(_line(event), f"the YAML tag {quoted(str(tag))} is not supported", "write plain values")
        if not event.anchor:
            return self._value(event, depth)
        self._anchors[event.anchor] = None
        size, deepest = self._size, self._deepest
        self._deepest = depth
        node = self._value(event, depth)
        self._anchors[event.anchor] = _Anchored(node, self._size - size + 1, self._deepest - depth)
        self._deepest = max(self._deepest, deepest)
        return node

    def _value(self, event: Event, depth: int) -> Node:
        if isinstance(event, ScalarEvent):
            return Node(_scalar(event), _line(event))
        if isinstance(event, SequenceStartEvent):
            return Node(tuple(self._items(depth)), _line(event))
        if isinstance(event, MappingStartEvent):
            return Node(self._entries(depth), _line(event))
        raise _Stop(_line(event), "invalid YAML: a value is missing")

    def _items(self, depth: int) -> Iterator[Node]:
        for event in self._events:
            if isinstance(event, CollectionEndEvent):
                return
            yield self._node(event, depth + 1)

    def _entries(self, depth: int) -> dict[str, Node]:
        entries: dict[str, Node] = {}
        merged: dict[str, Node] = {}
        for event in self._events:
            if isinstance(event, CollectionEndEvent):
                break
            line = _line(event)
            key = self._key(event)
            value = self._node(next(self._events), depth + 1)
            if key == "<<" and _merging(event):
                merged = {**_merged(value, line), **merged}
                continue
            if key in entries:
                hint = "keep one of the two"
                self._problems.add(line, f"the key {quoted(key)} is already set on line {entries[key].line}", hint)
            entries[key] = Node(value.value, line)
        return {**merged, **entries}

    def _key(self, event: Event) -> str:
        if not isinstance(event, ScalarEvent) or event.tag is not None or event.anchor:
            raise _Stop(_line(event), "a key must be a plain word")
        if event.value == "<<" and _merging(event) and not self._merges:
            raise _Stop(_line(event), "the merge key '<<' is not supported", "write the keys out")
        _check_text(event)
        return str(event.value)

    def _alias(self, event: AliasEvent, depth: int) -> Node:
        if event.anchor not in self._anchors:
            raise _Stop(_line(event), f"the alias {quoted('*' + str(event.anchor))} names no anchor above it")
        anchored = self._anchors[event.anchor]
        if anchored is None:
            raise _Stop(_line(event), f"the alias {quoted('*' + str(event.anchor))} contains itself")
        self._count(anchored.size, depth + anchored.height, _line(event))
        return Node(anchored.node.value, _line(event))

    def _count(self, size: int, depth: int, line: int) -> None:
        self._size += size
        self._deepest = max(self._deepest, depth)
        if self._size > YAML_NODES:
            raise _Stop(line, f"more than {YAML_NODES:,} values", "split the file, or use fewer aliases")
        if depth > DEPTH:
            raise _Stop(line, f"nested more than {DEPTH} levels deep")


def _merging(event: Event) -> bool:
    """Is `<<` the merge key, and no text in quotation marks?"""
    return isinstance(event, ScalarEvent) and bool(event.implicit[0])


def _merged(value: Node, line: int) -> dict[str, Node]:
    """What a merge key brings: of several mappings the first that has a key counts."""
    found: dict[str, Node] = {}
    for one in value.value if isinstance(value.value, tuple) else (value,):
        if not isinstance(one.value, Mapping):
            raise _Stop(line, "the merge key '<<' needs a mapping")
        found = {**one.value, **found}
    return found


def _scalar(event: ScalarEvent) -> Scalar:
    _check_text(event)
    text = str(event.value)
    if not event.implicit[0]:
        return text
    if text in _NULLS:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if _INTEGER.fullmatch(text):
        return int(text, 0) if text.startswith(("0o", "0x")) else int(text)
    if _NOT_FINITE.fullmatch(text):
        raise _Stop(_line(event), f"{quoted(text)} is not a usable number")
    if not _FLOAT.fullmatch(text):
        return text
    number = float(text)
    if not math.isfinite(number):
        raise _Stop(_line(event), f"{quoted(text)} is too large a number")
    return number


def _check_text(event: ScalarEvent) -> None:
    try:
        str(event.value).encode()
    except UnicodeEncodeError:
        raise _Stop(_line(event), "half of a surrogate pair (\\ud800 to \\udfff) is not text") from None


def _line(event: Event) -> int:
    return event.start_mark.line + 1 if event.start_mark is not None else 0


def _syntax_hint(message: str) -> str:
    if "'\\t'" in message:
        return "indent with spaces, not tabs"
    if "mapping values are not allowed" in message:
        return "put text that holds ': ' in quotes"
    return ""
