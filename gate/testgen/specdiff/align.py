"""Which rule of the old version is which rule of the new one: by id, evidence, wording and code; without any model."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gate.domain.promptspec import OutputRule
from gate.domain.specdiff import AlignedBy
from gate.testgen.specdiff.units import plain
from gate.testgen.specdiff.wording import ALIKE, matched, similarity, twins

_AT_ALL = 0.15
"""Rules that quote the same words need little else in common; several rules may quote one sentence."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two rules that are one.

    Args:
        base, head: before and after.
        by: what told so.
    """

    base: OutputRule
    head: OutputRule
    by: AlignedBy


@dataclass(frozen=True, slots=True)
class Aligned:
    """Rules side by side.

    Args:
        pairs: in the order of the old rules.
        base, head: those without a partner.
    """

    pairs: tuple[Pair, ...]
    base: tuple[OutputRule, ...]
    head: tuple[OutputRule, ...]


def align(
    base: Sequence[OutputRule],
    head: Sequence[OutputRule],
    kinds: Callable[[OutputRule], frozenset[str]] = lambda rule: frozenset(),
    *,
    lineage: bool,
) -> Aligned:
    """Pair rules; what came first decides.

    Args:
        base, head: rules of either version; ids are unique on each side.
        kinds: what code looks at to check a rule, such as the number of words; empty where code cannot check it.
        lineage: one specification came from the other, so that equal ids mean the same rule. Of two that were
            extracted apart, `R1` and `R1` have nothing in common.
    """
    work = _Work(list(base), list(head), [])
    if lineage:
        work.take("id", work.twins(lambda rule: rule.id))
    work.take("wording", work.twins(lambda rule: plain(rule.text)))
    work.take("evidence", list(_by_evidence(work.base, work.head)))
    work.take("wording", list(matched(work.base, work.head, lambda a, b: similarity(a.text, b.text), ALIKE)))
    work.take("code", work.twins(kinds))
    order = {rule.id: place for place, rule in enumerate(base)}
    pairs = sorted(work.pairs, key=lambda pair: order[pair.base.id])
    return Aligned(tuple(pairs), tuple(work.base), tuple(work.head))


Found: TypeAlias = list[tuple[OutputRule, OutputRule]]


@dataclass(slots=True)
class _Work:
    base: list[OutputRule]
    head: list[OutputRule]
    pairs: list[Pair]

    def twins(self, key: Callable[[OutputRule], Hashable]) -> Found:
        """Those left that have the same key."""
        return list(twins(self.base, self.head, key))

    def take(self, by: AlignedBy, found: Found) -> None:
        """Take out the pairs that one measure found."""
        gone = {id(one) for one, _ in found}, {id(other) for _, other in found}
        self.base = [rule for rule in self.base if id(rule) not in gone[0]]
        self.head = [rule for rule in self.head if id(rule) not in gone[1]]
        self.pairs += (Pair(one, other, by) for one, other in found)


def _by_evidence(base: Sequence[OutputRule], head: Sequence[OutputRule]) -> Iterator[tuple[OutputRule, OutputRule]]:
    """Rules that quote the same words, the most alike first."""
    quoting: dict[str, tuple[list[OutputRule], list[OutputRule]]] = {}
    for place, rules in enumerate((base, head)):
        for rule in rules:
            quoting.setdefault(plain(rule.evidence), ([], []))[place].append(rule)
    for quoted, (old, new) in quoting.items():
        if quoted:
            yield from matched(old, new, lambda one, other: similarity(one.text, other.text), _AT_ALL)
