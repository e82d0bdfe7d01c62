"""The blocks of a prompt, each with its headings and lead-ins; headings, lists and fences are those of markdown-it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

# Tags are ordinary lines here, and indented text is no code: lists stand within and below both.
_PARSER = MarkdownIt("commonmark").disable(["reference", "html_block", "code", "inline", "text_join"])
_LINE_BREAK = re.compile(r"\r\n?|\n")
ITEM_MARKER = re.compile(r"\s*(?:[-*+•‣–]|\d{1,3}[.)]|[a-zA-Z][.)])\s+")
HEADING = re.compile(r"\s{0,3}(#{1,6})\s+")
_OTHER_BULLET = re.compile(r"^([ \t]*)(?:[•‣–](?=[ \t])|[a-z][.)](?=[ \t])|[A-Z]\)(?=[ \t]))", re.MULTILINE)
"""Marks of items that Markdown does not know."""
_FINISHED = re.compile(r"[.!?;…。！？；][\"'”’)\]*_]*\s*$")
_TAG_LINE = re.compile(r"\s*<[^<>]*>\s*")
_BOLD_LEVEL, _CAPITALS_LEVEL = 7, 8
"""Levels below those of all headings of Markdown."""
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "‘": "'", "–": "-", "—": "-"})
_STOPS = ".;!。；！"
LEAD_ENDS = (":", "：")


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A heading, a paragraph or a line of one.

    Args:
        under: the headings and lead-ins above it, as plain text, one a line.
    """

    start: int
    end: int
    under: str


@dataclass(frozen=True, slots=True)
class Fence:
    """The inside of a code fence; `mark` has its language."""

    start: int
    end: int
    mark: str


