"""What encloses a place of a prompt: a statement of a template, a comment, a fence, a tag, crossed-out words.

Whether the prompt is a template or rendered as Markdown does not matter here: a sentence that such marks now enclose
is looked at again. Something that only looks like a mark costs a second look at most.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeAlias

ContextChange: TypeAlias = tuple[int, str]
"""From a place on, what encloses the text; empty for nothing."""

_STATEMENT = re.compile(r"\{[#%]")
_NAMED = re.compile(r"[-+]?\s*(\w+)")
_END_RAW = re.compile(r"\{%[-+]?\s*endraw\b")
_BLOCKS = frozenset({"if", "for", "macro", "call", "filter", "with", "block", "autoescape", "trans", "set"})
_BRANCHES = frozenset({"else", "elif", "pluralize"})
_COMMENT = re.compile(r"<!--|-->")
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})([^\r\n]*)", re.MULTILINE)
_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]*)((?:\s[^<>]*)?)>")
_CROSSED = re.compile(r"(?<!~)~~(?!~)|\n[ \t]*\n")
_LONGEST = 200
"""Characters of a mark that are kept; a longer one is replaced by its hash."""
_DEEP = 20
"""Levels that are kept apart; deeper ones are only counted."""


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
        return tuple(_at(changes, place) for changes in self.channels)

    def tagged(self, place: int) -> str:
        """The tags around a place (in characters); empty where there are none."""
        return _at(self.tags, place)


def markup_of(text: str) -> MarkupContext:
    """What encloses each place of a prompt, or of one message of it."""
    kinds: Sequence[Callable[[str], Iterator[ContextChange]]] = (_statements, _comments, _fences, _crossed)
    return MarkupContext(tuple(tuple(kind(text)) for kind in kinds), tuple(_tags(text)))


def fences_of(text: str) -> MarkupContext:
    """The same for code fences alone."""
    return MarkupContext((tuple(_fences(text)),))


def _at(changes: Sequence[ContextChange], place: int) -> str:
    found = bisect_right(changes, place, key=lambda change: change[0])
    return changes[found - 1][1] if found else ""


class _Open:
    """What is open at a place, the innermost last."""

    def __init__(self) -> None:
        self._stack: list[tuple[str, str]] = []
        self._names: Counter[str] = Counter()

    def push(self, name: str, rest: str = "") -> None:
        self._stack.append((name, _short(rest)))
        self._names[name] += 1

    def branch(self, name: str, rest: str) -> None:
        """Begin another branch of the innermost one."""
        if self._stack:
            opened, said = self._stack[-1]
            self._stack[-1] = opened, _short(f"{said}; {name} {rest}")

    def close(self, name: str) -> None:
        """Close the last one of a name, and all within it."""
        closed = ""
        while self._names[name] and closed != name:
            closed, _ = self._stack.pop()
            self._names[closed] -= 1

    @property
    def state(self) -> str:
        """As text, to compare."""
        told = (" ".join(one) for one in self._stack[:_DEEP])
        return "\n".join((*told, str(len(self._stack)))) if self._stack else ""


def _short(said: str) -> str:
    said = " ".join(said.split())
    return said if len(said) <= _LONGEST else sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def _statements(text: str) -> Iterator[ContextChange]:
    """Comments and blocks of Jinja."""
    opened = _Open()
    place, unclosed = 0, set[str]()
    while found := _STATEMENT.search(text, place):
        place, mark = found.end(), found[0]
        end = -1 if mark in unclosed else text.find(mark[1] + "}", place)
        if end < 0:
            unclosed.add(mark)
            continue
        if mark == "{#":
            yield place, f"{opened.state}\n{mark}"
        elif named := _NAMED.match(text, place, end):
            if named[1] == "raw":
                yield place, f"{opened.state}\nraw"
                ending = _END_RAW.search(text, end)
                end = text.find("%}", ending.end()) if ending else -1
                end = len(text) if end < 0 else end
            else:
                _step(opened, named[1], text[named.end() : end].rstrip().rstrip("-+"))
        place = end + 2
        yield place, opened.state


def _step(opened: _Open, name: str, rest: str) -> None:
    """Apply one statement of a template to those that are open."""
    if name in _BLOCKS and not (name == "set" and "=" in rest):
        opened.push(name, rest)
    elif name in _BRANCHES:
        opened.branch(name, rest)
    elif name.startswith("end"):
        opened.close(name.removeprefix("end"))


def _comments(text: str) -> Iterator[ContextChange]:
    """Comments of HTML; a comment opened twice differs from one opened once."""
    opened = 0
    for found in _COMMENT.finditer(text):
        opened = opened + 1 if found[0] == "<!--" else 0
        yield found.end(), f"<!-- {opened}" if opened else ""


def _fences(text: str) -> Iterator[ContextChange]:
    opened = ""
    for found in _FENCE.finditer(text):
        mark, said = found[1], found[2].strip()
        if not opened and not (mark[0] == "`" and "`" in said):
            opened = mark
            yield found.end(), f"{mark[:3]}{said}"
        elif opened and mark.startswith(opened) and not said:
            opened = ""
            yield found.end(), ""


def _tags(text: str) -> Iterator[ContextChange]:
    """Pairs of tags, of any name: `<name>` alone is a placeholder."""
    found = list(_TAG.finditer(text))
    last = {tag[2]: tag.start() for tag in found if tag[1]}
    opened = _Open()
    for tag in found:
        if tag[1]:
            opened.close(tag[2])
        elif tag.start() < last.get(tag[2], -1) and not tag[3].endswith("/"):
            opened.push(tag[2], tag[3])
        yield tag.end(), opened.state


def _crossed(text: str) -> Iterator[ContextChange]:
    """Crossed out with tildes, up to the next empty line at most."""
    crossed = False
    for found in _CROSSED.finditer(text):
        crossed = not crossed and found[0] == "~~"
        yield found.end(), "~~" if crossed else ""
