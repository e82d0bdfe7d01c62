"""The null distribution: complete when it can be, paired and reproducible when it is drawn."""

import itertools
import math
import tracemalloc

import numpy as np
import pytest

from gate.stats.maxt import NullMinima, null_minima


def test_few_units_try_all_sign_vectors() -> None:
    y = np.random.default_rng(1).normal(size=(7, 3))
    z = y / np.sqrt((y**2).sum(axis=0))
    expected = sorted(min(np.array(signs) @ z) for signs in itertools.product([-1, 1], repeat=7))
    assert null_minima(y, 99, 0).minima == pytest.approx(expected)


@pytest.mark.parametrize(("units", "flips"), [(1, 2), (5, 32), (12, 4096), (13, 5000)])
def test_all_flips_below_thirteen_units(units: int, flips: int) -> None:
    assert null_minima(np.ones((units, 1)), 4999, 0).flips == flips


def test_every_flip_comes_with_its_opposite() -> None:
    minima = null_minima(np.random.default_rng(1).normal(size=(40, 1)), 999, 0).minima
    assert np.array_equal(minima, -minima[::-1])


def test_the_seed_decides() -> None:
    y = np.random.default_rng(1).normal(size=(40, 2))
    first, again, other = (null_minima(y, 199, seed).minima for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_flips_are_the_same_on_every_machine() -> None:
    """Pinned, because a verdict must not change with the version of numpy."""
    assert null_minima(np.ones((64, 1)), 8, 7).minima * 8 == pytest.approx([-12, -10, -2, 0, 0, 2, 10, 12])


def test_many_units_are_drawn_in_chunks_like_few() -> None:
    """300,000 units take several chunks; the sums still behave like sums of random signs."""
    minima = null_minima(np.ones((300_000, 1)), 60, 0).minima
    assert len(minima) == 60
    assert 0.7 < minima.std() < 1.3


def test_repeated_and_empty_columns_change_nothing() -> None:
    y = np.random.default_rng(1).normal(size=(40, 2))
    wider = np.column_stack([y[:, 1], np.zeros(40), y, y[:, 0]])
    assert np.array_equal(null_minima(y, 199, 0).minima, null_minima(wider, 199, 0).minima)


def test_units_without_change_are_not_drawn() -> None:
    y = np.random.default_rng(1).normal(size=(40, 2))
    padded = np.vstack([np.zeros((5, 2)), y, np.zeros((9, 2))])
    assert np.array_equal(null_minima(y, 199, 0).minima, null_minima(padded, 199, 0).minima)


def test_nothing_to_flip() -> None:
    null = null_minima(np.zeros((20, 3)), 199, 0)
    assert (null.flips, null.p_value(0.0), null.critical(0.025)) == (0, 1.0, math.inf)


def test_p_counts_the_observed_signs_and_ties() -> None:
    null = NullMinima(np.array([-3.0, -2.0, -1.0]))
    assert [null.p_value(t) for t in (-4.0, -2.0, -2.0 - 1e-12, 0.0)] == [0.25, 0.75, 0.75, 1.0]


def test_the_critical_value_is_where_p_crosses_alpha() -> None:
    null = NullMinima(np.arange(-10.0, 9.0))
    assert null.critical(0.1) == 9.0
    assert null.p_value(-9.5) <= 0.1 < null.p_value(-9.0)
    assert null.critical(0.04) == math.inf


def test_ten_thousand_slices_are_never_held_for_all_flips_at_once() -> None:
    """All flips at once would hold 2,500 x 10,000 statistics, 190 MiB; numpy reports to tracemalloc."""
    y = np.random.default_rng(1).normal(size=(30, 10_000))
    tracemalloc.start()
    try:
        null = null_minima(y, 4999, 0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert null.flips == 5000
    assert -math.sqrt(30) <= null.minima[0] <= null.minima[-1] < -2.0
    assert peak < 150 * 2**20
