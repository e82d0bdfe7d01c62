"""Takes a prompt apart into sentences, each with the heading or lead-in that it stands under."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

from gate.testgen.specdiff.context import Context, context_of
from gate.testgen.specdiff.lines import HEADING, MARKER, Line, blocks
from gate.testgen.subject import Piece

Key: TypeAlias = tuple[tuple[str, ...], str, str, str]

_ENDS = re.compile(r"(?:[.!?;…][\"'”’)\]*_]*(?=\s)|[。！？；])\s*")
_ABBREVIATED = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|etc|cf|vs|no|approx|z\.B|d\.h|bzw|usw|\w)\.$", re.IGNORECASE)
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


@lru_cache(maxsize=8_192)
def plain(text: str) -> str:
    """A sentence without what does not change what it says: markup, shapes of quotes, numbering, blanks, a full stop.

    Args:
        text: some words of a prompt, or a rule.
    """
    text = HEADING.sub("", text, count=1) if HEADING.match(text) else text
    found = MARKER.match(text)
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
        for block in blocks(own):
            first, end = block[0], block[-1].start + len(block[-1].text)
            said = plain(own[first.start : end])
            units = list(_sentences(own, first.start, end, scope.entered(first)))
            out += (_placed(unit, piece, context) for unit in units)
            leads = units[-1].words if units and block[-1].leads else ""
            scope = scope.after(first, said, leads)
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

    def entered(self, line: Line) -> str:
        """The scope of a block that begins with this line."""
        if line.heading:
            return "\n".join(words for level, words in self.headings if level < line.heading)
        return "\n".join((*(words for _, words in self.headings), *(lead.words for lead in self._leads(line))))

    def after(self, line: Line, said: str, leads: str) -> "_Scope":
        """The scope behind that block, of which the last sentence may lead a list."""
        if not said:
            return replace(self, apart=True)
        if line.heading:
            open_ = tuple(one for one in self.headings if one[0] < line.heading)
            titled = line.heading == 1 and not self.begun
            return _Scope(open_ if titled else (*open_, (line.heading, said)), begun=True)
        open_leads, depth = self._leads(line), line.depth
        if words := said if said.endswith(_LEAD_IN) else leads:
            open_leads = (*(lead for lead in open_leads if lead.depth < depth), _Lead(depth, words))
        return _Scope(self.headings, open_leads, begun=True)

    def _leads(self, line: Line) -> tuple[_Lead, ...]:
        if self.apart and not (line.opens or line.fenced or line.text[:1].isspace()):
            return ()
        depth = line.depth
        return tuple(lead for lead in self.leads if not lead.depth[1] or lead.depth < depth)


def _sentences(text: str, start: int, end: int, under: str) -> Iterator[Unit]:
    place = start
    marker = MARKER.match(text, start, end)
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
