"""Pairs the rules of two versions by similarity, without a model, and finds the sentences that moved."""

import re
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias, TypeVar

from gate.config.specification import OutputRule
from gate.record.parts import AlignedBy
from gate.testgen.specdiff.places import VersionSide
from gate.testgen.specdiff.sentences import PromptSentence
from gate.testgen.specdiff.structure import HEADING, ITEM_MARKER, plain_text
from gate.values import clipped, counted

LEAST_SIMILARITY = 0.6
"""From this similarity on, two rules count as one in other words; what the words mean is decided elsewhere.
`python -m benchmarks.spec_mutants` shows the effect of the figure."""
_LONGEST = 4_000
QUOTED_CHARS = 80
"""Characters of a sentence that a note quotes."""

Old = TypeVar("Old")
New = TypeVar("New")
K = TypeVar("K", bound=Hashable)


def worded_alike(one: str, other: str) -> bool:
    """Are two sentences the same, letter by letter, apart from markup and shapes of quotes?"""
    return plain_text(one) == plain_text(other)


def similarity(one: str, other: str) -> float:
    """Dice's coefficient of character trigrams, 0 to 1; ignores case, punctuation, and text beyond 4,000 characters."""
    left, right = _runs(one[:_LONGEST]), _runs(other[:_LONGEST])
    total = len(left) + len(right)
    return 2 * len(left & right) / total if total else 0.0


def may_be_same(one: str, other: str) -> bool:
    """May two sentences be one in other words? Never where their numbers differ."""
    numbers = [sorted(re.findall(r"\d+", text)) for text in (one, other)]
    return numbers[0] == numbers[1] and similarity(one, other) >= LEAST_SIMILARITY


def equal_pairs(base: Sequence[Old], head: Sequence[Old], key: Callable[[Old], K]) -> Iterator[tuple[Old, Old]]:
    """Pairs of items with the same key, each taken once, in order; an item with a false key has no partner."""
    waiting: dict[K, list[Old]] = {}
    for item in reversed(head):
        waiting.setdefault(key(item), []).append(item)
    for old in base:
        known = key(old)
        if known and waiting.get(known):
            yield old, waiting[known].pop()


def closest_pairs(
    base: Sequence[Old], head: Sequence[New], alike: Callable[[Old, New], float], least: float
) -> Iterator[tuple[Old, New]]:
    """Pairs of what is most alike, each taken once; among equals the first ones. Pairs below `least` are left out."""
    found = [(alike(one, other), i, j) for i, one in enumerate(base) for j, other in enumerate(head)]
    found = [candidate for candidate in found if candidate[0] >= least]
    left, right = set(range(len(base))), set(range(len(head)))
    for _, i, j in sorted(found, key=lambda candidate: (-candidate[0], candidate[1], candidate[2])):
        if i in left and j in right:
            left.remove(i)
            right.remove(j)
            yield base[i], head[j]


@lru_cache(maxsize=2_048)
def _runs(text: str) -> frozenset[str]:
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
    joined = f"  {' '.join(words)} " if words else ""
    return frozenset(joined[i : i + 3] for i in range(len(joined) - 2))


_AT_ALL = 0.15
"""Rules that quote the same words need little else in common; several rules may quote one sentence."""


@dataclass(frozen=True, slots=True)
class RulePair:
    """Two rules that are one, before and after, and how they were matched."""

    base: OutputRule
    head: OutputRule
    by: AlignedBy


@dataclass(frozen=True, slots=True)
class AlignedRules:
    """Rules side by side."""

    pairs: tuple[RulePair, ...]
    base: tuple[OutputRule, ...]
    head: tuple[OutputRule, ...]


def align_rules(
    base: Sequence[OutputRule],
    head: Sequence[OutputRule],
    kinds: Callable[[OutputRule], frozenset[str]] = lambda rule: frozenset(),
    *,
    lineage: bool,
) -> AlignedRules:
    """Pair rules; the measures are tried in order, and the first that pairs a rule decides.

    Args:
        kinds: what code looks at to check a rule, such as the number of words; empty where code cannot check it.
        lineage: one specification came from the other, so that equal ids mean the same rule; not so for two that were
            extracted separately.
    """
    work = _Work(list(base), list(head), [])
    if lineage:
        work.take("id", work.twins(lambda rule: rule.id))
    work.take("wording", work.twins(lambda rule: plain_text(rule.text)))
    work.take("evidence", list(_by_evidence(work.base, work.head)))
    work.take(
        "wording", list(closest_pairs(work.base, work.head, lambda a, b: similarity(a.text, b.text), LEAST_SIMILARITY))
    )
    work.take("code", work.twins(kinds))
    order = {rule.id: place for place, rule in enumerate(base)}
    pairs = sorted(work.pairs, key=lambda pair: order[pair.base.id])
    return AlignedRules(tuple(pairs), tuple(work.base), tuple(work.head))


