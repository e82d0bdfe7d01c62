"""Dealing samples: against full enumeration, reproducible, and blind to everything but the samples."""

import itertools
import math

import numpy as np
import pytest

from gate.stats.arrays import FloatArray
from gate.stats.maxt import dealt_minima


def pool(samples: FloatArray) -> tuple[FloatArray, FloatArray]:
    centred = np.sort(samples, axis=1) - samples.mean(axis=1, keepdims=True)
    k = samples.shape[1] // 2
    return centred, 2 / k * (centred**2).sum(axis=1) / (2 * k - 1)


def drawn(cases: int, k: int, slices: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    rng = np.random.default_rng(cases)
    members = (rng.random((cases, slices)) < 0.6).astype(np.float64)
    return *pool(rng.random((cases, 2 * k))), members


def test_agrees_with_all_deals_of_three_cases() -> None:
    """Every one of the 6^3 statistics comes as often as it should."""
    centred, spread = pool(np.array([[0.0, 0.0, 1.0, 1.0], [0.0, 0.3, 0.5, 1.0], [0.0, 1.0, 1.0, 1.0]]))
    members = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    dealt = [
        [(sum(row[list(chosen)]) - sum(row) / 2) for chosen in itertools.combinations(range(4), 2)] for row in centred
    ]
    weights = members / np.sqrt(spread @ members)
    exact = np.array([min(np.array(deltas) @ weights) for deltas in itertools.product(*dealt)])
    minima = dealt_minima(centred, spread, members, 40_000, 1).minima
    for value in np.unique(exact.round(9)):
        share = np.mean(np.abs(exact - value) < 1e-8)
        assert np.mean(np.abs(minima - value) < 1e-8) == pytest.approx(share, abs=4 * math.sqrt(share / 40_000))


@pytest.mark.parametrize("k", [2, 5])
def test_the_statistic_of_one_slice_has_mean_zero_and_variance_one(k: int) -> None:
    minima = dealt_minima(*drawn(50, k, 1), 8_000, 1).minima
    assert len(minima) == 8_000
    assert np.array_equal(minima, -minima[::-1])
    assert minima.var() == pytest.approx(1.0, abs=0.06)


def test_many_cases_are_dealt_in_blocks_like_few() -> None:
    minima = dealt_minima(*drawn(30_000, 2, 1), 200, 1).minima
    assert 0.8 < minima.std() < 1.2


def test_the_seed_decides() -> None:
    pools = drawn(40, 3, 2)
    first, again, other = (dealt_minima(*pools, 199, seed).minima for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_deals_are_the_same_on_every_machine() -> None:
    """Pinned, because a verdict must not change with the version of numpy."""
    samples = np.tile([0.0, 0.0, 0.0, 1.0], (16, 1))
    minima = dealt_minima(*pool(samples), np.ones((16, 1)), 8, 7).minima
    assert minima * 2 == pytest.approx([-3, -2, -2, -1, 1, 2, 2, 3])


def test_the_order_of_cases_and_slices_does_not_matter() -> None:
    centred, spread, members = drawn(40, 3, 4)
    order, columns = np.random.default_rng(2).permutation(40), [2, 0, 3, 1]
    shuffled = dealt_minima(centred[order], spread[order], members[order][:, columns], 199, 1)
    assert shuffled.minima == pytest.approx(dealt_minima(centred, spread, members, 199, 1).minima, abs=1e-12)


def test_repeated_and_empty_slices_and_other_cases_change_nothing() -> None:
    centred, spread, members = drawn(40, 3, 2)
    wider = np.column_stack([members[:, 1], np.zeros(40), members])
    more = np.vstack([wider, np.zeros((3, 4)), np.ones((2, 4))])
    pooled = np.vstack([centred, centred[:3] * 2, np.zeros((2, 6))])
    padded = dealt_minima(pooled, np.concatenate([spread, 4 * spread[:3], [0.0, 0.0]]), more, 199, 1)
    assert np.array_equal(padded.minima, dealt_minima(centred, spread, members, 199, 1).minima)


def test_nothing_to_deal() -> None:
    assert dealt_minima(np.zeros((20, 4)), np.zeros(20), np.ones((20, 2)), 199, 1).flips == 0
