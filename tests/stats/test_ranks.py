"""Rank correlation against scipy, and means of differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gate.stats.agreement import Drawing
from gate.stats.arrays import Estimate, Undefined
from gate.stats.association import mean_difference, midranks, rank_correlation

FEW = Drawing(resamples=50)
grades = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=30)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30))
def test_midranks_are_those_of_scipy(values: list[int]) -> None:
    assert midranks(np.array(values, dtype=float)).tolist() == stats.rankdata(values).tolist()


@given(grades)
def test_agrees_with_scipy(pairs: list[tuple[int, int]]) -> None:
    left, right = np.array(pairs, dtype=float).T
    found = rank_correlation(left, right, FEW)
    if np.ptp(left) == 0 or np.ptp(right) == 0:
        assert found == Undefined("one side gives every answer the same grade")
        return
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(stats.spearmanr(left, right).statistic)
    assert found.lower <= found.value <= found.upper


def test_the_interval_narrows_with_the_number_of_items() -> None:
    rng = np.random.default_rng(3)
    widths = []
    for n in (30, 300):
        left = rng.normal(size=n)
        found = rank_correlation(left, left + rng.normal(size=n), Drawing(resamples=500))
        assert isinstance(found, Estimate)
        widths.append(found.upper - found.lower)
    assert widths[1] < 0.5 * widths[0]


def test_clusters_are_drawn_whole() -> None:
    left = np.repeat([0.0, 1.0, 2.0, 3.0], 25)
    found = rank_correlation(left, np.repeat([0.0, 2.0, 1.0, 3.0], 25), Drawing(clusters=np.repeat(np.arange(4), 25)))
    assert isinstance(found, Estimate)
    assert found.units == 4
    assert found.lower < 0.0


def test_the_mean_of_differences_is_a_mean() -> None:
    found = mean_difference(np.array([0.1, -0.1, 0.3]), FEW)
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(0.1)
    assert isinstance(mean_difference(np.array([]), FEW), Undefined)
