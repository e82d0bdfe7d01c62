from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gate.record.transcript import Score, Unscored
from gate.scoring.interface import combine_scores


def test_weighted_mean() -> None:
    assert combine_scores([Score("a", 1.0, weight=3.0), Score("b", 0.0, weight=1.0)]) == pytest.approx(0.75)


def test_a_required_scorer_that_fails_makes_the_sample_zero() -> None:
    assert combine_scores([Score("a", 1.0, weight=9.0), Score("b", 0.0, required=True)]) == 0.0


def test_one_scorer_that_cannot_be_applied_leaves_the_sample_unscored() -> None:
    result = combine_scores([Score("a", 1.0), Score("b", Unscored("refused"))])
    assert result == Unscored("b: refused")


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.001, 1000)), min_size=1, max_size=6))
def test_the_mean_lies_between_the_scores(rows: list[tuple[float, float]]) -> None:
    value = combine_scores([Score(str(i), score, weight=weight) for i, (score, weight) in enumerate(rows)])
    assert isinstance(value, float)
    assert min(score for score, _ in rows) - 1e-9 <= value <= max(score for score, _ in rows) + 1e-9


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.001, 1000)), min_size=2, max_size=6), st.randoms())
@example([(0.1, 1.0), (0.2, 1.0), (0.3, 1.0)], Random(0))
def test_the_order_of_the_scorers_changes_no_digit(rows: list[tuple[float, float]], random: Random) -> None:
    scores = [Score("s", value, weight=weight) for value, weight in rows]
    assert combine_scores(scores) == combine_scores(scores[::-1]) == combine_scores(random.sample(scores, len(scores)))
