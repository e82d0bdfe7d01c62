"""Likeness of texts: words, scripts without spaces, and the inverted index against the plain definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.testgen.cases.diversity import jaccard, likenesses, ngrams, tokens

TEXTS = st.lists(st.text("ab c,日本ü ", max_size=20), max_size=8)


def test_words_and_signs_are_tokens() -> None:
    assert tokens("Don't  PANIC: 2+2!") == ["don", "'", "t", "panic", ":", "2", "+", "2", "!"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("東京タワー", ["東", "京", "タ", "ワ", "ー"]),
        ("Zug 新幹線", ["zug", "新", "幹", "線"]),
        ("안녕 세계", ["안녕", "세계"]),
    ],
)
def test_scripts_without_spaces_go_by_characters(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def test_a_short_text_is_one_run() -> None:
    assert ngrams("hello") == {("hello",)}
    assert ngrams("a b c") == {("a", "b"), ("b", "c")}
    assert ngrams(" \n") == frozenset()


@given(TEXTS)
def test_the_index_says_what_the_definition_says(texts: list[str]) -> None:
    grams = [ngrams(text) for text in texts]
    found = list(likenesses(grams))
    assert len(found) == len(grams)
    for left, row in zip(grams, found, strict=True):
        assert np.allclose(row, [jaccard(left, right) for right in grams])


@given(st.text(), st.text())
def test_likeness_is_symmetric_and_a_share(left: str, right: str) -> None:
    one, other = ngrams(left), ngrams(right)
    assert jaccard(one, other) == jaccard(other, one)
    assert 0 <= jaccard(one, other) <= 1
    assert jaccard(one, one) == (1.0 if one else 0.0)
