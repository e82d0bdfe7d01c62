"""Differences of grades, length bias, likeness of vectors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.stats.agreement import ResamplingOptions
from gate.stats.arrays import Estimate, Undefined
from gate.stats.association import (
    closeness,
    cosine,
    length_bias,
    mean_difference,
)

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
