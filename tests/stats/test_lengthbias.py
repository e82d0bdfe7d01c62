"""Bias by length: found where it is, not found where long answers are simply better."""

import numpy as np
import pytest

from gate.stats.agreement import Drawing
from gate.stats.arrays import Estimate, Undefined
from gate.stats.association import length_bias


def world(n: int, gain: float, link: float, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Judge, labels, lengths: a shrinking judge that gives `gain` per doubling; `link` ties length to the label."""
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < 0.6).astype(float)
    doublings = 8.0 + link * labels + rng.normal(size=n)
    judged = 0.3 + 0.4 * labels + gain * (doublings - 8.0) + 0.1 * rng.normal(size=n)
    return judged, labels, 2.0**doublings


def test_a_gain_per_doubling_is_found() -> None:
    found = length_bias(*world(400, 0.03, 0.0), Drawing())
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(0.03, abs=0.01)
    assert found.lower > 0.0


def test_a_shrinking_judge_of_long_good_answers_has_no_bias() -> None:
    """Judge minus people falls with length here: good answers are long, and the judge gives them less than 1."""
    judged, labels, lengths = world(400, 0.0, 2.0)
    naive = np.polyfit(np.log2(lengths), judged - labels, 1)[0]
    found = length_bias(judged, labels, lengths, Drawing())
    assert naive < -0.1
    assert isinstance(found, Estimate)
    assert found.lower < 0.0 < found.upper
    assert abs(found.value) < 0.02


def test_is_the_coefficient_of_least_squares() -> None:
    judged, labels, lengths = world(60, 0.05, 1.0, seed=7)
    design = np.column_stack([np.ones(60), labels, np.log2(lengths)])
    expected = np.linalg.lstsq(design, judged, rcond=None)[0][2]
    found = length_bias(judged, labels, lengths, Drawing(resamples=10))
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(expected)


def test_where_all_labels_are_the_same_it_is_the_simple_slope() -> None:
    judged, _, lengths = world(60, 0.05, 0.0)
    found = length_bias(judged, np.ones(60), lengths, Drawing(resamples=10))
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(np.polyfit(np.log2(lengths), judged, 1)[0])


def test_longer_by_a_factor_changes_nothing() -> None:
    judged, labels, lengths = world(60, 0.05, 1.0)
    one, other = (length_bias(judged, labels, scale * lengths, Drawing(resamples=10)) for scale in (1.0, 7.0))
    assert isinstance(one, Estimate)
    assert isinstance(other, Estimate)
    assert other.value == pytest.approx(one.value)


def test_what_cannot_be_told_is_not_told() -> None:
    judged, labels, lengths = world(60, 0.0, 0.0)
    assert length_bias(judged[:9], labels[:9], lengths[:9], Drawing()) == Undefined("fewer than 10 answers")
    assert length_bias(judged, labels, np.full(60, 5.0), Drawing()) == Undefined("all answers are of one length")
    tied = Undefined("length and label go together, so they cannot be told apart")
    assert length_bias(judged, labels, 1.0 + labels, Drawing()) == tied
