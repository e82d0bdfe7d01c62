"""Grades against grades: likeness, ranks, length bias, the best threshold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.stats.agreement import Ratings, ResamplingOptions
from gate.stats.arrays import Estimate, Undefined
from gate.stats.association import (
    FOLDS,
    Choice,
    best_threshold,
    closeness,
    cosine,
    distinct_scores,
    length_bias,
    mean_difference,
    midranks,
    rank_correlation,
)
from tests.stats.reference import ranks

RATES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=8)


def test_cosine_does_not_see_size_and_closeness_does() -> None:
    assert cosine([0.1, 0.2], [0.2, 0.4]) == pytest.approx(1.0)
    assert closeness([0.1, 0.2], [0.2, 0.4]) == pytest.approx(0.85)


def test_zero_vectors_have_an_answer() -> None:
    assert cosine([0, 0], [0, 0]) == 1.0
    assert isinstance(cosine([0, 0], [0, 0.01]), Undefined)
    assert closeness([0, 0], [0, 0]) == 1.0
    assert closeness([0, 0], [1, 1]) == 0.0


def test_nothing_is_undefined() -> None:
    assert isinstance(cosine([], []), Undefined)
    assert isinstance(closeness([], []), Undefined)


@given(RATES)
def test_both_are_bounded_and_do_not_mind_the_order(pairs: list[tuple[float, float]]) -> None:
    first, second = [one for one, _ in pairs], [other for _, other in pairs]
    found = cosine(first, second)
    assert isinstance(found, Undefined) or 0.0 <= found <= 1.0
    assert found == cosine(second, first)
    near = closeness(first, second)
    assert not isinstance(near, Undefined) and 0.0 <= near <= 1.0
    assert closeness(first, first) == 1.0
    own = cosine(first, first)
    assert not isinstance(own, Undefined) and own == pytest.approx(1.0)


FEW = ResamplingOptions(resamples=50)
grades = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=30)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30))
def test_equal_values_share_the_middle_of_their_ranks(values: list[int]) -> None:
    assert midranks(np.array(values, dtype=float)).tolist() == ranks(values)


@given(grades)
def test_it_is_the_correlation_of_the_ranks(pairs: list[tuple[int, int]]) -> None:
    left, right = np.array(pairs, dtype=float).T
    found = rank_correlation(left, right, FEW)
    if np.ptp(left) == 0 or np.ptp(right) == 0:
        assert found == Undefined("one side gives every answer the same grade")
        return
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(np.corrcoef(ranks(left.tolist()), ranks(right.tolist()))[0, 1])
    assert found.lower <= found.value <= found.upper


def test_the_interval_narrows_with_the_number_of_items() -> None:
    rng = np.random.default_rng(3)
    widths = []
    for n in (30, 150):
        left = rng.normal(size=n)
        found = rank_correlation(left, left + rng.normal(size=n), ResamplingOptions(resamples=200))
        assert isinstance(found, Estimate)
        widths.append(found.upper - found.lower)
    assert widths[1] < 0.6 * widths[0]


def test_clusters_are_drawn_whole() -> None:
    left = np.repeat([0.0, 1.0, 2.0, 3.0], 25)
    found = rank_correlation(
        left,
        np.repeat([0.0, 2.0, 1.0, 3.0], 25),
        ResamplingOptions(clusters=np.repeat(np.arange(4), 25), resamples=200),
    )
    assert isinstance(found, Estimate)
    assert found.units == 4
    assert found.lower < 0.0


def test_the_mean_of_differences_is_a_mean() -> None:
    found = mean_difference(np.array([0.1, -0.1, 0.3]), FEW)
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(0.1)
    assert isinstance(mean_difference(np.array([]), FEW), Undefined)


def world(n: int, gain: float, link: float, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Judge, labels, lengths: a shrinking judge that gives `gain` per doubling; `link` ties length to the label."""
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < 0.6).astype(float)
    doublings = 8.0 + link * labels + rng.normal(size=n)
    judged = 0.3 + 0.4 * labels + gain * (doublings - 8.0) + 0.1 * rng.normal(size=n)
    return judged, labels, 2.0**doublings


def test_a_gain_per_doubling_is_found() -> None:
    found = length_bias(*world(400, 0.03, 0.0), ResamplingOptions())
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(0.03, abs=0.01)
    assert found.lower > 0.0


def test_a_shrinking_judge_of_long_good_answers_has_no_bias() -> None:
    """Judge minus people falls with length here: good answers are long, and the judge gives them less than 1."""
    judged, labels, lengths = world(400, 0.0, 2.0)
    naive = np.polyfit(np.log2(lengths), judged - labels, 1)[0]
    found = length_bias(judged, labels, lengths, ResamplingOptions())
    assert naive < -0.1
    assert isinstance(found, Estimate)
    assert found.lower < 0.0 < found.upper
    assert abs(found.value) < 0.02


def test_is_the_coefficient_of_least_squares() -> None:
    judged, labels, lengths = world(60, 0.05, 1.0, seed=7)
    design = np.column_stack([np.ones(60), labels, np.log2(lengths)])
    expected = np.linalg.lstsq(design, judged, rcond=None)[0][2]
    found = length_bias(judged, labels, lengths, ResamplingOptions(resamples=10))
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(expected)


