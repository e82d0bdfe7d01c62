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
from gate.testgen.lexicon import numbers_in
from gate.testgen.specdiff.places import VersionSide
from gate.testgen.specdiff.sentences import PromptSentence
from gate.testgen.specdiff.structure import HEADING, ITEM_MARKER, plain_text
from gate.values import clipped, counted

LEAST_SIMILARITY = 0.6
"""From this similarity on, two rules count as one in other words; what the words mean is decided elsewhere.
`python -m benchmarks.rules.spec_mutants` shows the effect of the figure."""
_LONGEST = 4_000
QUOTED_CHARS = 80
"""Characters of a sentence that a note quotes."""

Old = TypeVar("Old")
New = TypeVar("New")
K = TypeVar("K", bound=Hashable)


def worded_alike(before: str, after: str) -> bool:
    """Are two sentences the same, letter by letter, apart from markup and shapes of quotes?"""
    return plain_text(before) == plain_text(after)


def similarity(before: str, after: str) -> float:
    """Dice's coefficient of character trigrams, 0 to 1; ignores case, punctuation, and text beyond 4,000 characters."""
    left, right = _trigrams(before[:_LONGEST]), _trigrams(after[:_LONGEST])
    total = len(left) + len(right)
    return 2 * len(left & right) / total if total else 0.0


def may_be_same(before: str, after: str) -> bool:
    """May two sentences be one in other words? Never where their numbers differ."""
    same_numbers = sorted(numbers_in(before)) == sorted(numbers_in(after))
    return same_numbers and similarity(before, after) >= LEAST_SIMILARITY


def equal_pairs(base: Sequence[Old], head: Sequence[Old], key: Callable[[Old], K]) -> Iterator[tuple[Old, Old]]:
    """Pairs of items with the same key, each taken once, in order; an item with a false key has no partner."""
    waiting: dict[K, list[Old]] = {}
    for item in reversed(head):
        waiting.setdefault(key(item), []).append(item)
    for old in base:
        old_key = key(old)
        if old_key and waiting.get(old_key):
            yield old, waiting[old_key].pop()


def closest_pairs(
    base: Sequence[Old], head: Sequence[New], alike: Callable[[Old, New], float], least: float
) -> Iterator[tuple[Old, New]]:
    """Pairs of what is most alike, each taken once; among equals the first ones. Pairs below `least` are left out."""
    every = ((alike(old, new), i, j) for i, old in enumerate(base) for j, new in enumerate(head))
    candidates = [candidate for candidate in every if candidate[0] >= least]
    left, right = set(range(len(base))), set(range(len(head)))
    for _, i, j in sorted(candidates, key=lambda candidate: (-candidate[0], candidate[1], candidate[2])):
        if i in left and j in right:
            left.remove(i)
            right.remove(j)
            yield base[i], head[j]


@lru_cache(maxsize=2_048)
def _trigrams(text: str) -> frozenset[str]:
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
    work = _Alignment(list(base), list(head), [])
    if lineage:
        work.take("id", work.twins(lambda rule: rule.id))
    work.take("wording", work.twins(lambda rule: plain_text(rule.text)))
    work.take("evidence", list(_by_evidence(work.base, work.head)))
    work.take(
        "wording",
        list(closest_pairs(work.base, work.head, lambda old, new: similarity(old.text, new.text), LEAST_SIMILARITY)),
    )
    work.take("code", work.twins(kinds))
    order = {rule.id: place for place, rule in enumerate(base)}
    pairs = sorted(work.pairs, key=lambda pair: order[pair.base.id])
    return AlignedRules(tuple(pairs), tuple(work.base), tuple(work.head))


OldAndNew: TypeAlias = list[tuple[OutputRule, OutputRule]]


@dataclass(slots=True)
class _Alignment:
    base: list[OutputRule]
    head: list[OutputRule]
    pairs: list[RulePair]

    def twins(self, key: Callable[[OutputRule], Hashable]) -> OldAndNew:
        """Remaining rules that have the same key."""
        return list(equal_pairs(self.base, self.head, key))

    def take(self, by: AlignedBy, pairs: OldAndNew) -> None:
        """Take out the pairs of one measure."""
        paired = {id(rule) for pair in pairs for rule in pair}
        self.base = [rule for rule in self.base if id(rule) not in paired]
        self.head = [rule for rule in self.head if id(rule) not in paired]
        self.pairs += (RulePair(old, new, by) for old, new in pairs)


