"""How alike texts are by the n-grams they share: of words, or of characters where a script writes no spaces."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Grams: TypeAlias = frozenset[tuple[str, ...]]

_TOKEN = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
    r"|\w+|[^\w\s]"
)
"""A character of a script without spaces (Thai, Lao, Burmese, Khmer, kana, Han), a word, or any other sign."""


_NOWHERE = np.array([], dtype=np.intp)


def normalised(text: str) -> str:
    """The text in NFKC, in lower case, with single spaces: two that agree in this are the same text."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def tokens(text: str) -> list[str]:
    """Words and signs, in order; each character by itself where words are not set apart by spaces."""
    return _TOKEN.findall(normalised(text))


def ngrams(text: str, n: int = 2) -> Grams:
    """The different runs of `n` tokens; of a shorter text the whole as one run; none of a text without tokens."""
    found = tokens(text)
    size = min(n, len(found))
    return frozenset(tuple(found[start : start + size]) for start in range(len(found) - size + 1) if size)


def jaccard(left: Grams, right: Grams) -> float:
    """Share of the n-grams of both that both have, 0 to 1; 0 where neither has any."""
    union = len(left | right)
    return len(left & right) / union if union else 0.0


def likenesses(texts: Sequence[Grams]) -> Iterator[npt.NDArray[np.float64]]:
    """For each text, float[N]: its Jaccard index with all texts in their order, with itself as well.

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
