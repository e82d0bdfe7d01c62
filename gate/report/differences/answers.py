"""Both answers to one case as a single difference of lines, in which words that differ are bracketed.

The outcome is text for a fence of the language `diff`: what a pull request colours, a mail still shows as text, and
nothing inside it can be a mention, a link or a picture.
"""

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gate.report.differences.words import Piece, common, differences, joined

WIDE = 96
"""Characters of a line from which on it is broken, at its sentences first: a fence does not wrap."""
_AROUND = 2
"""Lines alike that stay on each side of what differs."""
_KIN = 0.5
"""Share of two lines that has to be alike before words are marked in them."""
_OPEN, _SHUT = "⟦", "⟧"
_SENTENCE = re.compile(r"(?<=[.!?…。！？])\s+")
_EDGES = re.compile(r"(\s*)(.*?)(\s*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Diff:
    """Two answers, line by line.

    Args:
        text: lines that begin with `-`, `+`, a blank, or `@@`.
        marked: words are bracketed in some of them.
    """

    text: str
    marked: bool


@dataclass(frozen=True, slots=True)
class _Hunk:
    """Neighbouring lines that are in both texts, or that take each other's place."""

    same: bool
    gone: Sequence[str]
    come: Sequence[str]


def difference(before: str, after: str) -> Diff:
    """What differs between two answers.

    Args:
        before, after: made visible and of bounded length.
    """
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
    return Diff("\n".join(out), marked)


def _hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[_Hunk]:
    kept = common(old, new) or (set[int](), set[int]())
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
    """Lines that both have, the middle of many counted only."""
    head, tail = 0 if begins else _AROUND, 0 if ends else _AROUND
    if begins and ends or len(lines) <= head + tail + 1:
        return [_line(" ", line) for line in lines]
    cut = lines[head : len(lines) - tail]
    note = f"@@ {len(cut):,} lines alike @@"
    shown = [*lines[:head], None, *lines[len(lines) - tail :]]
    return [note if line is None else _line(" ", line) for line in shown]


def _words(hunk: _Hunk) -> tuple[list[str], list[str]] | None:
    """The lines with brackets around words that differ; None where no pair of them has enough in common."""
    if len(hunk.gone) != len(hunk.come):
        return None
    lines = list(zip(hunk.gone, hunk.come, strict=True))
    pairs = [_bracketed(old, new) for old, new in lines]
    if not any(pairs):
        return None
    both = [pair or line for pair, line in zip(pairs, lines, strict=True)]
    return [one for one, _ in both], [other for _, other in both]


def _bracketed(old: str, new: str) -> tuple[str, str] | None:
    found = differences(old, new)
    alike = sum(len(piece.text) for piece in found.before if not piece.differs)
    if found.unit != "words" or alike < _KIN * max(len(old), len(new), 1):
        return None
    before, after = ("".join(map(_bracket, joined(side))) for side in (found.before, found.after))
    return before, after


def _bracket(piece: Piece) -> str:
    """The piece, with brackets around its words where it differs."""
    found = _EDGES.fullmatch(piece.text)
    lead, words, tail = found.groups() if found else ("", piece.text, "")
    return f"{lead}{_OPEN}{words}{_SHUT}{tail}" if words and piece.differs else piece.text
