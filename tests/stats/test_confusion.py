"""A judge's two kinds of mistakes, and the judge that always says pass."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gate.stats.agreement import Drawing, Ratings, balanced_accuracy, confusion, crossed
from gate.stats.arrays import Estimate, Undefined
from tests.stats.published import from_table

PLAIN = Drawing()


def test_counts_and_rates_of_a_known_table() -> None:
    """People by judge, fail first: 30 fails of which 18 are caught, 70 passes of which 63 pass."""
    found = confusion(crossed(*from_table([[18, 12], [7, 63]])), PLAIN)
    assert (found.failed_right, found.passed_wrong, found.failed_wrong, found.passed_right) == (18, 12, 7, 63)
    assert (found.true_pass.rate, found.true_fail.rate) == pytest.approx((0.9, 0.6))
    expected = stats.binomtest(18, 30).proportion_ci(method="wilson")
    assert (found.true_fail.lower, found.true_fail.upper) == pytest.approx((expected.low, expected.high))
    assert found.always_pass == pytest.approx(0.7)


def test_a_judge_that_passes_everything_agrees_often_and_knows_nothing() -> None:
    tables = crossed(*from_table([[0, 10], [0, 90]]))
    found = confusion(tables, PLAIN)
    assert np.trace(tables.mean(axis=0)) == pytest.approx(0.9)
    assert (found.true_pass.rate, found.true_fail.rate) == (1.0, 0.0)
    balanced = balanced_accuracy(found)
    assert isinstance(balanced, Estimate)
    assert balanced.value == 0.5


@given(st.integers(1, 40), st.integers(1, 40), st.floats(0, 1), st.floats(0, 1))
def test_the_interval_of_the_mean_lies_within_the_means_of_the_bounds(p: int, f: int, a: float, b: float) -> None:
    right_p, right_f = round(a * p), round(b * f)
    found = confusion(crossed(*from_table([[right_f, f - right_f], [p - right_p, right_p]])), PLAIN)
    balanced = balanced_accuracy(found)
    assert isinstance(balanced, Estimate)
    assert balanced.value == pytest.approx((right_p / p + right_f / f) / 2)
    assert (found.true_pass.lower + found.true_fail.lower) / 2 - 1e-9 <= balanced.lower <= balanced.value
    assert balanced.value <= balanced.upper <= (found.true_pass.upper + found.true_fail.upper) / 2 + 1e-9


def test_people_who_only_pass_show_nothing_about_failing() -> None:
    tables = np.zeros((4, 2, 2))
    tables[:, 1, 1] = 1.0
    found = confusion(tables, PLAIN)
    assert (found.true_fail.rate, found.true_fail.lower, found.true_fail.upper) == (None, 0.0, 1.0)
    assert balanced_accuracy(found) == Undefined("people pass every answer")
    assert balanced_accuracy(confusion(tables[:, ::-1, ::-1], PLAIN)) == Undefined("people fail every answer")


def test_a_split_vote_counts_half_for_either_side() -> None:
    people = Ratings.of([[1.0, 0.0], [1.0, 1.0]])
    found = confusion(crossed(people, Ratings.of([[1.0], [1.0]])), PLAIN)
    assert (found.passed_right, found.passed_wrong) == (1.5, 0.5)
    assert found.true_pass.rate == 1.0
    # Half an answer counts as one, and ten halves as five.
    assert found.true_fail.upper == pytest.approx(stats.binomtest(0, 1).proportion_ci(method="wilson").high)
    split = confusion(crossed(Ratings.of([[1.0, 0.0]] * 10), Ratings.of([[1.0]] * 10)), PLAIN)
    assert split.true_pass.lower == pytest.approx(stats.binomtest(5, 5).proportion_ci(method="wilson").low)


def test_clusters_count_in_place_of_answers() -> None:
    tables = crossed(*from_table([[18, 12], [7, 63]]))
    clustered = confusion(tables, Drawing(clusters=np.arange(100) // 2))
    expected = stats.binomtest(9, 15).proportion_ci(method="wilson")
    assert (clustered.true_fail.lower, clustered.true_fail.upper) == pytest.approx((expected.low, expected.high))
