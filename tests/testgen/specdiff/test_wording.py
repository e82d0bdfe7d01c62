"""How alike two sentences are, and what is paired by it."""

from hypothesis import given
from hypothesis import strategies as st

from gate.testgen.specdiff.alignment import LEAST_SIMILARITY, closest_pairs, similarity


def test_small_changes_are_alike_and_other_rules_are_not() -> None:
    rule = "The answer has at most 80 words."
    assert similarity(rule, "The answer has at most 60 words.") >= LEAST_SIMILARITY
    assert similarity(rule, "The answer is at most 80 words long.") >= LEAST_SIMILARITY
    assert similarity(rule, "No competitor is named.") < 0.2


def test_what_is_most_alike_is_paired_first() -> None:
    def alike(one: int, other: int) -> float:
        return 1 / (1 + abs(one - other))

    assert list(closest_pairs([1, 5], [4, 6, 1], alike, 0.5)) == [(1, 1), (5, 4)]
    assert list(closest_pairs([1], [9], alike, 0.5)) == []


@given(st.text(max_size=60), st.text(max_size=60))
def test_likeness_is_symmetric_and_full_only_for_oneself(one: str, other: str) -> None:
    assert similarity(one, other) == similarity(other, one)
    assert 0 <= similarity(one, other) <= 1
    assert similarity(one, one) in (0.0, 1.0)
