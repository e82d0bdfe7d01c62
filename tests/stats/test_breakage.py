"""The breakage channel: what it sees, what it keeps, and what it refuses."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.stats.arrays import FloatArray, IntArray, JointResult, sum_slices
from gate.stats.maxt import Breakage, NullMinima, Pools, joint_test, pool_samples

FLIPS = 799


class Sampled:
    """Scores of both arms, and slices of the cases."""

    def __init__(self, baseline: FloatArray, candidate: FloatArray, slices: dict[str, IntArray]) -> None:
        self.baseline, self.candidate, self.slices = baseline, candidate, slices

    def test(self, **options: Any) -> JointResult:
        deltas = self.candidate.mean(axis=1) - self.baseline.mean(axis=1)
        samples = (self.baseline, self.candidate)
        return joint_test(deltas, self.slices, samples=samples, flips=FLIPS, **options)


@st.composite
def sampled(draw: st.DrawFn) -> Sampled:
    """Binary or graded samples, some cases broken, some slices too small to block."""
    n, k = draw(st.integers(1, 40)), draw(st.integers(2, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    right = np.where(rng.random(n) < draw(st.sampled_from([0.0, 0.5, 1.0])), 1.0, rng.random(n))[:, None]
    kept = np.where(rng.random(n) < draw(st.sampled_from([0.0, 0.2, 0.6])), 0.0, 1.0)[:, None]
    baseline, candidate = rng.random((2, n, k)) < np.stack([right + 0 * kept, right * kept])
    scale = rng.random((n, k)) if draw(st.booleans()) else 1.0
    share = rng.random(draw(st.integers(0, 4)))
    slices = {f"s{i}": np.flatnonzero(rng.random(n) < p) for i, p in enumerate(share)}
    return Sampled(baseline * scale, candidate * scale, {"overall": np.arange(n)} | slices)


def assert_close(one: JointResult, other: JointResult, sign: int = 1) -> None:
    for name in one:
        a, b = one[name], other[name]
        bounds = (b.lower, b.upper) if sign > 0 else (-b.upper, -b.lower)
        assert (a.n, a.units, a.blockable) == (b.n, b.units, b.blockable)
        assert (a.lower, a.upper) == pytest.approx(bounds, abs=1e-9)


@given(sampled(), st.sampled_from([0.025, 0.05, 0.1]))
def test_the_bound_falls_below_zero_exactly_when_p_does(layout: Sampled, alpha: float) -> None:
    for row in layout.test(alpha=alpha).slices.values():
        assert (row.p is None) != row.blockable
        if row.p is not None:
            assert (row.upper < 0.0) == (row.p <= alpha + 1e-9)


@given(sampled())
def test_swapping_the_arms_mirrors_the_interval(layout: Sampled) -> None:
    assert_close(layout.test(), Sampled(layout.candidate, layout.baseline, layout.slices).test(), sign=-1)


@given(sampled(), st.integers(0, 2**32 - 1))
def test_the_order_of_cases_slices_and_samples_does_not_matter(layout: Sampled, seed: int) -> None:
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(layout.baseline))
    place = np.argsort(order)
    slices = {name: place[layout.slices[name]] for name in rng.permutation(list(layout.slices))}
    baseline, candidate = (rng.permuted(arm[order], axis=1) for arm in (layout.baseline, layout.candidate))
    one, other = layout.test(), Sampled(baseline, candidate, slices).test()
    assert_close(one, other)
    assert [one[name].p for name in one] == [other[name].p for name in one]


@given(sampled())
def test_the_interval_holds_the_mean_and_is_never_empty_of_width_by_chance(layout: Sampled) -> None:
    deltas = layout.candidate.mean(axis=1) - layout.baseline.mean(axis=1)
    for name, row in layout.test().slices.items():
        if row.mean is not None:
            assert row.lower - 1e-9 <= row.mean <= row.upper + 1e-9
            if np.count_nonzero(np.abs(deltas[layout.slices[name]]) > 1e-9) < 6:
                assert row.upper - row.lower > 1e-9


def broken(n: int, cases: int) -> Sampled:
    """The first cases go from always right to always wrong; the others stay right."""
    baseline, candidate = np.ones((2, n, 3))
    candidate[:cases] = 0.0
    return Sampled(baseline, candidate, {"overall": np.arange(n)})


def test_it_sees_that_whole_cases_break() -> None:
    """Four of thirty: the signs alone cannot go below 2^-4, the samples show a chance of 20^-4."""
    layout = broken(30, 4)
    deltas = layout.candidate.mean(axis=1) - layout.baseline.mean(axis=1)
    plain, seen = joint_test(deltas, layout.slices)["overall"], layout.test()["overall"]
    assert plain.p is not None and plain.p > 0.05
    assert seen.p is not None and seen.p <= 5 * 2 / 801
    assert seen.mean is not None and seen.mean < seen.upper < 0.0
    assert plain.upper > 0.0


def test_one_broken_case_is_not_enough() -> None:
    row = broken(30, 1).test()["overall"]
    assert row.p == pytest.approx(5 / 20, abs=0.12)
    assert row.upper > 0.0


def test_nothing_changed_blocks_no_more_than_it_may() -> None:
    runs, blocked, rng = 60, 0, np.random.default_rng(1)
    for seed in range(runs):
        right = rng.beta(0.8, 0.2, 30)[:, None]
        baseline, candidate = (rng.random((2, 30, 3)) < right).astype(np.float64)
        slices = {f"s{i}": np.flatnonzero(rng.random(30) < 0.5) for i in range(5)}
        result = Sampled(baseline, candidate, slices).test(seed=seed)
        blocked += any(row.p is not None and row.p <= 0.025 for row in result.slices.values())
    assert blocked / runs <= 0.025 + 3 * math.sqrt(0.025 * 0.975 / runs)


def test_slices_outside_the_family_do_not_see_it() -> None:
    layout = broken(30, 4)
    layout.slices["small"] = np.arange(9)
    deltas = layout.candidate.mean(axis=1) - layout.baseline.mean(axis=1)
    plain = joint_test(deltas, layout.slices, flips=FLIPS)
    assert layout.test()["small"] == plain["small"]


@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.floats(0.5, 3.0))
def test_shifted_to_its_bound_a_slice_meets_the_critical_value(seed: int, k: int, critical: float) -> None:
    rng = np.random.default_rng(seed)
    baseline, candidate = rng.random((2, 12, k))

    def pooled(shift: float) -> tuple[Pools, FloatArray]:
        deltas = (candidate - shift).mean(axis=1) - baseline.mean(axis=1)
        return pool_samples((baseline, candidate - shift)), deltas

    pools, deltas = pooled(0.0)
    channel = Breakage(pools, NullMinima(np.array([-critical])))
    for bound, side in zip(
        channel.bounds(sum_slices(deltas, {"all": range(12)}, None, 0.0)["all"], 0.5), (1, -1), strict=True
    ):
        shifted, rest = pooled(bound)
        assert rest.sum() / math.sqrt(shifted.spread.sum()) == pytest.approx(side * critical, abs=1e-6)


def test_clusters_of_one_case_are_cases() -> None:
    layout = broken(30, 4)
    assert dict(layout.test(clusters=np.arange(30)[::-1]).slices) == dict(layout.test().slices)
