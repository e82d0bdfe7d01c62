"""What differs between two texts, word by word; where they have too little in common, line by line.

The shortest edit script is found in time that grows with the length times the number of differences (E. Myers, An
O(ND) Difference Algorithm and Its Variations, 1986). The search is given up at a number of differences: no text of a
model's makes it slow.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

MOST = 400
"""Differences that are looked for, of words and of lines."""
_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a text.

    Args:
        text: never empty.
        differs: the other text does not have it there.
    """

    text: str
    differs: bool


@dataclass(frozen=True, slots=True)
class Differences:
    """Two texts in pieces; those of each make up the whole of it.

    Args:
        before, after: in order; no two neighbours are alike in `differs`.
        unit: of what was compared: `words`, `lines`, or `texts` where even those have too little in common.
    """

    before: tuple[Piece, ...]
    after: tuple[Piece, ...]
    unit: str


def differences(before: str, after: str) -> Differences:
    """Find what two texts do not have in common.

    Args:
        before, after: of any length.
    """
    if before == after:
        same = (Piece(before, False),) if before else ()
        return Differences(same, same, "words")
    for unit, pattern in (("words", _WORD), ("lines", _LINE)):
        parts = pattern.findall(before), pattern.findall(after)
        found = common(*parts)
        if found is not None:
            return Differences(_pieces(parts[0], found[0]), _pieces(parts[1], found[1]), unit)
    whole = tuple((Piece(text, True),) if text else () for text in (before, after))
    return Differences(whole[0], whole[1], "texts")


def _pieces(parts: Sequence[str], common: set[int]) -> tuple[Piece, ...]:
    marked = ((part, place not in common) for place, part in enumerate(parts))
    return tuple(_piece(differs, run) for differs, run in groupby(marked, key=lambda one: one[1]))


def _piece(differs: bool, run: Iterable[tuple[str, bool]]) -> Piece:
    return Piece("".join(part for part, _ in run), differs)


def joined(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """The same text, where blanks between two words that differ are marked like them: one mark reads easier than many.

    Args:
        pieces: of one text.
    """
    last = len(pieces) - 1
    marks = (
        piece.differs or (0 < place < last and piece.text.isspace() and "\n" not in piece.text)
        for place, piece in enumerate(pieces)
    )
    together = groupby(zip(pieces, marks, strict=True), key=lambda one: one[1])
    return tuple(Piece("".join(piece.text for piece, _ in run), differs) for differs, run in together)


def common(a: Sequence[str], b: Sequence[str]) -> tuple[set[int], set[int]] | None:
    """The places of what both have, in the same order; None where too much differs.

    Args:
        a, b: words, or lines.
    """
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
    """Places that match, of a shortest edit script of at most `MOST` edits; None where that takes more."""
    n, m = len(a), len(b)
    if not n or not m:
        return []
    if abs(n - m) > MOST:
        return None
    furthest, seen = {1: 0}, []
    for edits in range(min(n + m, MOST) + 1):
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
    """Back along the way that reached the end, noting what was matched on it."""
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
