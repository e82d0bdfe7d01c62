"""How alike two sentences are: by their runs of three characters, in any language."""

import re
import unicodedata
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import lru_cache
from typing import TypeVar

from gate.testgen.specdiff.units import plain

ALIKE = 0.6
"""Two rules of at least this similarity are held for one rule in other words; what the words mean is another question.
`python -m benchmarks.spec_mutants` shows what the figure does."""
_LONGEST = 4_000
QUOTED = 80
"""Characters of a sentence that a note quotes."""

B = TypeVar("B")
H = TypeVar("H")
K = TypeVar("K", bound=Hashable)


def worded_alike(one: str, other: str) -> bool:
    """Do two sentences say the same, letter by letter, markup and shapes of quotes left out?"""
    return plain(one) == plain(other)


def shortened(words: str) -> str:
    """A sentence for a note, its end left out where it is long.

    Args:
        words: it.
    """
    return words if len(words) <= QUOTED else words[:QUOTED] + "…"


def similarity(one: str, other: str) -> float:
    """Dice's coefficient of the runs of three characters, 0 to 1; capitals and punctuation do not count.

    Args:
        one, other: sentences; what is beyond 4,000 characters is not read.
    """
    left, right = _runs(one[:_LONGEST]), _runs(other[:_LONGEST])
    total = len(left) + len(right)
    return 2 * len(left & right) / total if total else 0.0


def alike(one: str, other: str) -> bool:
    """May two sentences be one in other words? Never where their numbers differ.

    Args:
        one, other: sentences.
    """
    numbers = [sorted(re.findall(r"\d+", text)) for text in (one, other)]
    return numbers[0] == numbers[1] and similarity(one, other) >= ALIKE


def twins(base: Sequence[B], head: Sequence[B], key: Callable[[B], K]) -> Iterator[tuple[B, B]]:
    """Pairs of what has the same key, each taken once, in their order; what has a false key has no twin.

    Args:
        base, head: what to pair.
        key: of an item.
    """
    waiting: dict[K, list[B]] = {}
    for item in reversed(head):
        waiting.setdefault(key(item), []).append(item)
    for old in base:
        known = key(old)
        if known and waiting.get(known):
            yield old, waiting[known].pop()


def matched(
    base: Sequence[B], head: Sequence[H], alike: Callable[[B, H], float], least: float
) -> Iterator[tuple[B, H]]:
    """Pairs of what is most alike, each taken once; among equals the first ones.

    Args:
        base, head: what to pair.
        alike: how alike two are.
        least: pairs below this are none.
    """
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
