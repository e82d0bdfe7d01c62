"""Finds tests that say the same twice; the first one stays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gate.domain.promptspec import Discarded, GeneratedTest
from gate.testgen.ngrams import Grams, jaccard, likenesses, ngrams, normalised

NEAR = 0.7
"""Jaccard index of word bigrams from which two inputs are nearly the same: one word replaced in 13 or more. Of 14,974
pairs of inputs in the published tests of PromptPex, each pair of one prompt, none lies above 0.53."""


@dataclass(frozen=True, slots=True)
class Distinct:
    """What is left without duplicates.

    Args:
        tests: the kept ones, in their order.
        discarded: the others, each with the kept one that it repeats.
    """

    tests: tuple[GeneratedTest, ...]
    discarded: tuple[Discarded, ...]


def identity(test: GeneratedTest) -> tuple[tuple[str, str], ...]:
    """What two tests agree in that are the same: all that is put in, normalised, by its names."""
    return tuple((name, normalised(text)) for name, text in _parts(test).items())


def without_duplicates(tests: Sequence[GeneratedTest]) -> Distinct:
    """Keep the first of those that are the same or nearly so.

    Nearly the same are two tests each of whose parts is alike in at least `NEAR`; a sentence with another question is
    another test. Two boundary tests are duplicates only where they are the same, for the two sides of a limit lie one
    word apart.

    Args:
        tests: in the order of preference.
    """
    seen: dict[tuple[tuple[str, str], ...], GeneratedTest] = {}
    discarded: dict[int, Discarded] = {}
    for place, test in enumerate(tests):
        first = seen.setdefault(identity(test), test)
        if first is not test:
            discarded[place] = Discarded(test, f"the same as {first.id}")
    parts = [{name: ngrams(text) for name, text in _parts(test).items()} for test in tests]
    named = [_named(one) for one in parts]
    for place, alike in enumerate(likenesses(named)):
        if place in discarded:
            continue
        for other in np.flatnonzero(alike[:place] >= NEAR):
            index = int(other)
            if index in discarded or tests[place].scenario == tests[index].scenario == "boundary":
                continue
            if near(parts[place], parts[index]):
                why = f"nearly the same as {tests[index].id} (overlap {alike[index]:.2f})"
                discarded[place] = Discarded(tests[place], why)
                break
    kept = tuple(test for place, test in enumerate(tests) if place not in discarded)
    return Distinct(kept, tuple(one for _, one in sorted(discarded.items())))


def near(left: Mapping[str, Grams], right: Mapping[str, Grams]) -> bool:
    """Has each part of one its like in the other? Parts without any n-gram, such as empty ones, are alike."""
    return left.keys() == right.keys() and all(
        jaccard(left[name], right[name]) >= NEAR or left[name] == right[name] for name in left
    )


def _parts(test: GeneratedTest) -> Mapping[str, str]:
    told = {f"turn {number}": text for number, text in enumerate(test.turns, start=1)}
    return {**test.components, **told} or {"input": test.said}


def _named(parts: Mapping[str, Grams]) -> Grams:
    """The n-grams of all parts, told apart by the part; if each part is alike in a share, so is the whole."""
    return frozenset((name, *gram) for name, grams in parts.items() for gram in grams)
