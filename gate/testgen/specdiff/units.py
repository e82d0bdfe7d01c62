"""Takes a prompt apart into sentences, each with the heading or lead-in that it stands under."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

from gate.testgen.specdiff.context import Context, context_of, fences_of
from gate.testgen.subject import Piece

Key: TypeAlias = tuple[tuple[str, ...], str, str, str]

_MARKER = re.compile(r"\s*(?:[-*+•–]|\d{1,3}[.)]|[a-zA-Z][.)])\s+")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+")
_ENDS = re.compile(r"(?:[.!?;…][\"'”’)\]*_]*(?=\s)|[。！？；])\s*")
_ABBREVIATED = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|etc|cf|vs|no|approx|z\.B|d\.h|bzw|usw|\w)\.$", re.IGNORECASE)
_FINISHED = re.compile(r"[.!?;:…。！？；：][\"'”’)\]*_]*\s*$")
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "‘": "'", "–": "-", "—": "-"})
_LEAD_IN = (":", "：")
_STOPS = ".;!。；！"
_LIVE = re.compile(r"\{[{%#]")


@dataclass(frozen=True, slots=True)
class Unit:
    """One sentence, or one item of a list, of a prompt.

    Args:
        start, end: place in the prompt, in characters.
        words: what it says, without markup, quotes' shapes, numbering and white space. Capitals and digits count.
        under: the headings and the lead-ins that it stands under, in the same form; empty where there are none. What a
            list item demands hangs on them: "Never:" or "Always:".
        tags: the tags around it.
        within: the role of its message, and what may take it back there: a statement of a template, a comment, a fence,
            words that are crossed out.
    """

    start: int
    end: int
    words: str
    under: str
    tags: str = ""
    within: tuple[str, ...] = ()

    @property
    def key(self) -> Key:
        """Two units with the same key say the same."""
        return self.within, self.tags, self.under, self.words


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str
    fenced: bool

    @property
    def opens(self) -> bool:
        """It is a heading, or begins an item of a list."""
        return not self.fenced and bool(_HEADING.match(self.text) or _MARKER.match(self.text))

    @property
    def depth(self) -> tuple[int, bool]:
        """How far it is set in, and whether it is an item of a list."""
        item = not self.fenced and bool(_MARKER.match(self.text))
        blank = self.text[: len(self.text) - len(self.text.lstrip())]
        return len(blank.expandtabs(4)), item

    @property
    def heading(self) -> int:
        """Level of a heading; 0 where it is none."""
        found = None if self.fenced else _HEADING.match(self.text)
        return len(found[1]) if found else 0


@lru_cache(maxsize=8_192)
def plain(text: str) -> str:
    """A sentence without what does not change what it says: markup, shapes of quotes, numbering, blanks, a full stop.

    Args:
        text: some words of a prompt, or a rule.
    """
    text = _HEADING.sub("", text, count=1) if _HEADING.match(text) else text
    found = _MARKER.match(text)
    text = text[found.end() :] if found else text
    text = re.sub(r"[*_`]{2,}|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)", "", text).translate(_QUOTES)
    said = " ".join(text.split())
    bare = said.rstrip(_STOPS)
    if not bare.endswith(" "):
        return bare
    return said if bare.strip(f"{_STOPS} ") else ""


@lru_cache(maxsize=8)
def units_of(text: str, pieces: tuple[Piece, ...] = ()) -> tuple[Unit, ...]:
    """The sentences of a prompt in order; white space belongs to none.

    A line that goes on in the next one with a small letter or a digit is one sentence with it, so that new line breaks
    are no change. A title, which is a heading of the first level at the very beginning, is no scope.

    Args:
        text: the prompt.
        pieces: its messages and files, of which each is taken apart for itself; the text is one piece without them.
    """
    out: list[Unit] = []
    for piece, context in _contexts(text, pieces):
        own, scope = text[piece.start : piece.end], _Scope()
        for block in _blocks(own):
            first, end = block[0], block[-1].start + len(block[-1].text)
            said = plain(own[first.start : end])
            for unit in _sentences(own, first.start, end, scope.entered(first)):
                out.append(_placed(unit, piece, context))
            scope = scope.after(first, said)
    return tuple(out)


def _placed(unit: Unit, piece: Piece, context: Context) -> Unit:
    """A sentence of a piece as one of the prompt."""
    role, live, *around = _within(piece, context, unit.start)
    return replace(
        unit,
        start=unit.start + piece.start,
        end=unit.end + piece.start,
        tags=context.tagged(unit.start),
        within=(role, live or ("template" if piece.template and _LIVE.search(unit.words) else ""), *around),
    )


def _within(piece: Piece, context: Context, place: int) -> tuple[str, ...]:
    around = context.at(place)
    return piece.role, "template" if piece.template and any(around) else "", *around


def within(text: str, pieces: tuple[Piece, ...], place: int) -> tuple[str, ...]:
    """The role of the message around one place, and what may take it back there; see `Unit.within`.

    Args:
        text: the prompt.
        pieces: its messages and files.
        place: in characters.
    """
    for piece, context in _contexts(text, pieces):
        if piece.start <= place < piece.end:
            return _within(piece, context, place - piece.start)
    return ()


@lru_cache(maxsize=8)
def _contexts(text: str, pieces: tuple[Piece, ...]) -> tuple[tuple[Piece, Context], ...]:
    whole = pieces or (Piece(0, len(text)),)
    return tuple((piece, context_of(text[piece.start : piece.end])) for piece in whole)


@dataclass(frozen=True, slots=True)
class _Lead:
    depth: tuple[int, bool]
    words: str


@dataclass(frozen=True, slots=True)
class _Scope:
    """What the next lines hang on.

    Args:
        headings: levels and words of those that are open.
        leads: lead-ins that are open; one holds for the list below it, and for plain lines up to an empty one.
        apart: an empty line came.
        begun: something was said.
    """

    headings: tuple[tuple[int, str], ...] = ()
    leads: tuple[_Lead, ...] = ()
    apart: bool = False
    begun: bool = False

    def entered(self, line: _Line) -> str:
        """The scope of a block that begins with this line."""
        if line.heading:
            return "\n".join(words for level, words in self.headings if level < line.heading)
        return "\n".join((*(words for _, words in self.headings), *(lead.words for lead in self._leads(line))))

    def after(self, line: _Line, said: str) -> "_Scope":
        """The scope behind that block."""
        if not said:
            return replace(self, apart=True)
        if line.heading:
            open_ = tuple(one for one in self.headings if one[0] < line.heading)
            titled = line.heading == 1 and not self.begun
            return _Scope(open_ if titled else (*open_, (line.heading, said)), begun=True)
        leads, depth = self._leads(line), line.depth
        if said.endswith(_LEAD_IN):
            leads = (*(lead for lead in leads if lead.depth < depth), _Lead(depth, said))
        return _Scope(self.headings, leads, begun=True)

    def _leads(self, line: _Line) -> tuple[_Lead, ...]:
        if self.apart and not (line.opens or line.fenced or line.text[:1].isspace()):
            return ()
        depth = line.depth
        return tuple(lead for lead in self.leads if not lead.depth[1] or lead.depth < depth)


def _sentences(text: str, start: int, end: int, under: str) -> Iterator[Unit]:
    place = start
    marker = _MARKER.match(text, start, end)
    floor = marker.end() if marker else start
    for found in _ENDS.finditer(text, floor, end):
        if found[0].startswith(".") and _ABBREVIATED.search(text[max(place, found.start() - 12) : found.start() + 1]):
            continue
        yield from _unit(text, place, found.end(), under)
        place = found.end()
    yield from _unit(text, place, end, under)


def _unit(text: str, start: int, end: int, under: str) -> Iterator[Unit]:
    part = text[start:end]
    if words := plain(part):
        lead = len(part) - len(part.lstrip())
        yield Unit(start + lead, start + len(part.rstrip()), words, under)


def _blocks(text: str) -> Iterator[list[_Line]]:
    """Lines that make one paragraph, item or heading."""
    block: list[_Line] = []
    for line in _lines(text):
        if block and _goes_on(block[-1], line):
            block.append(line)
            continue
        if block:
            yield block
        block = [line]
    if block:
        yield block


def _goes_on(before: _Line, line: _Line) -> bool:
    if before.fenced or line.fenced or before.heading or line.opens or not before.text.strip():
        return False
    begun = line.text.lstrip()[:1]
    return (begun.islower() or begun.isdigit()) and not _FINISHED.search(before.text)


def _lines(text: str) -> Iterator[_Line]:
    start, fences = 0, fences_of(text)
    for line in text.splitlines(keepends=True):
        ends = (start, start + len(line.rstrip("\r\n")))
        yield _Line(start, line, any(any(fences.at(place)) for place in ends))
        start += len(line)
