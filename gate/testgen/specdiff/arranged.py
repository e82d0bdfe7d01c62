"""What changed around sentences that both versions have: their order, how often they stand there, labels and markup.

None of it makes another sentence of one, since most of it says nothing. Where it does say something, as the letter of
an answer or the place of "The next sentence does not count" does, only a reader knows; so the words are quoted.
"""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from gate.domain.words import counted
from gate.testgen.specdiff.lines import HEADING, MARKER
from gate.testgen.specdiff.place import Side
from gate.testgen.specdiff.units import Key, Unit
from gate.testgen.specdiff.wording import shortened

Pairs: TypeAlias = Sequence[tuple[Unit, Unit]]

SHOWN = 3
"""Sentences that one note quotes, the shortest first."""
_LABEL = re.compile(r"\s*(\d{1,3}|[a-zA-Z])[.)]\s")
_OUTER = "*_`.;!。；！ \t\r\n"


def arranged(both: tuple[Side, Side]) -> tuple[str, ...]:
    """What of the change no sentence shows, as sentences for the reader.

    Args:
        both: the two versions of the prompt.
    """
    base, head = both
    left, right = Counter(unit.key for unit in base.units), Counter(unit.key for unit in head.units)
    pairs = _pairs(both, frozenset(key for key in base.kept if left[key] == right[key]))
    moved = _moved(pairs)
    labelled = _labelled(pairs, both, calm=not moved)
    told = {after.start for _, after in labelled}
    return (*_repeated(both, left, right), *_notes(pairs, moved, labelled, both, told))


def _notes(
    pairs: Pairs, moved: Sequence[Unit], labelled: Pairs, both: tuple[Side, Side], told: set[int]
) -> Iterator[str]:
    if labelled:
        changed = [f"{_as_written(one, both[0])} is {_as_written(other, both[1])} now" for one, other in labelled]
        yield f"{counted(len(labelled), 'sentence')} with another number or letter: {_listed(changed)}"
    if order := [_quoted(unit.words) for unit in moved if unit.start not in told]:
        yield f"{counted(len(order), 'sentence')} in another order: {_listed(order)}"
    marked = [(one, other) for one, other in pairs if _inner(one, both[0]) != _inner(other, both[1])]
    if marked:
        changed = [f"{_as_written(one, both[0])} is {_as_written(other, both[1])} now" for one, other in marked]
        yield f"{counted(len(marked), 'sentence')} with other markup, quotes or dashes: {_listed(changed)}"


def _pairs(both: tuple[Side, Side], keys: frozenset[Key]) -> list[tuple[Unit, Unit]]:
    """The sentences that stand as often as before, each with itself, in the old order."""
    places: Mapping[Key, list[Unit]] = defaultdict(list)
    for unit in reversed(both[1].units):
        places[unit.key].append(unit)
    return [(unit, places[unit.key].pop()) for unit in both[0].units if unit.key in keys]


def _moved(pairs: Pairs) -> list[Unit]:
    """As few sentences as explain the new order."""
    lowest: list[int] = []
    lengths = []
    for _, unit in pairs:
        length = bisect_left(lowest, unit.start)
        lowest[length : length + 1] = [unit.start]
        lengths.append(length)
    wanted = len(lowest) - 1
    out = []
    for (_, unit), length in zip(reversed(pairs), reversed(lengths), strict=True):
        if length == wanted:  # of one length the last is the lowest
            wanted -= 1
        else:
            out.append(unit)
    return out[::-1]


def _labelled(pairs: Pairs, both: tuple[Side, Side], *, calm: bool) -> list[tuple[Unit, Unit]]:
    """Sentences with another label; where the order stayed, to number a list from the start says nothing."""
    counting = tuple(_counting(side) if calm else frozenset[int]() for side in both)
    out = []
    for one, other in pairs:
        before, after = _label(one, both[0]), _label(other, both[1])
        numbered = (not before or one.start in counting[0]) and (not after or other.start in counting[1])
        if before != after and (not numbered if calm else before and after):
            out.append((one, other))
    return out


def _counting(side: Side) -> frozenset[int]:
    """Where the sentences stand whose labels count up from the first number or letter."""
    found: Mapping[tuple[str, bool, bool], list[tuple[int, str]]] = defaultdict(list)
    for unit in side.units:
        if label := _label(unit, side):
            found[unit.under, label.isdigit(), label.isupper()].append((unit.start, label))
    plain: set[int] = set()
    for group in found.values():
        labels = [label for _, label in group]
        if all(label in ("1", "a", "A") or _next(before) == label for before, label in pairwise(["", *labels])):
            plain.update(start for start, _ in group)
    return frozenset(plain)


def _next(label: str) -> str:
    if label.isdigit():
        return str(int(label) + 1)
    return chr(ord(label) + 1) if label else ""


def _repeated(both: tuple[Side, Side], left: Mapping[Key, int], right: Mapping[Key, int]) -> Iterator[str]:
    words = {unit.key: unit.words for unit in both[0].units}
    changed = [key for key in words if key in both[0].kept and left[key] != right[key]]
    if changed:
        said = [f"{_quoted(words[key])} (was there {left[key]:,} times, is {right[key]:,})" for key in changed]
        yield f"{counted(len(changed), 'sentence')} repeated more or less often: {_listed(said)}"


def _label(unit: Unit, side: Side) -> str:
    found = _LABEL.match(side.text, unit.start, unit.end)
    return found[1] if found else ""


def _inner(unit: Unit, side: Side) -> str:
    """As it is written, without what stands around all of it."""
    said = side.text[unit.start : unit.end]
    for mark in (HEADING, MARKER):
        said = mark.sub("", said, count=1) if mark.match(said) else said
    return " ".join(said.strip(_OUTER).split())


def _as_written(unit: Unit, side: Side) -> str:
    return _quoted(" ".join(side.text[unit.start : unit.end].split()))


def _quoted(words: str) -> str:
    return f'"{shortened(words)}"'


def _listed(said: Sequence[str]) -> str:
    shown = sorted(said, key=len)[:SHOWN]
    rest = len(said) - len(shown)
    return ", ".join(shown) + (f", and {rest:,} more." if rest else ".")
