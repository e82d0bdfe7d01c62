"""The percentile bootstrap against a plain resampling of cases, and at its edges."""

import numpy as np
import pytest

from gate.stats.arrays import Interval
from gate.stats.bootstrap import percentile


def test_agrees_with_resampling_the_cases() -> None:
    rng = np.random.default_rng(1)
    deltas = rng.integers(-3, 3, 60) / 3
    means = rng.choice(deltas, (20_000, 60)).mean(axis=1)
    interval = percentile(deltas, resamples=20_000)
    assert interval.value == pytest.approx(deltas.mean())
    assert [interval.lower, interval.upper] == pytest.approx(np.quantile(means, [0.025, 0.975]), abs=0.01)


def test_clusters_are_drawn_whole() -> None:
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(12), np.arange(1, 13))
    deltas = rng.normal(size=12)[clusters]
    sums, sizes = np.bincount(clusters, weights=deltas), np.bincount(clusters)
    drawn = rng.integers(0, 12, (20_000, 12))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    interval = percentile(deltas, resamples=20_000, clusters=clusters)
    assert [interval.lower, interval.upper] == pytest.approx(np.quantile(means, [0.025, 0.975]), abs=0.03)


def test_clusters_of_many_distinct_sums_are_drawn_one_by_one() -> None:
    rng = np.random.default_rng(4)
    clusters = np.repeat(np.arange(150), rng.integers(1, 4, 150))
    deltas = rng.normal(size=len(clusters))
    sums, sizes = np.bincount(clusters, weights=deltas), np.bincount(clusters)
    drawn = rng.integers(0, 150, (20_000, 150))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    interval = percentile(deltas, resamples=20_000, clusters=clusters)
    assert [interval.lower, interval.upper] == pytest.approx(np.quantile(means, [0.025, 0.975]), abs=0.01)


def test_one_case_has_no_width() -> None:
    assert percentile([-1 / 3]) == Interval(-1 / 3, pytest.approx(-1 / 3), pytest.approx(-1 / 3))


def test_float_dust_is_snapped_to_zero() -> None:
    assert percentile([0.1 + 0.2 - 0.3] * 5) == Interval(0.0, 0.0, 0.0)


def test_order_does_not_matter_and_the_seed_does() -> None:
    deltas = np.random.default_rng(1).integers(-3, 3, 40) / 3
    assert percentile(deltas).upper == percentile(deltas[::-1]).upper
    assert percentile(deltas, seed=1) != percentile(deltas, seed=2)


def test_a_lower_level_is_wider() -> None:
    deltas = np.random.default_rng(1).normal(size=50)
    assert percentile(deltas, alpha=0.01).upper > percentile(deltas, alpha=0.1).upper
