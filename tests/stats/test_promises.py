"""The rates that the gate promises, by reduced simulation of changes that do nothing and of real ones.

Limits are the promise plus three Monte Carlo standard errors; every run draws the same numbers.
"""

import math

import numpy as np
import pytest

from gate.stats.arrays import JointResult
from gate.stats.maxt import joint_test
from tests.stats.layouts import binary_deltas, tag_layout

ALPHA = 0.025
FLIPS = 199


def limit(promise: float, runs: int) -> float:
    return promise + 3 * math.sqrt(promise * (1 - promise) / runs)


def blocks(result: JointResult) -> bool:
    return any(row.p is not None and row.upper < 0.0 for row in result.slices.values())


@pytest.mark.parametrize("n", [12, 45])
def test_nothing_changed_over_twelve_slices(n: int) -> None:
    runs, blocked, rng = 40, 0, np.random.default_rng(n)
    for seed in range(runs):
        blocked += blocks(joint_test(binary_deltas(rng, n), tag_layout(rng, n), flips=FLIPS, seed=seed))
    assert blocked / runs <= limit(ALPHA, runs)


@pytest.mark.parametrize("clusters", [5, 12])
def test_declared_clusters_of_five_variants(clusters: int) -> None:
    """Variants share their luck; under six clusters nothing ever blocks."""
    runs, blocked, rng = 40, 0, np.random.default_rng(clusters)
    labels = np.repeat(np.arange(clusters), 5)
    for seed in range(runs):
        shared = rng.normal(0, 0.5, clusters)[labels]
        deltas = np.round(np.clip(shared + rng.normal(0, 0.3, len(labels)), -1, 1) * 3) / 3
        slices = {"overall": np.arange(len(labels)), "odd": np.flatnonzero(rng.random(len(labels)) < 0.5)}
        blocked += blocks(joint_test(deltas, slices, clusters=labels, flips=FLIPS, seed=seed))
    assert blocked / runs <= (0.0 if clusters < 6 else limit(ALPHA, runs))


def test_a_harmless_change_that_helps_some_cases_and_hurts_others() -> None:
    runs, blocked, rng = 40, 0, np.random.default_rng(3)
    for seed in range(runs):
        right = rng.binomial(3, rng.beta(0.8, 0.2, (2, 40))) / 3
        blocked += blocks(joint_test(right[1] - right[0], tag_layout(rng, 40), flips=FLIPS, seed=seed))
    assert blocked / runs <= limit(0.03, runs)


def test_a_fall_of_ten_points_is_found_with_a_hundred_cases() -> None:
    runs, found, rng = 40, 0, np.random.default_rng(4)
    for seed in range(runs):
        found += blocks(joint_test(binary_deltas(rng, 100, 0.10), {"overall": np.arange(100)}, flips=399, seed=seed))
    assert found / runs >= 0.75


def test_one_slice_of_twelve_that_falls_by_twenty_points_is_found() -> None:
    runs, found, rng = 30, 0, np.random.default_rng(5)
    slices = {f"s{i}": np.arange(i * 30, i * 30 + 30) for i in range(12)}
    for seed in range(runs):
        deltas = np.concatenate([binary_deltas(rng, 30, 0.20), binary_deltas(rng, 330)])
        found += joint_test(deltas, slices, flips=FLIPS, seed=seed)["s0"].upper < 0.0
    assert found / runs >= 0.45


def test_the_printed_interval_of_one_slice_covers_the_truth() -> None:
    runs, covered, rng = 40, 0, np.random.default_rng(6)
    for seed in range(runs):
        before = rng.uniform(0.3, 0.9, 40)
        deltas = (rng.binomial(3, before - 0.2) - rng.binomial(3, before)) / 3
        row = joint_test(deltas, {"overall": np.arange(40)}, flips=399, seed=seed)["overall"]
        covered += row.lower <= -0.2 <= row.upper
    assert covered / runs >= 0.93 - 3 * math.sqrt(0.93 * 0.07 / runs)
