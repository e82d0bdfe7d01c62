"""Which rule of the old version is which rule of the new one: by id, evidence, wording and code; without any model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gate.domain.promptspec import OutputRule
from gate.domain.specdiff import AlignedBy
from gate.testgen.specdiff.units import plain
from gate.testgen.specdiff.wording import ALIKE, matched, similarity

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
        work.pair("id", lambda one, other: float(one.id == other.id), 1.0)
    work.pair("wording", lambda one, other: float(plain(one.text) == plain(other.text)), 1.0)
    work.pair("evidence", _by_evidence, _AT_ALL)
    work.pair("wording", lambda one, other: similarity(one.text, other.text), ALIKE)
    work.pair("code", lambda one, other: float(bool(kinds(one)) and kinds(one) == kinds(other)), 1.0)
    order = {rule.id: place for place, rule in enumerate(base)}
    pairs = sorted(work.pairs, key=lambda pair: order[pair.base.id])
    return Aligned(tuple(pairs), tuple(work.base), tuple(work.head))


@dataclass(slots=True)
class _Work:
    base: list[OutputRule]
    head: list[OutputRule]
    pairs: list[Pair]

    def pair(self, by: AlignedBy, alike: Callable[[OutputRule, OutputRule], float], least: float) -> None:
        """Take out all pairs that one measure finds."""
        for one, other in list(matched(self.base, self.head, alike, least)):
            self.base.remove(one)
            self.head.remove(other)
            self.pairs.append(Pair(one, other, by))


def _by_evidence(one: OutputRule, other: OutputRule) -> float:
    """How alike two rules are that quote the same words; 0 where they do not."""
    quoted, requoted = plain(one.evidence), plain(other.evidence)
    return similarity(one.text, other.text) if quoted and quoted == requoted else 0.0
