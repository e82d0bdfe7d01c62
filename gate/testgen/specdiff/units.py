"""Takes a prompt apart into sentences, each with the heading or lead-in that it stands under."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_MARKER = re.compile(r"\s*(?:[-*+•–]|\d{1,3}[.)]|[a-zA-Z][.)])\s+")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+")
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_ENDS = re.compile(r"(?:[.!?;…][\"'”’)\]*_]*(?=\s)|[。！？；])\s*")
_ABBREVIATED = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|etc|cf|vs|no|approx|z\.B|d\.h|bzw|usw|\w)\.$", re.IGNORECASE)
_FINISHED = re.compile(r"[.!?;:…。！？；：][\"'”’)\]*_]*\s*$")
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "‘": "'", "–": "-", "—": "-"})
_LEAD_IN = (":", "：")


@dataclass(frozen=True, slots=True)
class Unit:
    """One sentence, or one item of a list, of a prompt.

    Args:
        start, end: place in the prompt, in characters.
        words: what it says, without markup, quotes' shapes, numbering and white space. Capitals and digits count.
        under: the heading and the lead-in that it stands under, in the same form; empty where there are none. What a
            list item demands hangs on them: "Never:" or "Always:".
    """

    start: int
    end: int
    words: str
    under: str

    @property
    def key(self) -> tuple[str, str]:
        """Two units with the same key say the same."""
        return self.under, self.words


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
    return " ".join(text.split()).rstrip(".;!。；！ ")


@lru_cache(maxsize=8)
def units_of(text: str) -> tuple[Unit, ...]:
    """The sentences of a prompt in order; white space belongs to none.

    A line that goes on in the next one with a small letter or a digit is one sentence with it, so that new line breaks
    are no change. A title, which is a heading of the first level, is no scope: nothing hangs on it.

    Args:
        text: the prompt.
    """
    out: list[Unit] = []
    scope = _Scope()
    for block in _blocks(text):
        first, end = block[0], block[-1].start + len(block[-1].text)
        said = plain(text[first.start : end])
        out += _sentences(text, first.start, end, scope.entered(first))
        scope = scope.after(first, said)
    return tuple(out)


@dataclass(frozen=True, slots=True)
class _Scope:
    """What the next lines hang on; a lead-in holds for the list below it, and for plain lines up to an empty one."""

    heading: str = ""
    lead: str = ""
    apart: bool = False

    def entered(self, line: _Line) -> str:
        """The scope of a block that begins with this line."""
        return "" if line.heading else "\n".join(part for part in (self.heading, self._lead(line)) if part)

    def after(self, line: _Line, said: str) -> "_Scope":
        """The scope behind that block."""
        if line.heading:
            return _Scope(said if line.heading > 1 else "")
        if not said:
            return _Scope(self.heading, self.lead, apart=True)
        return _Scope(self.heading, said if said.endswith(_LEAD_IN) else self._lead(line))

    def _lead(self, line: _Line) -> str:
        ends = self.apart and not (line.opens or line.fenced or line.text[:1].isspace())
        return "" if ends else self.lead


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
    start, fenced = 0, False
    for line in text.splitlines(keepends=True):
        mark = bool(_FENCE.match(line))
        yield _Line(start, line, fenced or mark)
        fenced ^= mark
        start += len(line)
