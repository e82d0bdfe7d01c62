"""Planning figures, the split of noise, the false-block rate of an A/A run."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.stats.arrays import FloatArray
from gate.stats.intervals import normal_quantile
from gate.stats.maxt import joint_test
from gate.stats.power import (
    DIFFUSE,
    WHOLE,
    Effort,
    cases_needed,
    detectable,
    effort_for,
    false_blocks,
    layout_critical,
    power_of,
    split_noise,
)
from tests.stats.layouts import binary_deltas, tag_layout

SPREADS = st.sampled_from([0.0, DIFFUSE, WHOLE])


@given(st.floats(0.0, 1.0), st.integers(1, 5000), st.floats(1.0, 4.0), SPREADS, st.floats(0.5, 0.95))
def test_the_detectable_change_shows_with_the_power_asked_for(
    sd: float, n: int, critical: float, spread: float, power: float
) -> None:
    change = detectable(sd, n, critical, spread=spread, power=power)
    assert change >= 0.0
    assert change > 0.0 or sd * sd + spread == 0.0
    if change < math.inf and sd + spread * change > 1e-6:
        assert power_of(sd, n, -change, critical, spread=spread) == pytest.approx(power, abs=1e-6)


@given(st.floats(0.01, 1.0), st.floats(1.0, 4.0), SPREADS, st.floats(0.5, 0.95))
def test_with_very_many_cases_the_equation_is_the_familiar_one(
    sd: float, critical: float, spread: float, power: float
) -> None:
    n = 10**7
    change = detectable(sd, n, critical, spread=spread, power=power)
    error = math.sqrt((sd * sd + spread * change * (1 - change)) / n)
    assert change == pytest.approx((critical + normal_quantile(power)) * error, rel=1e-5)


@given(st.floats(0.05, 1.0), st.floats(0.01, 0.9), st.floats(1.0, 4.0), SPREADS)
def test_the_cases_needed_are_the_fewest_that_make_the_change_detectable(
    sd: float, effect: float, critical: float, spread: float
) -> None:
    needed = cases_needed(sd, -effect, critical, spread=spread)
    assert needed is not None and needed >= 10
    assert detectable(sd, needed, critical, spread=spread) <= effect * (1 + 1e-9)
    if needed > 10:
        assert detectable(sd, needed - 1, critical, spread=spread) >= effect * (1 - 1e-9)


@given(st.floats(0.0, 0.5), st.integers(2, 2000), st.floats(1.0, 3.0), st.floats(0.01, 0.5))
def test_power_grows_with_the_cases_and_falls_with_the_critical_value(
    sd: float, n: int, critical: float, effect: float
) -> None:
    here = power_of(sd, n, effect, critical)
    assert 0.0 <= here <= 1.0
    assert power_of(sd, n, effect, critical + 0.5) <= here + 1e-12
    if here > 0.5:
        assert power_of(sd, 2 * n, effect, critical) >= here


def test_what_nothing_can_show_is_infinite_or_none() -> None:
    assert detectable(0.2, 100, math.inf) == math.inf
    assert detectable(3.0, 2, 1.96, spread=0.0) == math.inf
    assert cases_needed(0.2, 0.1, math.inf) is None
    assert cases_needed(0.2, 0.0, 1.96) is None
    assert cases_needed(0.2, 1e-200, 1.96) is None


def test_power_at_the_ends() -> None:
    assert power_of(0.2, 7, 0.5, 2.8) == 0.0
    assert power_of(0.2, 100, 0.5, math.inf) == 0.0
    assert power_of(0.0, 100, 0.1, 1.96, spread=0.0) == 1.0
    assert power_of(0.0, 100, 0.0, 1.96) == 0.0
    assert power_of(0.2, 100, 0.0, 1.96) == pytest.approx(0.025, abs=0.002)


@pytest.mark.parametrize(("slices", "fall"), [(1, 0.15), (12, 0.2)])
def test_the_band_of_power_holds_what_a_simulation_finds(slices: int, fall: float) -> None:
    n, runs, found = 40, 30, 0
    sd = float(binary_deltas(np.random.default_rng(1), 100_000).std())
    layout = {str(name): np.arange(name * n, name * n + n) for name in range(slices)}
    critical = layout_critical(layout, slices * n)
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        deltas = np.concatenate([binary_deltas(rng, n, fall), binary_deltas(rng, n * (slices - 1))])
        p = joint_test(deltas, layout, flips=199, seed=seed)["0"].p
        found += p is not None and p <= 0.025
    error = 3 * math.sqrt(0.25 / runs)
    low, high = (power_of(sd, n, fall, critical, spread=spread) for spread in (WHOLE, DIFFUSE))
    assert low - error <= found / runs <= high + error


def test_the_critical_value_to_expect_of_a_layout() -> None:
    apart = {str(name): np.arange(name * 40, name * 40 + 40) for name in range(20)}
    assert layout_critical({"all": np.arange(100)}, 100) == pytest.approx(1.96, abs=0.08)
    assert layout_critical({name: apart[name] for name in list(apart)[:12]}, 800) == pytest.approx(2.8, abs=0.1)
    assert layout_critical(apart, 800) == pytest.approx(2.93, abs=0.1)
    same = {str(name): np.arange(100) for name in range(12)}
    assert layout_critical(same, 100) == layout_critical({"all": np.arange(100)}, 100)


def test_slices_too_small_to_block_stand_outside_the_layout() -> None:
    whole = {"all": np.arange(100)}
    assert layout_critical(whole | {"few": np.arange(9), "none": []}, 100) == layout_critical(whole, 100)
    assert layout_critical({"few": np.arange(9)}, 100) == math.inf
    assert layout_critical(whole, 100, clusters=np.arange(100) // 12) == math.inf
    assert layout_critical(whole, 100, clusters=np.arange(100) // 5) < math.inf


def test_ties_lower_the_critical_value_no_further_than_that_of_one_slice() -> None:
    apart = {str(name): np.arange(name * 40, name * 40 + 40) for name in range(12)}
    values = [layout_critical(apart, 480, ties=ties) for ties in (0.0, 0.7, 0.95, 1.0)]
    assert values == sorted(values, reverse=True) and values[0] > values[2] + 0.3
    assert values[-1] == pytest.approx(normal_quantile(0.975))
    assert layout_critical({"few": np.arange(9)}, 9, ties=0.9) == math.inf


def test_known_parts_are_found_again() -> None:
    rng = np.random.default_rng(1)
    n, k, tau, sigma = 20_000, 3, 0.3, 0.2
    base = rng.normal(0.5, 0.2, (n, 1))
    a = base + rng.normal(0, sigma, (n, k))
    b = base + rng.normal(0, tau, (n, 1)) + rng.normal(0, sigma, (n, k))
    noise = split_noise(a, b)
    assert noise is not None
    assert (noise.tau, noise.sigma) == pytest.approx((tau, sigma), rel=0.02)


def test_the_parts_add_up_to_the_variance_of_the_mean() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.random((50, 4)), rng.random((50, 4)) + rng.normal(0, 0.5, (50, 1))
    noise = split_noise(a, b)
    assert noise is not None
    deltas = b.mean(axis=1) - a.mean(axis=1)
    assert (noise.tau**2 + 2 * noise.sigma**2 / 4) / 50 == pytest.approx(deltas.var(ddof=1) / 50)


@pytest.mark.parametrize("shape", [(1, 3), (5, 1), (0, 3)])
def test_one_case_or_one_sample_cannot_be_split(shape: tuple[int, int]) -> None:
    assert split_noise(np.zeros(shape), np.zeros(shape)) is None


FEW = Effort(replicates=60, flips=199, resamples=200)


def pool(rng: np.random.Generator, n: int, k: int = 3) -> FloatArray:
    """Right or wrong, two arms of k samples side by side, p ~ Beta(8, 2)."""
    scores: FloatArray = (rng.random((n, 2 * k)) < rng.beta(8, 2, n)[:, None]).astype(np.float64)
    return scores


def test_the_joint_test_keeps_its_promise_and_the_familiar_rule_does_not() -> None:
    rng = np.random.default_rng(1)
    slices = tag_layout(rng, 60)
    found = false_blocks([pool(rng, 60)], slices, effort=Effort(60, 199, 200), seed=1)
    assert found.joint.rate <= 0.025 + 3 * found.joint.error
    assert found.familiar.rate > 0.15
    assert found.familiar.rate > found.joint.rate + 3 * (found.joint.error + found.familiar.error)


def test_an_effect_in_the_run_is_dealt_to_both_arms() -> None:
    # Every case fell by 1: pooled and dealt, nothing is left to be found.
    scores = np.repeat([[1.0, 0.0]], 40, axis=0)
    found = false_blocks([scores], {"overall": np.arange(40)}, effort=Effort(40, 199, 100))
    assert found.joint.rate <= 0.025 + 3 * found.joint.error


def test_clusters_count_as_one() -> None:
    # Nine sources are too few to block, however many variants each of them has.
    rng = np.random.default_rng(2)
    scores = (rng.random((90, 2)) < 0.5).astype(np.float64)
    slices, effort = {"overall": np.arange(90)}, Effort(40, 199, 200)
    apart = false_blocks([scores], slices, effort=effort)
    together = false_blocks([scores], slices, clusters=np.repeat(np.arange(9), 10), effort=effort)
    assert apart.familiar.blocks > 0
    assert (together.joint.blocks, together.familiar.blocks) == (0, 0)


def test_scores_that_never_differ_never_block() -> None:
    found = false_blocks([np.ones((30, 4))], {"overall": np.arange(30)}, effort=FEW)
    assert (found.joint.blocks, found.familiar.blocks) == (0, 0)


@given(st.integers(1, 30), st.integers(0, 8), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_any_layout_gives_rates_and_the_same_ones_again(first: int, second: int, k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = first + second
    pools = [pool(rng, first, k), pool(rng, second, 1)]
    slices = {"overall": np.arange(n), "some": np.flatnonzero(rng.random(n) < 0.5), "none": np.empty(0, dtype=int)}
    clusters = np.concatenate([rng.integers(0, 4, first), 4 + rng.integers(0, 3, second)])
    few = Effort(2, 49, 20)
    once, again = (false_blocks(pools, slices, clusters=clusters, effort=few, seed=seed) for _ in range(2))
    assert once == again
    assert 0 <= once.joint.blocks <= 2
    assert 0 <= once.familiar.blocks <= 2


def test_large_sets_take_fewer_replicates_and_huge_ones_none() -> None:
    usual, large = effort_for(1000, 20, 6000), effort_for(100_000, 1, 200_000)
    assert usual is not None
    assert large is not None
    assert usual.replicates == 400
    assert 40 <= large.replicates < 100
    assert effort_for(100_000, 20, 600_000) is None
    assert effort_for(40, 4000, 240) is None
