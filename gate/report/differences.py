"""What differs between two texts, word by word, and between two answers, line by line."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

MOST_EDITS = 400
"""Edits, of words or of lines, up to which two texts are compared."""
_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Part of a text, never empty."""

    text: str
    differs: bool


@dataclass(frozen=True, slots=True)
class WordDifferences:
    """Two texts in pieces; the pieces of each make up all of it.

    Args:
        before, after: no two neighbours are alike in `differs`.
        unit: what was compared: `words`, `lines`, or `texts` where even lines have too little in common.
    """

    before: tuple[TextPiece, ...]
    after: tuple[TextPiece, ...]
    unit: str


def word_differences(before: str, after: str) -> WordDifferences:
    """Find what two texts do not have in common."""
    if before == after:
        same = (TextPiece(before, False),) if before else ()
        return WordDifferences(same, same, "words")
    for unit, pattern in (("words", _WORD), ("lines", _LINE)):
        parts = pattern.findall(before), pattern.findall(after)
        found = common_places(*parts)
        if found is not None:
            return WordDifferences(_pieces(parts[0], found[0]), _pieces(parts[1], found[1]), unit)
    whole = tuple((TextPiece(text, True),) if text else () for text in (before, after))
    return WordDifferences(whole[0], whole[1], "texts")


def _pieces(parts: Sequence[str], common: set[int]) -> tuple[TextPiece, ...]:
    marked = ((part, place not in common) for place, part in enumerate(parts))
    return tuple(_piece(differs, run) for differs, run in groupby(marked, key=lambda one: one[1]))


def _piece(differs: bool, run: Iterable[tuple[str, bool]]) -> TextPiece:
    return TextPiece("".join(part for part, _ in run), differs)


def joined_marks(pieces: Sequence[TextPiece]) -> tuple[TextPiece, ...]:
    """The same text with the blanks between two marked words marked too: one mark is easier to read than many."""
    last = len(pieces) - 1
    marks = (
        piece.differs or (0 < place < last and piece.text.isspace() and "\n" not in piece.text)
        for place, piece in enumerate(pieces)
    )
    together = groupby(zip(pieces, marks, strict=True), key=lambda one: one[1])
    return tuple(TextPiece("".join(piece.text for piece, _ in run), differs) for differs, run in together)


def common_places(a: Sequence[str], b: Sequence[str]) -> tuple[set[int], set[int]] | None:
    """The places of what both have, in the same order; None where they differ too much."""
    head = 0
    while head < min(len(a), len(b)) and a[head] == b[head]:
        head += 1
    tail = 0
    while tail < min(len(a), len(b)) - head and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    middle = _matched(a[head : len(a) - tail], b[head : len(b) - tail])
    if middle is None:
        return None
    pairs = [(x + head, y + head) for x, y in middle]
    first = {*range(head), *(x for x, _ in pairs), *range(len(a) - tail, len(a))}
    return first, {*range(head), *(y for _, y in pairs), *range(len(b) - tail, len(b))}


def _matched(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]] | None:
    """The places that match in a shortest edit script; None where that takes more than `MOST_EDITS` edits."""
    n, m = len(a), len(b)
    if not n or not m:
        return []
    if abs(n - m) > MOST_EDITS:
        return None
    furthest, seen = {1: 0}, []
    for edits in range(min(n + m, MOST_EDITS) + 1):
        seen.append(dict(furthest))
        for k in range(-edits, edits + 1, 2):
            down = k == -edits or (k != edits and furthest[k - 1] < furthest[k + 1])
            x = furthest[k + 1] if down else furthest[k - 1] + 1
            y = x - k
            while x < n and y < m and a[x] == b[y]:
                x, y = x + 1, y + 1
            furthest[k] = x
            if x >= n and y >= m:
                return _walked(seen, n, m)
    return None


def _walked(seen: Sequence[dict[int, int]], n: int, m: int) -> list[tuple[int, int]]:
    """Goes back along the path that reached the end and notes what matched on it."""
    pairs, x, y = [], n, m
    for edits in range(len(seen) - 1, -1, -1):
        furthest, k = seen[edits], x - y
        down = k == -edits or (k != edits and furthest[k - 1] < furthest[k + 1])
        before = k + 1 if down else k - 1
        x_before = furthest[before]
        y_before = x_before - before
        while x > max(x_before, 0) and y > max(y_before, 0):
            x, y = x - 1, y - 1
            pairs.append((x, y))
        x, y = x_before, y_before
    return pairs


