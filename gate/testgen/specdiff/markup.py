"""The marks of a prompt that can cancel a sentence: template statements, comments, fences, crossed-out words, tags.

Whether the prompt is a template or rendered as Markdown does not matter here: a sentence that such marks now enclose is
looked at again. Something that only looks like a mark costs a second look at most.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeAlias

from gate.testgen.specdiff.structure import fences

ContextChange: TypeAlias = tuple[int, str]
"""From a place on, what encloses the text; empty for nothing."""

_STATEMENT = re.compile(r"\{[#%]")
_STATEMENT_NAME = re.compile(r"[-+]?\s*(\w+)")
_END_RAW = re.compile(r"\{%[-+]?\s*endraw\b")
_BLOCKS = frozenset({"if", "for", "macro", "call", "filter", "with", "block", "autoescape", "trans", "set"})
_BRANCHES = frozenset({"else", "elif", "pluralize"})
_COMMENT = re.compile(r"<!--|-->")
_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]*)((?:\s[^<>]*)?)>")
_CROSSED_OUT = re.compile(r"(?<!~)~~(?!~)|\n[ \t]*\n")
_MARK_CHARS = 200
"""Characters of a mark that are compared; a longer one is replaced by its hash."""
_DEPTH = 20
"""Levels that are told apart; deeper ones are only counted."""


@dataclass(frozen=True, slots=True)
class MarkupContext:
    """What encloses each place of a text.

    Args:
        channels: for each kind of mark that can cancel a sentence, where it begins and ends, in order.
        tags: the same for pairs of tags, which mostly name what they enclose, as a heading does.
    """

    channels: tuple[tuple[ContextChange, ...], ...]
    tags: tuple[ContextChange, ...] = ()

    def at(self, place: int) -> tuple[str, ...]:
        """What encloses a place (in characters), by kind, without tags; all empty where nothing does."""
        return tuple(_state_at(changes, place) for changes in self.channels)

    def tags_at(self, place: int) -> str:
        """The tags around a place (in characters); empty where there are none."""
        return _state_at(self.tags, place)


def markup_of(text: str) -> MarkupContext:
    """What encloses each place of a prompt, or of one message of it."""
    kinds = (_statements(text), _comments(text), _fences(text), _crossed_out(text))
    return MarkupContext(tuple(map(tuple, kinds)), tuple(_tags(text)))


def _state_at(changes: Sequence[ContextChange], place: int) -> str:
    number = bisect_right(changes, place, key=lambda change: change[0])
    return changes[number - 1][1] if number else ""


class _OpenMarks:
    """What is open at a place, the innermost last."""

    def __init__(self) -> None:
        self._stack: list[tuple[str, str]] = []
        self._names: Counter[str] = Counter()

    def push(self, name: str, rest: str = "") -> None:
        self._stack.append((name, _comparable(rest)))
        self._names[name] += 1

    def branch(self, name: str, rest: str) -> None:
        """Begin another branch of the innermost one."""
        if self._stack:
            opened, condition = self._stack[-1]
            self._stack[-1] = opened, _comparable(f"{condition}; {name} {rest}")

    def close(self, name: str) -> None:
        """Close the last one of a name, and all within it."""
        closed = ""
        while self._names[name] and closed != name:
            closed, _ = self._stack.pop()
            self._names[closed] -= 1

    @property
    def state(self) -> str:
        """As text, to compare."""
        marks = (" ".join(mark) for mark in self._stack[:_DEPTH])
        return "\n".join((*marks, str(len(self._stack)))) if self._stack else ""


def _comparable(mark: str) -> str:
    mark = " ".join(mark.split())
    return mark if len(mark) <= _MARK_CHARS else sha256(mark.encode("utf-8", "surrogatepass")).hexdigest()


def _statements(text: str) -> Iterator[ContextChange]:
    """Comments and blocks of Jinja, also of a text that Jinja would refuse."""
    marks = _OpenMarks()
    place, unclosed = 0, set[str]()
    while match := _STATEMENT.search(text, place):
        place, opening = match.end(), match[0]
        end = -1 if opening in unclosed else text.find(opening[1] + "}", place)
        if end < 0:
            unclosed.add(opening)
            continue
        if opening == "{#":
            yield place, f"{marks.state}\n{opening}"
        elif name := _STATEMENT_NAME.match(text, place, end):
            if name[1] == "raw":
                yield place, f"{marks.state}\nraw"
                end_raw = _END_RAW.search(text, end)
                end = text.find("%}", end_raw.end()) if end_raw else -1
                end = len(text) if end < 0 else end
            else:
                _apply_statement(marks, name[1], text[name.end() : end].rstrip().rstrip("-+"))
        place = end + 2
        yield place, marks.state


def _apply_statement(marks: _OpenMarks, name: str, rest: str) -> None:
    if name in _BLOCKS and not (name == "set" and "=" in rest):
        marks.push(name, rest)
    elif name in _BRANCHES:
        marks.branch(name, rest)
    elif name.startswith("end"):
        marks.close(name.removeprefix("end"))


def _comments(text: str) -> Iterator[ContextChange]:
    """Comments of HTML; a comment opened twice differs from one opened once."""
    opened = 0
    for match in _COMMENT.finditer(text):
        opened = opened + 1 if match[0] == "<!--" else 0
        yield match.end(), f"<!-- {opened}" if opened else ""


def _fences(text: str) -> Iterator[ContextChange]:
    for fence in fences(text):
        yield fence.start, fence.mark
        yield fence.end, ""


def _tags(text: str) -> Iterator[ContextChange]:
    """Pairs of tags, of any name: `<name>` alone is a placeholder."""
    tags = list(_TAG.finditer(text))
    last_closing = {tag[2]: tag.start() for tag in tags if tag[1]}
    marks = _OpenMarks()
    for tag in tags:
        if tag[1]:
            marks.close(tag[2])
        elif tag.start() < last_closing.get(tag[2], -1) and not tag[3].endswith("/"):
            marks.push(tag[2], tag[3])
        yield tag.end(), marks.state


def _crossed_out(text: str) -> Iterator[ContextChange]:
    """Crossed out with tildes, up to the next empty line at most."""
    crossed = False
    for match in _CROSSED_OUT.finditer(text):
        crossed = not crossed and match[0] == "~~"
        yield match.end(), "~~" if crossed else ""
