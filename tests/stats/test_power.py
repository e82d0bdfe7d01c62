"""Planning figures: they solve their equation, and they hold in simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.stats.intervals import normal_quantile
from gate.stats.maxt import joint_test
from gate.stats.power import DIFFUSE, WHOLE, cases_needed, detectable, layout_critical, power_of
from tests.stats.layouts import binary_deltas

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


def test_the_cautious_figure_is_the_larger() -> None:
    assert detectable(0.2, 100, 1.96, spread=WHOLE) > detectable(0.2, 100, 1.96, spread=DIFFUSE)
    assert detectable(0.2, 100, 1.96) == detectable(0.2, 100, 1.96, spread=WHOLE)


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
    n, runs, found = 40, 100, 0
    sd = float(binary_deltas(np.random.default_rng(1), 100_000).std())
    layout = {str(name): np.arange(name * n, name * n + n) for name in range(slices)}
    critical = layout_critical(layout, slices * n)
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        deltas = np.concatenate([binary_deltas(rng, n, fall), binary_deltas(rng, n * (slices - 1))])
        p = joint_test(deltas, layout, flips=399, seed=seed)["0"].p
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
