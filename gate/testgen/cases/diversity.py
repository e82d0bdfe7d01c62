"""Removes duplicate tests, and measures the diversity of the others."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from gate.config.specification import Discarded, GeneratedTest, Scenario
from gate.stats.arrays import Undefined
from gate.stats.intervals import quantile
from gate.values import COMPLETE

Grams: TypeAlias = frozenset[tuple[str, ...]]

_TOKEN = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
    r"|\w+|[^\w\s]"
)
"""A character of a script without spaces (Thai, Lao, Burmese, Khmer, kana, Han), a word, or any other sign."""


_NOWHERE = np.array([], dtype=np.intp)


def normalised(text: str) -> str:
    """The text in NFKC, in lower case, with single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def tokens(text: str) -> list[str]:
    """Words and signs, in order; single characters in scripts that do not separate words by spaces."""
    return _TOKEN.findall(normalised(text))


def ngrams(text: str, n: int = 2) -> Grams:
    """The different runs of `n` tokens; of a shorter text the whole as one run; none of a text without tokens."""
    found = tokens(text)
    size = min(n, len(found))
    return frozenset(tuple(found[start : start + size]) for start in range(len(found) - size + 1) if size)


def jaccard(left: Grams, right: Grams) -> float:
    """The share of all n-grams that both have, 0 to 1; 0 where neither has any."""
    union = len(left | right)
    return len(left & right) / union if union else 0.0


def likenesses(texts: Sequence[Grams]) -> Iterator[npt.NDArray[np.float64]]:
    """For each text, float[N]: its Jaccard index with all N texts in order, itself included.

    Counted by an inverted index, so that only n-grams that are shared cost time.
    """
    places: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, grams in enumerate(texts):
        for gram in grams:
            places[gram].append(place)
    postings = {gram: np.array(found, dtype=np.intp) for gram, found in places.items() if len(found) > 1}
    sizes = np.array([len(grams) for grams in texts], dtype=np.float64)
    for place, grams in enumerate(texts):
        found = [postings[gram] for gram in grams if gram in postings]
        shared = np.bincount(np.concatenate([_NOWHERE, *found]), minlength=len(texts))
        shared[place] = len(grams)
        yield shared / np.maximum(sizes + len(grams) - shared, 1)


NEAR_DUPLICATE = 0.7
"""Jaccard index of word bigrams from which two inputs are nearly the same: one word replaced in 13 or more. Of 14,974
pairs of inputs in the published tests of PromptPex, each pair of one prompt, none lies above 0.53."""


@dataclass(frozen=True, slots=True)
class DistinctTests:
    """The distinct tests in order, and each duplicate with the test that it repeats."""

    tests: tuple[GeneratedTest, ...]
    discarded: tuple[Discarded, ...]


def identity(test: GeneratedTest) -> tuple[tuple[str, str], ...]:
    """A key of all inputs of a test, normalised, by name: equal for tests that are the same."""
    return tuple((name, normalised(text)) for name, text in _parts(test).items())


def without_duplicates(tests: Sequence[GeneratedTest]) -> DistinctTests:
    """Keep the first of those that are the same or nearly so; `tests` are in the order of preference.

    Two tests are nearly the same if each of their parts is alike enough; a sentence with another question is another
    test. Two boundary tests are duplicates only if they are the same, since the sides of a limit lie one word apart.
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
        for other in np.flatnonzero(alike[:place] >= NEAR_DUPLICATE):
            index = int(other)
            if index in discarded or tests[place].scenario == tests[index].scenario == "boundary":
                continue
            if is_near(parts[place], parts[index]):
                why = f"nearly the same as {tests[index].id} (overlap {alike[index]:.2f})"
                discarded[place] = Discarded(tests[place], why)
                break
    kept = tuple(test for place, test in enumerate(tests) if place not in discarded)
    return DistinctTests(kept, tuple(one for _, one in sorted(discarded.items())))


def is_near(left: Mapping[str, Grams], right: Mapping[str, Grams]) -> bool:
    """Is each part of one near that of the other? Parts without any n-gram, such as empty ones, are."""
    return left.keys() == right.keys() and all(
        jaccard(left[name], right[name]) >= NEAR_DUPLICATE or left[name] == right[name] for name in left
    )


def _parts(test: GeneratedTest) -> Mapping[str, str]:
    told = {f"turn {number}": text for number, text in enumerate(test.turns, start=1)}
    return {**test.components, **told} or {"input": test.said}


def _named(parts: Mapping[str, Grams]) -> Grams:
    """The n-grams of all parts, labelled by the part; if each part is alike in a share, so is the whole."""
    return frozenset((name, *gram) for name, grams in parts.items() for gram in grams)


@dataclass(frozen=True, slots=True)
class Lengths:
    """Characters of the inputs. Close quartiles mean that the length hardly varies."""

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
        distinct_1: different words among all words, 0 to 1 (Li et al., 2016). How to read: higher means richer wording;
            it falls with the number of words, so compare sets of a like size.
        distinct_2: the same of pairs of neighbouring words; low means phrases that come again and again.
        nearest: mean likeness of a test to the one most like it (Jaccard index of word pairs, 0 to 1). How to read:
            near 0 each test stands by itself; above about 0.3 many are variants of each other.
    """

    tests: int
    distinct_1: float | Undefined
    distinct_2: float | Undefined
    nearest: float | Undefined
    lengths: Lengths | Undefined
    scenarios: Mapping[Scenario, float]


def diversity_of(tests: Sequence[GeneratedTest]) -> Diversity:
    """The figures of some tests; `Undefined` with a reason if there are too few tests."""
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