@lru_cache(maxsize=8_192)
def plain_text(text: str) -> str:
    """Words of a prompt or a rule without markup, shapes of quotes, numbering, blanks and a full stop."""
    text = HEADING.sub("", text, count=1) if HEADING.match(text) else text
    marker = ITEM_MARKER.match(text)
    text = text[marker.end() :] if marker else text
    text = re.sub(r"[*_`]{2,}|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)", "", text).translate(_QUOTES)
    words = " ".join(text.split())
    bare = words.rstrip(_STOPS)
    if not bare.endswith(" "):
        return bare
    return words if bare.strip(f"{_STOPS} ") else ""


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A text as markdown-it reads it; `lines` are the places where its lines begin, with the end of the text."""

    tokens: Sequence[Token]
    lines: Sequence[int]


@lru_cache(maxsize=8)
def _parsed(text: str) -> _Parsed:
    starts = [0, *(match.end() for match in _LINE_BREAK.finditer(text))]
    # The same length, so that each line stays where it is.
    source = _OTHER_BULLET.sub(lambda match: f"{match[1]}{'-'.ljust(len(match[0]) - len(match[1]))}", text)
    return _Parsed(_PARSER.parse(source), (*starts, len(text)))


def fences(text: str) -> Iterator[Fence]:
    """The code fences of a text."""
    parsed = _parsed(text)
    for token in parsed.tokens:
        if token.type == "fence" and token.map is not None:
            first, behind = token.map
            start, end = parsed.lines[first + 1], parsed.lines[behind]
            yield Fence(start, max(start, end), f"{token.markup[:3]}{token.info.strip()}")


def text_blocks(text: str) -> list[TextBlock]:
    """The blocks of a text in order; together they hold all that is not blank.

    A line that continues in the next one with a small letter or a digit is one block with it, so that new line breaks
    are no change. A title, which is a heading of the first level at the very beginning, is no scope.
    """
    parsed = _parsed(text)
    walk = _BlockWalk(text, parsed.lines)
    for token in parsed.tokens:
        walk.take(token)
    return walk.with_the_rest()


class _BlockWalk:
    """Turns tokens into blocks, with the headings and lead-ins above each."""

    def __init__(self, text: str, lines: Sequence[int]) -> None:
        self._text = text
        self._lines = lines
        self._blocks: list[TextBlock] = []
        self._headings: list[tuple[int, str]] = []
        self._leads: list[str] = []
        self._last_line = ""
        self._level = 0
        self._taken: set[int] = set()

    def take(self, token: Token) -> None:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            self._leads.append(self._lead())
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            self._leads.pop()
        elif token.type == "heading_open":
            self._level = int(token.tag[1:])
            self._taken.update(range(*token.map or ()))
        elif token.type == "inline" and token.map is not None:
            self._taken.update(range(*token.map))
            for first, behind in self._line_groups(*token.map):
                self._add(first, behind, self._level)
            self._level = 0
            return
        elif token.type == "fence" and token.map is not None:
            self._taken.update(range(*token.map))
            lead = self._lead() if plain_text(self._last_line).endswith(LEAD_ENDS) else ""
            for line in range(*token.map):
                self._append(line, line + 1, self._under(lead))
        if token.type not in ("paragraph_close", "heading_close", "list_item_close"):
            self._last_line = ""

    def with_the_rest(self) -> list[TextBlock]:
        """All blocks; lines that the parser skips, such as very deep lists, are blocks of their own."""
        for line in range(len(self._lines) - 1):
            if line not in self._taken:
                self._append(line, line + 1, "")
        return sorted(self._blocks, key=lambda block: block.start)

    def _line_groups(self, first: int, behind: int) -> Iterator[tuple[int, int]]:
        """The lines of a paragraph, as far as one goes on in the next."""
        for line in range(first + 1, behind):
            before, text = self._line(line - 1), self._line(line)
            letter = text.lstrip("> \t")[:1]
            goes_on = (letter.islower() or letter.isdigit()) and not _ends_a_sentence(before)
            if not goes_on or ITEM_MARKER.match(text) or _heading_level(self._line(line - 1)):
                yield first, line
                first = line
        yield first, behind

    def _add(self, first: int, behind: int, level: int) -> None:
        text = self._text[self._lines[first] : self._lines[behind]]
        words = plain_text(text)
        underlined = HEADING.match(text) is None
        if underlined and _FINISHED.search(text):
            level = 0
        if not level and behind == first + 1 and not self._leads:
            level = _heading_level(text)
        if not level:
            self._append(first, behind, self._under())
            self._last_line = text
            return
        titled = level == 1 and not self._blocks
        self._headings = [heading for heading in self._headings if heading[0] < level]
        self._append(first, behind, self._under())
        self._headings += [] if titled or not words else [(level, words)]

    def _append(self, first: int, behind: int, under: str) -> None:
        if self._text[self._lines[first] : self._lines[behind]].strip():
            self._blocks.append(TextBlock(self._lines[first], self._lines[behind], under))

    def _lead(self) -> str:
        """The last line above, if it leads what follows."""
        if not self._last_line or _FINISHED.search(self._last_line) or _TAG_LINE.fullmatch(self._last_line):
            return ""
        start = list(sentence_spans(self._last_line, 0, len(self._last_line)))[-1][0]
        return plain_text(self._last_line[start:])

    def _under(self, lead: str = "") -> str:
        headings = (words for _, words in self._headings)
        return "\n".join((*headings, *filter(None, (*self._leads, lead))))

    def _line(self, number: int) -> str:
        return self._text[self._lines[number] : self._lines[number + 1]]


def _ends_a_sentence(line: str) -> bool:
    return bool(_FINISHED.search(line)) or plain_text(line).endswith(LEAD_ENDS)


def _heading_level(line: str) -> int:
    """Of a line that is a heading by its look: it is bold or in capitals, and ends as no sentence does."""
    if _ends_a_sentence(line) or ITEM_MARKER.match(line):
        return 0
    words = line.strip()
    if any(words.startswith(mark) and words.endswith(mark) and words.count(mark) == 2 for mark in ("**", "__")):
        return _BOLD_LEVEL
    return _CAPITALS_LEVEL if line.isupper() and sum(map(str.isalpha, line)) > 1 else 0


_ENDS = re.compile(r"(?:[.!?;…][\"'”’)\]*_]*(?=\s)|[。！？；])\s*")
_ABBREVIATED = re.compile(r"(?:^|[\s(])(?:(?:\w\.)*\w|etc|cf|vs|no|approx)\.$", re.IGNORECASE)


def sentence_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence of a block; white space around it belongs to it."""
    place = start
    marker = ITEM_MARKER.match(text, start, end)
    for match in _ENDS.finditer(text, marker.end() if marker else start, end):
        before = text[max(place, match.start() - 12) : match.start() + 1]
        if not (match[0].startswith(".") and _ABBREVIATED.search(before)):
            yield place, match.end()
            place = match.end()
    yield place, end
