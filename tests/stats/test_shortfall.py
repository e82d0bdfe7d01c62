"""The exact test of a share of passes, and what clusters are worth."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from gate.stats.intervals import effective_units, shortfall_p, wilson

RATES = st.floats(0.01, 0.999)


@given(n=st.integers(1, 5000), data=st.data(), rate=RATES)
def test_as_scipy_has_it(n: int, data: st.DataObject, rate: float) -> None:
    passed = data.draw(st.integers(0, n))
    assert shortfall_p(passed, n, rate) == pytest.approx(binom.cdf(passed, n, rate), rel=1e-6, abs=1e-12)


def test_a_part_of_a_pass_counts_as_a_whole_one() -> None:
    assert shortfall_p(7.2, 10, 0.9) == shortfall_p(8, 10, 0.9) > shortfall_p(7, 10, 0.9)


def test_large_numbers_neither_overflow_nor_vanish() -> None:
    assert shortfall_p(100_000, 100_000, 0.5) == 1.0
    assert shortfall_p(0, 100_000, 0.5) == 0.0
    assert 0.4 < shortfall_p(90_000, 100_000, 0.9) < 0.6


@pytest.mark.parametrize("level", [0.025, 0.025 / 20])
@pytest.mark.parametrize("rate", [0.5, 0.9, 0.99])
def test_a_prompt_that_just_keeps_the_rate_is_seldom_too_bad(level: float, rate: float) -> None:
    for n in (10, 15, 30, 60, 100, 300):
        passed = np.arange(n + 1)
        bad = [wilson(k, n, alpha=level).upper < rate and shortfall_p(k, n, rate) <= level for k in passed.tolist()]
        assert binom.pmf(passed, n, rate)[bad].sum() <= level


def test_wilsons_bound_alone_would_break_that_promise() -> None:
    passed = np.arange(16)
    bad = [wilson(k, 15).upper < 0.99 for k in passed.tolist()]
    assert binom.pmf(passed, 15, 0.99)[bad].sum() > 0.13


def test_equal_clusters_count_once_each_and_a_large_one_outweighs_small_ones() -> None:
    assert effective_units(np.repeat(np.arange(12), 5)) == 12
    assert effective_units(np.arange(30)) == 30
    assert effective_units([0] * 91 + list(range(1, 10))) == 1
    assert effective_units([]) == 0


@given(sizes=st.lists(st.integers(1, 40), min_size=1, max_size=30))
def test_never_more_than_the_clusters(sizes: list[int]) -> None:
    units = [label for label, size in enumerate(sizes) for _ in range(size)]
    assert 1 <= effective_units(units) <= len(sizes)
    assert math.isclose(effective_units(units), len(sizes)) or len(set(sizes)) > 1
