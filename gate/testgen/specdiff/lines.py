"""Lines of a prompt: which begin an item or a heading, and which of them make one paragraph."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from gate.testgen.specdiff.context import fences_of

MARKER = re.compile(r"\s*(?:[-*+•–]|\d{1,3}[.)]|[a-zA-Z][.)])\s+")
HEADING = re.compile(r"\s{0,3}(#{1,6})\s+")
_FINISHED = re.compile(r"[.!?;:…。！？；：][\"'”’)\]*_]*\s*$")
_BOLD = re.compile(r"\s{0,3}(\*\*|__)(?=\S)(?!.*\1.*\1\s*$).+\1\s*$")
_RULES = {"=": 1, "-": 2}
"""Levels of headings by what underlines them."""
_UNDERLINE = re.compile(r"\s{0,3}(={2,}|-{2,})\s*$")
_OF_BOLD, _OF_CAPITALS = 7, 8
"""Levels below those of all marked headings."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line.

    Args:
        start: place in its text, in characters.
        text: with its line break.
        fenced: it is code.
        heading: level; 0 where it is none. A line of its own that is underlined, bold or in capitals is one, unless
            it ends as a sentence does.
        leads: it is no sentence of its own, and a list stands below it, or one that is set in further.
    """

    start: int
    text: str
    fenced: bool
    heading: int = 0
    leads: bool = False

    @property
    def marked(self) -> bool:
        """It begins an item of a list."""
        return not self.fenced and MARKER.match(self.text) is not None

    @property
    def opens(self) -> bool:
        """It is a heading, or begins an item of a list."""
        return bool(self.heading) or self.marked

    @property
    def blank(self) -> bool:
        """It says nothing."""
        return not self.text.strip()

    @property
    def finished(self) -> bool:
        """It ends as a sentence does, or as a lead-in."""
        return _FINISHED.search(self.text) is not None

    @property
    def depth(self) -> tuple[int, bool]:
        """How far it is set in, and whether it is an item of a list."""
        blank = self.text[: len(self.text) - len(self.text.lstrip())]
        return len(blank.expandtabs(4)), self.marked


def blocks(text: str) -> Iterator[list[Line]]:
    """Lines that make one paragraph, item or heading.

    Args:
        text: of a prompt.
    """
    block: list[Line] = []
    for line in _led(_headed(list(_lines(text)))):
        if block and _goes_on(block[-1], line):
            block.append(line)
            continue
        if block:
            yield block
        block = [line]
    if block:
        yield block


def _goes_on(before: Line, line: Line) -> bool:
    if before.fenced or line.fenced or before.heading or line.opens or before.blank:
        return False
    begun = line.text.lstrip()[:1]
    return (begun.islower() or begun.isdigit()) and not before.finished


def _lines(text: str) -> Iterator[Line]:
    start, fences = 0, fences_of(text)
    for line in text.splitlines(keepends=True):
        ends = (start, start + len(line.rstrip("\r\n")))
        fenced = any(any(fences.at(place)) for place in ends)
        yield Line(start, line, fenced, 0 if fenced else _marked_level(line))
        start += len(line)


def _marked_level(line: str) -> int:
    found = HEADING.match(line)
    return len(found[1]) if found else 0


def _headed(lines: list[Line]) -> list[Line]:
    """Lines that are headings by what is below them, or by how they look."""
    out = lines[:1]
    for before, line in pairwise([*lines, Line(0, "", fenced=False)]):
        if not (before.opens or before.fenced or before.blank):
            out[-1] = replace(before, heading=_level(before, line))
        out.append(line)
    return out[:-1]


def _level(line: Line, below: Line) -> int:
    under = _UNDERLINE.match(below.text)
    if under and not below.fenced and (under[1][0] == "=" or not line.finished) and not _UNDERLINE.match(line.text):
        return _RULES[under[1][0]]
    if line.finished:
        return 0
    if _BOLD.match(line.text):
        return _OF_BOLD
    letters = [char for char in line.text if char.isalpha()]
    capitals = len(letters) > 1 and line.text.isupper() and not _goes_on(replace(line, heading=0), below)
    return _OF_CAPITALS if capitals else 0


def _led(lines: list[Line]) -> Iterator[Line]:
    """A line above a list leads it, unless it ends as a sentence does and so stands for itself."""
    said = [place for place, line in enumerate(lines) if not line.blank]
    below = dict(pairwise(said))
    for place, line in enumerate(lines):
        following = below.get(place)
        if following is None or line.heading or line.fenced or line.finished or not lines[following].marked:
            yield line
        else:
            yield replace(line, leads=not line.marked or lines[following].depth[0] > line.depth[0])
