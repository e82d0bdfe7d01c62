"""How different the tests of one generation are from each other."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import ClassVar

import numpy as np

from gate.domain.promptspec import GeneratedTest, Scenario
from gate.domain.ranges import COMPLETE
from gate.stats.quantiles import quantile
from gate.stats.undefined import Undefined
from gate.testgen.ngrams import likenesses, ngrams, tokens


@dataclass(frozen=True, slots=True)
class Lengths:
    """Characters of the inputs. How to read: quartiles close together mean that length was hardly tried."""

    __pydantic_config__: ClassVar = COMPLETE
    shortest: float
    lower: float
    median: float
    upper: float
    longest: float


@dataclass(frozen=True, slots=True)
class Diversity:
    """Figures of a set of tests. They compare sets of a like size made for one prompt, and are no marks by themselves.

    Args:
        tests: how many there are.
        distinct_1: different words among all words, 0 to 1 (Li et al., 2016). How to read: higher means richer wording;
            it falls with the number of words, so compare sets of a like size.
        distinct_2: the same of pairs of neighbouring words; low means phrases that come again and again.
        nearest: mean likeness of a test to the one most like it (Jaccard index of word pairs, 0 to 1). How to read:
            near 0 each test stands by itself; above about 0.3 many are variants of each other.
        lengths: spread of the lengths.
        scenarios: share of each scenario among the tests that name one; empty where none does.
    """

    tests: int
    distinct_1: float | Undefined
    distinct_2: float | Undefined
    nearest: float | Undefined
    lengths: Lengths | Undefined
    scenarios: Mapping[Scenario, float]


def diversity(tests: Sequence[GeneratedTest]) -> Diversity:
    """The figures of some tests; a figure that so few do not give says why."""
    texts = [test.said for test in tests]
    words = [tokens(text) for text in texts]
    pairs = [list(zip(one, one[1:], strict=False)) for one in words]
    tags = Counter(test.scenario for test in tests if test.scenario)
    return Diversity(
        len(tests),
        _distinct([word for one in words for word in one]),
        _distinct([pair for one in pairs for pair in one]),
        _nearest(texts),
        _lengths(texts),
        {tag: tags[tag] / tags.total() for tag in sorted(tags)},
    )


def _distinct(found: Sequence[object]) -> float | Undefined:
    return len(set(found)) / len(found) if found else Undefined("the inputs hold too few words")


def _nearest(texts: Sequence[str]) -> float | Undefined:
    if len(texts) < 2:
        return Undefined("there are fewer than two tests")
    closest = []
    for place, alike in enumerate(likenesses([ngrams(text) for text in texts])):
        closest.append(float(np.delete(alike, place).max()))
    return fmean(closest)


def _lengths(texts: Sequence[str]) -> Lengths | Undefined:
    if not texts:
        return Undefined("there are no tests")
    sizes = [len(text) for text in texts]
    return Lengths(*(quantile(sizes, q) for q in (0.0, 0.25, 0.5, 0.75, 1.0)))
