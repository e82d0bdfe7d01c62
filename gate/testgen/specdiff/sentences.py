"""Splits a prompt into lines and sentences, each with its heading or lead-in and with what encloses it.

That is a statement of a template, a comment, a fence, a tag, crossed-out words. Whether the prompt is a template or
rendered as Markdown does not matter here: a sentence that such marks now enclose is looked at again. Something that
only looks like a mark costs a second look at most.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from itertools import pairwise
from typing import TypeAlias

from gate.testgen.prompt_under_test import PromptPiece

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


ITEM_MARKER = re.compile(r"\s*(?:[-*+•–]|\d{1,3}[.)]|[a-zA-Z][.)])\s+")
HEADING = re.compile(r"\s{0,3}(#{1,6})\s+")
_FINISHED = re.compile(r"[.!?;:…。！？；：][\"'”’)\]*_]*\s*$")
_BOLD = re.compile(r"\s{0,3}(\*\*|__)(?=\S)(?!.*\1.*\1\s*$).+\1\s*$")
_RULES = {"=": 1, "-": 2}
"""Levels of headings by the character that underlines them."""
_UNDERLINE = re.compile(r"\s{0,3}(={2,}|-{2,})\s*$")
_OF_BOLD, _OF_CAPITALS = 7, 8
"""Levels below those of all marked headings."""


@dataclass(frozen=True, slots=True)
class PromptLine:
    """One line.

    Args:
        heading: level; 0 where it is none. A line of its own that is underlined, bold or in capitals is one, unless
            it ends as a sentence does.
        leads: it is no sentence of its own, and a list follows; of a list item, one indented further.
    """

    start: int
    text: str
    fenced: bool
    heading: int = 0
    leads: bool = False

    @property
    def marked(self) -> bool:
        """Does it begin an item of a list?"""
        return not self.fenced and ITEM_MARKER.match(self.text) is not None

    @property
    def opens(self) -> bool:
        """Is it a heading, or does it begin an item of a list?"""
        return bool(self.heading) or self.marked

    @property
    def blank(self) -> bool:
        """Is it without words?"""
        return not self.text.strip()

    @property
    def finished(self) -> bool:
        """Does it end as a sentence does, or as a lead-in?"""
        return _FINISHED.search(self.text) is not None

    @property
    def depth(self) -> tuple[int, bool]:
        """Its indentation, and whether it is an item of a list."""
        blank = self.text[: len(self.text) - len(self.text.lstrip())]
        return len(blank.expandtabs(4)), self.marked


def blocks(text: str) -> Iterator[list[PromptLine]]:
    """The lines of a prompt, grouped into paragraphs, items and headings."""
    block: list[PromptLine] = []
    for line in _led(_headed(list(_lines(text)))):
        if block and _goes_on(block[-1], line):
            block.append(line)
            continue
        if block:
            yield block
        block = [line]
    if block:
        yield block


def _goes_on(before: PromptLine, line: PromptLine) -> bool:
    if before.fenced or line.fenced or before.heading or line.opens or before.blank:
        return False
    begun = line.text.lstrip()[:1]
    return (begun.islower() or begun.isdigit()) and not before.finished


def _lines(text: str) -> Iterator[PromptLine]:
    start, fences = 0, fences_of(text)
    for line in text.splitlines(keepends=True):
        ends = (start, start + len(line.rstrip("\r\n")))
        fenced = any(any(fences.at(place)) for place in ends)
        yield PromptLine(start, line, fenced, 0 if fenced else _marked_level(line))
        start += len(line)


def _marked_level(line: str) -> int:
    found = HEADING.match(line)
    return len(found[1]) if found else 0


def _headed(lines: list[PromptLine]) -> list[PromptLine]:
    """Lines that are headings by the line below, or by how they look."""
    out = lines[:1]
    for before, line in pairwise([*lines, PromptLine(0, "", fenced=False)]):
        if not (before.opens or before.fenced or before.blank):
            out[-1] = replace(before, heading=_level(before, line))
        out.append(line)
    return out[:-1]


def _level(line: PromptLine, below: PromptLine) -> int:
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


def _led(lines: list[PromptLine]) -> Iterator[PromptLine]:
    """A line above a list leads it, unless it ends as a sentence does."""
    said = [place for place, line in enumerate(lines) if not line.blank]
    below = dict(pairwise(said))
    for place, line in enumerate(lines):
        following = below.get(place)
        if following is None or line.heading or line.fenced or line.finished or not lines[following].marked:
            yield line
        else:
            yield replace(line, leads=not line.marked or lines[following].depth[0] > line.depth[0])


SentenceKey: TypeAlias = tuple[tuple[str, ...], str, str, str]

_ENDS = re.compile(r"(?:[.!?;…][\"'”’)\]*_]*(?=\s)|[。！？；])\s*")
_ABBREVIATED = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|etc|cf|vs|no|approx|z\.B|d\.h|bzw|usw|\w)\.$", re.IGNORECASE)
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "‘": "'", "–": "-", "—": "-"})
_LEAD_IN = (":", "：")
_STOPS = ".;!。；！"
_LIVE = re.compile(r"\{[{%#]")


@dataclass(frozen=True, slots=True)
class PromptSentence:
    """One sentence, or one item of a list, of a prompt.

    Args:
        under: its headings and lead-ins in the same form; may be empty. What a list item demands depends on them:
            "Never:" or "Always:".
        within: the role of its message, and what may cancel it there: a statement of a template, a comment, a fence,
            words that are crossed out.
    """

    start: int
    end: int
    words: str
    under: str
    tags: str = ""
    within: tuple[str, ...] = ()

    @property
    def key(self) -> SentenceKey:
        """Two sentences with the same key say the same."""
        return self.within, self.tags, self.under, self.words


@lru_cache(maxsize=8_192)
def plain_text(text: str) -> str:
    """Words of a prompt or a rule without markup, shapes of quotes, numbering, blanks and a full stop."""
    text = HEADING.sub("", text, count=1) if HEADING.match(text) else text
    found = ITEM_MARKER.match(text)
    text = text[found.end() :] if found else text
    text = re.sub(r"[*_`]{2,}|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)", "", text).translate(_QUOTES)
    said = " ".join(text.split())
    bare = said.rstrip(_STOPS)
    if not bare.endswith(" "):
        return bare
    return said if bare.strip(f"{_STOPS} ") else ""


@lru_cache(maxsize=8)
def sentences_of(text: str, pieces: tuple[PromptPiece, ...] = ()) -> tuple[PromptSentence, ...]:
    """The sentences of a prompt in order; white space belongs to none.

    A line that continues in the next one with a small letter or a digit is one sentence with it, so that new line
    breaks are no change. A title, which is a heading of the first level at the very beginning, is no scope.
    """
    out: list[PromptSentence] = []
    for piece, context in _contexts(text, pieces):
        own, scope = text[piece.start : piece.end], _Scope()
        for block in blocks(own):
            first, end = block[0], block[-1].start + len(block[-1].text)
            said = plain_text(own[first.start : end])
            units = list(_sentences(own, first.start, end, scope.entered(first)))
            out += (_placed(unit, piece, context) for unit in units)
            leads = units[-1].words if units and block[-1].leads else ""
            scope = scope.after(first, said, leads)
    return tuple(out)


def _placed(unit: PromptSentence, piece: PromptPiece, context: MarkupContext) -> PromptSentence:
    """A sentence of a piece as one of the prompt."""
    role, live, *around = _within(piece, context, unit.start)
    return replace(
        unit,
        start=unit.start + piece.start,
        end=unit.end + piece.start,
        tags=context.tagged(unit.start),
        within=(role, live or ("template" if piece.template and _LIVE.search(unit.words) else ""), *around),
    )


def _within(piece: PromptPiece, context: MarkupContext, place: int) -> tuple[str, ...]:
    around = context.at(place)
    return piece.role, "template" if piece.template and any(around) else "", *around


def markup_at(text: str, pieces: tuple[PromptPiece, ...], place: int) -> tuple[str, ...]:
    """The role of the message around a place (in characters), and what may cancel it; see `PromptSentence.within`."""
    for piece, context in _contexts(text, pieces):
        if piece.start <= place < piece.end:
            return _within(piece, context, place - piece.start)
    return ()


@lru_cache(maxsize=8)
def _contexts(text: str, pieces: tuple[PromptPiece, ...]) -> tuple[tuple[PromptPiece, MarkupContext], ...]:
    whole = pieces or (PromptPiece(0, len(text)),)
    return tuple((piece, markup_of(text[piece.start : piece.end])) for piece in whole)


@dataclass(frozen=True, slots=True)
class _Lead:
    depth: tuple[int, bool]
    words: str


@dataclass(frozen=True, slots=True)
class _Scope:
    """The headings and lead-ins of the next lines."""

    headings: tuple[tuple[int, str], ...] = ()
    leads: tuple[_Lead, ...] = ()
    apart: bool = False
    begun: bool = False

    def entered(self, line: PromptLine) -> str:
        """The scope of a block that begins with this line."""
        if line.heading:
            return "\n".join(words for level, words in self.headings if level < line.heading)
        return "\n".join((*(words for _, words in self.headings), *(lead.words for lead in self._leads(line))))

    def after(self, line: PromptLine, said: str, leads: str) -> "_Scope":
        """The scope behind that block, whose last sentence may lead a list."""
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

    def _leads(self, line: PromptLine) -> tuple[_Lead, ...]:
        if self.apart and not (line.opens or line.fenced or line.text[:1].isspace()):
            return ()
        depth = line.depth
        return tuple(lead for lead in self.leads if not lead.depth[1] or lead.depth < depth)


def _sentences(text: str, start: int, end: int, under: str) -> Iterator[PromptSentence]:
    place = start
    marker = ITEM_MARKER.match(text, start, end)
    floor = marker.end() if marker else start
    for found in _ENDS.finditer(text, floor, end):
        if found[0].startswith(".") and _ABBREVIATED.search(text[max(place, found.start() - 12) : found.start() + 1]):
            continue
        yield from _unit(text, place, found.end(), under)
        place = found.end()
    yield from _unit(text, place, end, under)


def _unit(text: str, start: int, end: int, under: str) -> Iterator[PromptSentence]:
    part = text[start:end]
    if words := plain_text(part):
        lead = len(part) - len(part.lstrip())
        yield PromptSentence(start + lead, start + len(part.rstrip()), words, under)
