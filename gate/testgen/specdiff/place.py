"""Where rules stand in two versions of a prompt, and which sentences both versions have."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, islice, takewhile
from typing import Literal, TypeAlias

from gate.testgen.specdiff.units import Key, Unit, plain, units_of, within
from gate.testgen.subject import Piece, PromptSubject

Words: TypeAlias = str | PromptSubject
"""A prompt: as the stages read it, or the text of one without messages."""

Standing: TypeAlias = Literal["stands", "touched", "gone", "unplaced"]
"""The sentences that a rule rests on are in the other version too, wherever its words stand; one of them differs, and
others stand or the quoted words are still somewhere in the sentences that differ; nothing of them is there; the rule
quotes no words of its own version."""

_MOST = 50
"""Places of one quotation that are looked at."""
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Region:
    """Sentences in a row that the other version does not have.

    Args:
        start, end: place in the prompt, in characters.
        text: the prompt's own words.
        under: the headings and lead-ins above it, one a line; empty where there are none.
    """

    start: int
    end: int
    text: str
    under: str = ""


@dataclass(frozen=True, slots=True)
class Side:
    """One version of a prompt beside the other.

    Args:
        text: its words.
        units: its sentences.
        kept: keys of the sentences that both versions have.
        other: what differs in the other version.
        pieces: its messages and files.
    """

    text: str
    units: tuple[Unit, ...]
    kept: frozenset[Key]
    other: str
    pieces: tuple[Piece, ...] = ()

    @property
    def differing(self) -> tuple[Unit, ...]:
        """The sentences that the other version does not have."""
        return tuple(unit for unit in self.units if unit.key not in self.kept)

    def standing(self, evidence: str) -> Standing:
        """What became of the words that a rule rests on.

        Args:
            evidence: words of this version.
        """
        places = spans(evidence, self.text)
        if not places:
            return "unplaced"
        kept = [self._kept(start, end) for start, end in places]
        if all(all(sentences) for sentences in kept):
            return "stands"
        partly = any(any(sentences) for sentences in kept)
        return "touched" if partly or _holds(self.other, plain(evidence)) else "gone"

    def enclosed(self, evidence: str) -> frozenset[tuple[str, ...]]:
        """In which messages some words stand, and in which comments, fences and conditions.

        Args:
            evidence: words of this version.
        """
        return frozenset(within(self.text, self.pieces, start) for start, _ in spans(evidence, self.text))

    def around(self, evidence: str) -> Iterator[Unit]:
        """The sentences that hold some words, wherever these stand.

        Args:
            evidence: words of this version.
        """
        for start, end in spans(evidence, self.text):
            yield from self._around(start, end)

    def _kept(self, start: int, end: int) -> list[bool]:
        """Of each sentence at a place, whether both versions have it; a place without words is in neither."""
        return [unit.key in self.kept for unit in self._around(start, end)] or [False]

    def _around(self, start: int, end: int) -> Iterator[Unit]:
        first = bisect_right(self.units, start, key=lambda unit: unit.end)
        return takewhile(lambda unit: unit.start < end, islice(self.units, first, None))


def text_of(words: Words) -> str:
    """A prompt as one text.

    Args:
        words: it.
    """
    return words if isinstance(words, str) else words.text


def same(base: Words, head: Words) -> bool:
    """Do two versions say the same, message by message?

    Args:
        base, head: before and after.
    """
    return (text_of(base), _pieces(base)) == (text_of(head), _pieces(head))


def sides(base: Words, head: Words) -> tuple[Side, Side]:
    """Two versions of a prompt, each beside the other.

    A sentence is the same where its words, its headings and lead-ins, the role of its message and what encloses it are;
    where in the prompt it stands does not count.

    Args:
        base, head: before and after.
    """
    left, right = units_of(text_of(base), _pieces(base)), units_of(text_of(head), _pieces(head))
    kept = frozenset(unit.key for unit in left) & frozenset(unit.key for unit in right)
    gone, new = _others(left, kept), _others(right, kept)
    return Side(text_of(base), left, kept, new, _pieces(base)), Side(text_of(head), right, kept, gone, _pieces(head))


class _Words:
    """A text with one blank between its words, and where each word stood."""

    def __init__(self, text: str) -> None:
        found = [match.span() for match in _WORD.finditer(text)]
        self._starts = array("L", (start for start, _ in found))
        self._joined = " ".join(text[start:end] for start, end in found)
        lengths = (end - start + 1 for start, end in found)
        self._offsets = array("L", accumulate(lengths, initial=0))

    def find(self, words: str) -> Iterator[tuple[int, int]]:
        """Where words stand, one place after the other; each pass over the text takes linear time."""
        at = self._joined.find(words)
        while at >= 0:
            yield self._place(at), self._place(at + len(words) - 1) + 1
            at = self._joined.find(words, at + len(words))

    def _place(self, at: int) -> int:
        word = bisect_right(self._offsets, at) - 1
        return self._starts[word] + at - self._offsets[word]


@lru_cache(maxsize=4)
def _words_of(text: str) -> _Words:
    """Of a prompt, in which the words of many rules are looked for."""
    return _Words(text)


def spans(evidence: str, text: str) -> tuple[tuple[int, int], ...]:
    """Where words stand in a text; line breaks and blanks may be others, all else is literal.

    Args:
        evidence: the words.
        text: the prompt.
    """
    words = " ".join(evidence.split())
    return tuple(islice(_words_of(text).find(words), _MOST)) if words else ()


def regions(side: Side) -> tuple[Region, ...]:
    """What one version has and the other has not, sentences in a row together."""
    out: list[Region] = []
    row: list[Unit] = []
    for unit in side.units:
        if unit.key in side.kept or (row and row[-1].key[:-1] != unit.key[:-1]):
            out += _region(side.text, row)
            row = []
        if unit.key not in side.kept:
            row.append(unit)
    return (*out, *_region(side.text, row))


def _region(text: str, row: Sequence[Unit]) -> list[Region]:
    if not row:
        return []
    start, end = row[0].start, row[-1].end
    return [Region(start, end, text[start:end], row[0].under)]


def _pieces(words: Words) -> tuple[Piece, ...]:
    return () if isinstance(words, str) else words.pieces


def _others(units: Sequence[Unit], kept: frozenset[Key]) -> str:
    return "\n".join(unit.words for unit in units if unit.key not in kept)


def _holds(text: str, words: str) -> bool:
    """Not inside of longer words, for languages that part them."""
    before, after = (r"(?<!\w)" if _ascii(words[:1]) else ""), (r"(?!\w)" if _ascii(words[-1:]) else "")
    return bool(words) and re.search(before + re.escape(words) + after, text) is not None


def _ascii(char: str) -> bool:
    return char.isascii() and char.isalnum()
