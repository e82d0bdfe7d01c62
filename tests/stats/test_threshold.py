"""The best threshold: chosen as stated, and not praised for what it was fitted to."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.stats.agreement import Drawing, Ratings
from gate.stats.arrays import Undefined
from gate.stats.association import FOLDS, Choice, best_threshold, distinct_scores

FEW = Drawing(resamples=200)


def one_each(scores: list[float], labels: list[float]) -> tuple[Ratings, Ratings]:
    return Ratings.of(np.array(scores)[:, None]), Ratings.of(np.array(labels)[:, None])


def test_separated_labels_are_parted_in_the_middle() -> None:
    found = best_threshold(*one_each([0.1, 0.2, 0.3, 0.7, 0.8, 0.9], [0, 0, 0, 1, 1, 1]), FEW)
    assert isinstance(found, Choice)
    assert found.threshold == pytest.approx(0.5)
    assert (found.balanced, found.tried) == (1.0, 5)


def test_of_equally_good_thresholds_the_middle_one_is_taken() -> None:
    """0.25 and 0.75 have no labels between them that would part 0.375, 0.5 and 0.625: 1 right more, 1 right less."""
    scores = [0.0, 0.0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1.0, 1.0]
    labels = [0, 0, 0, 1, 0, 1, 0, 1, 1, 1]
    found = best_threshold(*one_each(scores, labels), FEW)
    assert isinstance(found, Choice)
    assert found.threshold == pytest.approx(0.375)
    assert (found.lowest, found.highest) == (0.0, 1.0)


grids = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), st.sampled_from([0.0, 1.0])), min_size=4, max_size=25
)


@given(grids)
def test_no_threshold_is_better_and_the_estimates_are_those_of_slow_loops(rows: list[tuple[float, float]]) -> None:
    scores, labels = np.array(rows).T
    found = best_threshold(*one_each(scores.tolist(), labels.tolist()), FEW)
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
    for _ in range(20):
        found = best_threshold(*one_each(rng.random(40).tolist(), (rng.random(40) < 0.5).astype(float).tolist()), FEW)
        assert isinstance(found, Choice)
        fitted.append(found.balanced)
        honest.append(found.honest)
    assert np.mean(fitted) > 0.55
    assert np.mean(honest) < 0.53


def test_a_clear_best_threshold_has_a_narrow_range() -> None:
    rng = np.random.default_rng(5)
    scores = rng.random(600)
    labels = (scores + 0.05 * rng.normal(size=600) > 0.6).astype(float)
    found = best_threshold(*one_each(scores.tolist(), labels.tolist()), FEW)
    assert isinstance(found, Choice)
    assert found.lowest < 0.6 < found.highest
    assert found.highest - found.lowest < 0.2
    assert found.tried <= 100


def test_between_two_scores_one_threshold_is_as_good_as_another() -> None:
    found = best_threshold(*one_each([0.0, 0.0, 1.0, 1.0, 1.0], [0, 0, 1, 1, 0]), FEW)
    assert isinstance(found, Choice)
    assert (found.lowest, found.threshold, found.highest) == (0.0, 0.5, 1.0)


def test_a_cluster_stays_whole() -> None:
    """Copies of one answer would otherwise choose the threshold that they are then judged by."""
    rng = np.random.default_rng(4)
    alone, together = [], []
    for _ in range(8):
        scores, labels = np.tile(rng.random(12), 4), np.tile(rng.permutation([0.0, 1.0] * 6), 4)
        apart = best_threshold(*one_each(scores.tolist(), labels.tolist()), FEW)
        whole = best_threshold(
            *one_each(scores.tolist(), labels.tolist()), Drawing(clusters=np.tile(np.arange(12), 4), resamples=200)
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
    found = best_threshold(scores, people, FEW)
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
    assert best_threshold(*one_each(scores, labels), FEW) == Undefined(reason)


def test_nothing_to_compare() -> None:
    nothing = Ratings.of([[0.1]], [[False]])
    assert best_threshold(nothing, Ratings.of([[0.0]]), FEW) == Undefined("there is nothing to compare")