FoundPairs: TypeAlias = list[tuple[OutputRule, OutputRule]]


@dataclass(slots=True)
class _Work:
    base: list[OutputRule]
    head: list[OutputRule]
    pairs: list[RulePair]

    def twins(self, key: Callable[[OutputRule], Hashable]) -> FoundPairs:
        """Remaining rules that have the same key."""
        return list(equal_pairs(self.base, self.head, key))

    def take(self, by: AlignedBy, found: FoundPairs) -> None:
        """Take out the pairs that one measure found."""
        gone = {id(one) for one, _ in found}, {id(other) for _, other in found}
        self.base = [rule for rule in self.base if id(rule) not in gone[0]]
        self.head = [rule for rule in self.head if id(rule) not in gone[1]]
        self.pairs += (RulePair(one, other, by) for one, other in found)


def _by_evidence(base: Sequence[OutputRule], head: Sequence[OutputRule]) -> Iterator[tuple[OutputRule, OutputRule]]:
    """Rules that quote the same words, the most alike first."""
    quoting: dict[str, tuple[list[OutputRule], list[OutputRule]]] = {}
    for place, rules in enumerate((base, head)):
        for rule in rules:
            quoting.setdefault(plain_text(rule.evidence), ([], []))[place].append(rule)
    for quoted, (old, new) in quoting.items():
        if quoted:
            yield from closest_pairs(old, new, lambda one, other: similarity(one.text, other.text), _AT_ALL)


MOVES_SHOWN = 3
"""Sentences that one note quotes, the shortest first."""
_LABEL = re.compile(r"\s*(\d{1,3}|[a-zA-Z])[.)]\s")
_OUTER = "*_`.;!。；！ \t\r\n"


def arrangement_notes(both: tuple[VersionSide, VersionSide]) -> tuple[str, ...]:
    """Changes that no sentence shows, such as a new order, as sentences for the reader."""
    base, head = both
    left, right = (Counter(unit.key for unit in side.units) for side in both)
    words = {unit.key: unit.words for unit in base.units if unit.key in base.kept}
    repeated = [
        f"{_quoted(said)} ({left[key]:,} times before, {right[key]:,} now)"
        for key, said in words.items()
        if left[key] != right[key]
    ]
    every = equal_pairs(base.units, head.units, lambda unit: unit.key)
    pairs = [(one, other) for one, other in every if left[one.key] == right[one.key]]
    numbered = _counting(base), _counting(head)
    marked = [
        f"{_as_written(one, base)} is now {_as_written(other, head)}"
        for one, other in pairs
        if _marks(one, base) != _marks(other, head)
        or _label(one, base, numbered[0]) != _label(other, head, numbered[1])
    ]
    notes = (
        ("repeated more or less often", repeated),
        ("in another order", [_quoted(unit.words) for unit in _moved(pairs)]),
        ("with another label, markup, quotes or dashes", marked),
    )
    return tuple(f"{counted(len(said), 'sentence')} {what}: {_listed(said)}" for what, said in notes if said)


def _moved(pairs: Sequence[tuple[PromptSentence, PromptSentence]]) -> list[PromptSentence]:
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


def _counting(side: VersionSide) -> frozenset[int]:
    """Where the sentences stand whose labels count up from the first number or letter, which says nothing."""
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


def _label(unit: PromptSentence, side: VersionSide, counting: frozenset[int] = frozenset()) -> str:
    found = _LABEL.match(side.text, unit.start, unit.end)
    return found[1] if found and unit.start not in counting else ""


def _marks(unit: PromptSentence, side: VersionSide) -> str:
    """As it is written, without list marks and what encloses all of it."""
    said = side.text[unit.start : unit.end]
    for mark in (HEADING, ITEM_MARKER):
        said = mark.sub("", said, count=1) if mark.match(said) else said
    return " ".join(said.strip(_OUTER).split())


def _as_written(unit: PromptSentence, side: VersionSide) -> str:
    return _quoted(" ".join(side.text[unit.start : unit.end].split()))


def _quoted(words: str) -> str:
    return f'"{clipped(words, QUOTED_CHARS)}"'


def _listed(said: Sequence[str]) -> str:
    shown = sorted(said, key=len)[:MOVES_SHOWN]
    rest = len(said) - len(shown)
    return ", ".join(shown) + (f", and {rest:,} more." if rest else ".")