def _by_evidence(base: Sequence[OutputRule], head: Sequence[OutputRule]) -> Iterator[tuple[OutputRule, OutputRule]]:
    """Rules that quote the same words, the most alike first."""
    quoting: dict[str, tuple[list[OutputRule], list[OutputRule]]] = {}
    for place, rules in enumerate((base, head)):
        for rule in rules:
            quoting.setdefault(plain_text(rule.evidence), ([], []))[place].append(rule)
    for quote, (old, new) in quoting.items():
        if quote:
            yield from closest_pairs(old, new, lambda before, after: similarity(before.text, after.text), _AT_ALL)


MOVES_SHOWN = 3
"""Sentences that one note quotes, the shortest first."""
_LABEL = re.compile(r"\s*(\d{1,3}|[a-zA-Z])[.)]\s")
_OUTER = "*_`.;!。；！ \t\r\n"


def arrangement_notes(both: tuple[VersionSide, VersionSide]) -> tuple[str, ...]:
    """Changes that no sentence shows, such as a new order, as sentences for the reader."""
    base, head = both
    left, right = (Counter(unit.key for unit in side.units) for side in both)
    words_by_key = {unit.key: unit.words for unit in base.units if unit.key in base.common}
    repeated = [
        f"{_quoted(words)} ({left[key]:,} times before, {right[key]:,} now)"
        for key, words in words_by_key.items()
        if left[key] != right[key]
    ]
    every = equal_pairs(base.units, head.units, lambda unit: unit.key)
    pairs = [(old, new) for old, new in every if left[old.key] == right[old.key]]
    counting = _counting_labels(base), _counting_labels(head)
    marked = [
        f"{_as_written(old, base)} is now {_as_written(new, head)}"
        for old, new in pairs
        if _marks(old, base) != _marks(new, head) or _label(old, base, counting[0]) != _label(new, head, counting[1])
    ]
    notes = (
        ("repeated more or less often", repeated),
        ("in another order", [_quoted(unit.words) for unit in _moved_sentences(pairs)]),
        ("with another label, markup, quotes or dashes", marked),
    )
    return tuple(f"{counted(len(texts), 'sentence')} {what}: {_shortest(texts)}" for what, texts in notes if texts)


def _moved_sentences(pairs: Sequence[tuple[PromptSentence, PromptSentence]]) -> list[PromptSentence]:
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


def _counting_labels(side: VersionSide) -> frozenset[int]:
    """Where the sentences stand whose labels count up from the first number or letter, which says nothing."""
    lists: Mapping[tuple[str, bool, bool], list[tuple[int, str]]] = defaultdict(list)
    for unit in side.units:
        if label := _label(unit, side):
            lists[unit.under, label.isdigit(), label.isupper()].append((unit.start, label))
    plain: set[int] = set()
    for group in lists.values():
        labels = [label for _, label in group]
        if all(label in ("1", "a", "A") or _next(before) == label for before, label in pairwise(["", *labels])):
            plain.update(start for start, _ in group)
    return frozenset(plain)


def _next(label: str) -> str:
    if label.isdigit():
        return str(int(label) + 1)
    return chr(ord(label) + 1) if label else ""


def _label(unit: PromptSentence, side: VersionSide, counting: frozenset[int] = frozenset()) -> str:
    label = _LABEL.match(side.text, unit.start, unit.end)
    return label[1] if label and unit.start not in counting else ""


def _marks(unit: PromptSentence, side: VersionSide) -> str:
    """As it is written, without list marks and what encloses all of it."""
    text = side.text[unit.start : unit.end]
    for mark in (HEADING, ITEM_MARKER):
        text = mark.sub("", text, count=1) if mark.match(text) else text
    return " ".join(text.strip(_OUTER).split())


def _as_written(unit: PromptSentence, side: VersionSide) -> str:
    return _quoted(" ".join(side.text[unit.start : unit.end].split()))


def _quoted(words: str) -> str:
    return f'"{clipped(words, QUOTED_CHARS)}"'


def _shortest(texts: Sequence[str]) -> str:
    shown = sorted(texts, key=len)[:MOVES_SHOWN]
    rest = len(texts) - len(shown)
    return ", ".join(shown) + (f", and {rest:,} more." if rest else ".")