def test_what_cannot_be_told_is_not_told() -> None:
    judged, labels, lengths = world(60, 0.0, 0.0)
    assert length_bias(judged[:9], labels[:9], lengths[:9], ResamplingOptions()) == Undefined("fewer than 10 answers")
    assert length_bias(judged, labels, np.full(60, 5.0), ResamplingOptions()) == Undefined(
        "all answers are of one length"
    )
    tied = Undefined("length and label go together, so they cannot be separated")
    assert length_bias(judged, labels, 1.0 + labels, ResamplingOptions()) == tied


FEW_RESAMPLES = ResamplingOptions(resamples=200)


def one_each(scores: list[float], labels: list[float]) -> tuple[Ratings, Ratings]:
    return Ratings.of(np.array(scores)[:, None]), Ratings.of(np.array(labels)[:, None])


def test_separated_labels_are_parted_in_the_middle() -> None:
    found = best_threshold(*one_each([0.1, 0.2, 0.3, 0.7, 0.8, 0.9], [0, 0, 0, 1, 1, 1]), FEW_RESAMPLES)
    assert isinstance(found, Choice)
    assert found.threshold == pytest.approx(0.5)
    assert (found.balanced, found.tried) == (1.0, 5)


grids = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), st.sampled_from([0.0, 1.0])), min_size=4, max_size=25
)


@given(grids)
def test_no_threshold_is_better_and_the_estimates_are_those_of_slow_loops(rows: list[tuple[float, float]]) -> None:
    scores, labels = np.array(rows).T
    found = best_threshold(*one_each(scores.tolist(), labels.tolist()), FEW_RESAMPLES)
    if isinstance(found, Undefined):
        assert len(set(scores)) == 1 or min((labels == 0).sum(), (labels == 1).sum()) < 2
        return
    distinct = distinct_scores(scores)
    tried = (distinct[1:] + distinct[:-1]) / 2

    def balanced(threshold: float, rows: np.ndarray) -> float:
        passed = scores[rows] >= threshold
        return float((np.mean(passed[labels[rows] == 1]) + np.mean(~passed[labels[rows] == 0])) / 2)

    def chosen(rows: np.ndarray) -> float:
        figures = np.array([balanced(one, rows) for one in tried])
        tied = np.flatnonzero(figures >= figures.max() - 1e-9)
        return float(tried[tied[(len(tied) - 1) // 2]])

    everyone = np.arange(len(rows))
    assert found.threshold == chosen(everyone)
    assert found.balanced == pytest.approx(max(balanced(one, everyone) for one in tried))
    if len(rows) <= FOLDS:  # every answer is a fold: cross-validation without chance
        right = [(scores[i] >= chosen(np.delete(everyone, i))) == (labels[i] == 1) for i in everyone]
        honest = (np.mean(np.array(right)[labels == 1]) + np.mean(np.array(right)[labels == 0])) / 2
        assert found.honest == pytest.approx(honest)
    assert found.lowest <= found.threshold <= found.highest


def test_scores_that_mean_nothing_are_not_praised() -> None:
    """Fitted to noise the best threshold looks good; on answers that it was not chosen by it does not."""
    rng = np.random.default_rng(2)
    fitted, honest = [], []
    for _ in range(12):
        found = best_threshold(
            *one_each(rng.random(40).tolist(), (rng.random(40) < 0.5).astype(float).tolist()), FEW_RESAMPLES
        )
        assert isinstance(found, Choice)
        fitted.append(found.balanced)
        honest.append(found.honest)
    assert np.mean(fitted) > 0.55
    assert np.mean(honest) < 0.53


def test_a_cluster_stays_whole() -> None:
    """Copies of one answer would otherwise choose the threshold that they are then judged by."""
    rng = np.random.default_rng(4)
    alone, together = [], []
    for _ in range(5):
        scores, labels = np.tile(rng.random(12), 4), np.tile(rng.permutation([0.0, 1.0] * 6), 4)
        apart = best_threshold(*one_each(scores.tolist(), labels.tolist()), FEW_RESAMPLES)
        whole = best_threshold(
            *one_each(scores.tolist(), labels.tolist()),
            ResamplingOptions(clusters=np.tile(np.arange(12), 4), resamples=200),
        )
        assert isinstance(apart, Choice)
        assert isinstance(whole, Choice)
        alone.append(apart.honest)
        together.append(whole.honest)
    assert np.mean(alone) > 0.6
    assert np.mean(together) < 0.52


def test_repeated_judgements_and_several_people_count_in_part() -> None:
    scores = Ratings.of([[0.0, 0.4], [0.2, 0.2], [0.9, 0.6], [0.8, 1.0]])
    people = Ratings.of([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 1.0]])
    found = best_threshold(scores, people, FEW_RESAMPLES)
    assert isinstance(found, Choice)
    assert 0.4 < found.threshold < 0.6
    assert found.balanced == pytest.approx((1.0 + 2.0 / 2.5) / 2)


@pytest.mark.parametrize(
    ("scores", "labels", "reason"),
    [
        ([0.5] * 4, [0, 1, 0, 1], "the judge gave every answer the same score"),
        ([0.1, 0.2, 0.3, 0.4], [1, 1, 1, 1], "people pass, or fail, fewer than two independent answers"),
        ([0.1, 0.2, 0.3, 0.4], [0, 1, 1, 1], "people pass, or fail, fewer than two independent answers"),
    ],
)
def test_what_cannot_be_chosen(scores: list[float], labels: list[float], reason: str) -> None:
    assert best_threshold(*one_each(scores, labels), FEW_RESAMPLES) == Undefined(reason)