WIDE = 96
"""Longer lines are broken, at the ends of sentences first, because a fenced block does not wrap."""
_AROUND = 2
"""Unchanged lines shown on each side of a difference."""
_KIN = 0.5
"""Share of two lines that must be alike before words are marked in them."""
_OPEN, _SHUT = "⟦", "⟧"
_SENTENCE = re.compile(r"(?<=[.!?…。！？])\s+")
_EDGES = re.compile(r"(\s*)(.*?)(\s*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class AnswerDiff:
    """Two answers as lines that begin with `-`, `+`, a blank, or `@@`; words in them may be bracketed."""

    text: str
    marked: bool


@dataclass(frozen=True, slots=True)
class _Hunk:
    """Neighbouring lines that are in both texts, or that take each other's place."""

    same: bool
    gone: Sequence[str]
    come: Sequence[str]


def answer_diff(before: str, after: str) -> AnswerDiff:
    """What differs between two answers, which are already visible and of bounded length."""
    hunks = list(_hunks(list(_lines(before)), list(_lines(after))))
    brackets = not any(sign in text for text in (before, after) for sign in (_OPEN, _SHUT))
    out: list[str] = []
    marked = False
    for place, hunk in enumerate(hunks):
        if hunk.same:
            out += _alike(hunk.gone, begins=place == 0, ends=place == len(hunks) - 1)
            continue
        both = _words(hunk) if brackets else None
        marked = marked or both is not None
        gone, come = both or (hunk.gone, hunk.come)
        out += [_line("-", line) for line in gone] + [_line("+", line) for line in come]
    return AnswerDiff("\n".join(out), marked)


def _hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[_Hunk]:
    kept = common_places(old, new) or (set[int](), set[int]())
    x = y = 0
    while x < len(old) or y < len(new):
        first, second = x, y
        while x < len(old) and y < len(new) and x in kept[0] and y in kept[1]:
            x, y = x + 1, y + 1
        if x > first:
            yield _Hunk(True, old[first:x], new[second:y])
        first, second = x, y
        while x < len(old) and x not in kept[0]:
            x += 1
        while y < len(new) and y not in kept[1]:
            y += 1
        if x > first or y > second:
            yield _Hunk(False, old[first:x], new[second:y])


def _lines(text: str) -> Iterator[str]:
    for line in text.rstrip("\n").split("\n"):
        if len(line) <= WIDE:
            yield line
            continue
        for sentence in _SENTENCE.split(line):
            yield from textwrap.wrap(sentence, WIDE, drop_whitespace=True, break_on_hyphens=False) or [sentence]


def _line(sign: str, line: str) -> str:
    return f"{sign} {line}".rstrip()


def _alike(lines: Sequence[str], *, begins: bool, ends: bool) -> list[str]:
    """Lines that both have; the middle of many is only counted."""
    head, tail = 0 if begins else _AROUND, 0 if ends else _AROUND
    if begins and ends or len(lines) <= head + tail + 1:
        return [_line(" ", line) for line in lines]
    cut = lines[head : len(lines) - tail]
    note = f"@@ {len(cut):,} lines alike @@"
    shown = [*lines[:head], None, *lines[len(lines) - tail :]]
    return [note if line is None else _line(" ", line) for line in shown]


def _words(hunk: _Hunk) -> tuple[list[str], list[str]] | None:
    """The lines with brackets around the words that differ; None where no pair of them has enough in common."""
    if len(hunk.gone) != len(hunk.come):
        return None
    lines = list(zip(hunk.gone, hunk.come, strict=True))
    pairs = [_bracketed(old, new) for old, new in lines]
    if not any(pairs):
        return None
    both = [pair or line for pair, line in zip(pairs, lines, strict=True)]
    return [one for one, _ in both], [other for _, other in both]


def _bracketed(old: str, new: str) -> tuple[str, str] | None:
    found = word_differences(old, new)
    alike = sum(len(piece.text) for piece in found.before if not piece.differs)
    if found.unit != "words" or alike < _KIN * max(len(old), len(new), 1):
        return None
    before, after = ("".join(map(_bracket, joined_marks(side))) for side in (found.before, found.after))
    return before, after


def _bracket(piece: TextPiece) -> str:
    """The piece, with brackets around its words where it differs."""
    found = _EDGES.fullmatch(piece.text)
    lead, words, tail = found.groups() if found else ("", piece.text, "")
    return f"{lead}{_OPEN}{words}{_SHUT}{tail}" if words and piece.differs else piece.text
