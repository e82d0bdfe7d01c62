"""Planning figures: they solve their equation, and they hold in simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.stats.maxt import joint_test
from gate.stats.power import DIFFUSE, WHOLE, cases_needed, detectable
from gate.stats.student import normal_quantile
from tests.unit.stats.layouts import THOROUGH, binary_deltas


@THOROUGH
@given(st.floats(0.0, 1.0), st.integers(1, 5000), st.floats(1.0, 4.0), st.sampled_from([0.0, DIFFUSE, WHOLE]))
def test_the_detectable_change_solves_its_equation(sd: float, n: int, critical: float, spread: float) -> None:
    change = detectable(sd, n, critical, spread=spread)
    if change < math.inf:
        error = math.sqrt((sd * sd + spread * change * (1 - change)) / n)
        assert change == pytest.approx((critical + normal_quantile(0.8)) * error, abs=1e-9)


@THOROUGH
@given(st.floats(0.05, 1.0), st.floats(0.01, 0.9), st.floats(1.0, 4.0), st.sampled_from([0.0, DIFFUSE, WHOLE]))
def test_the_cases_needed_make_the_change_detectable(sd: float, effect: float, critical: float, spread: float) -> None:
    needed = cases_needed(sd, -effect, critical, spread=spread)
    assert needed is not None and needed >= 10
    assert detectable(sd, needed, critical, spread=spread) <= effect * (1 + 1e-9)
    if needed > 10:
        assert detectable(sd, needed - 1, critical, spread=spread) >= effect * (1 - 1e-9)


def test_the_cautious_figure_is_the_larger() -> None:
    assert detectable(0.2, 100, 1.96, spread=WHOLE) > detectable(0.2, 100, 1.96, spread=DIFFUSE)
    assert detectable(0.2, 100, 1.96) == detectable(0.2, 100, 1.96, spread=WHOLE)


def test_what_nothing_can_show_is_infinite_or_none() -> None:
    assert detectable(0.2, 100, math.inf) == math.inf
    assert detectable(3.0, 2, 1.96, spread=0.0) == math.inf
    assert cases_needed(0.2, 0.1, math.inf) is None
    assert cases_needed(0.2, 0.0, 1.96) is None
    assert cases_needed(0.2, 1e-200, 1.96) is None


def test_the_promised_power_is_about_what_a_simulation_finds() -> None:
    n, unchanged = 60, binary_deltas(np.random.default_rng(1), 100_000)
    fall = detectable(float(unchanged.std()), n, 1.96, spread=DIFFUSE)
    found = 0
    for seed in range(200):
        deltas = binary_deltas(np.random.default_rng(seed), n, fall)
        p = joint_test(deltas, {"overall": np.arange(n)}, flips=799, seed=seed)["overall"].p
        found += p is not None and p <= 0.025
    assert 0.7 <= found / 200 <= 0.95


@pytest.mark.parametrize(
    ("sd", "n", "critical", "spread", "message"),
    [
        (-0.1, 10, 1.96, 1.0, "sd must be"),
        (math.nan, 10, 1.96, 1.0, "sd must be"),
        (0.1, 0, 1.96, 1.0, "n must be at least 1"),
        (0.1, 10, -1.0, 1.0, "critical must be"),
        (0.1, 10, 1.96, 1.5, "spread must lie"),
    ],
)
def test_refusals(sd: float, n: int, critical: float, spread: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        detectable(sd, n, critical, spread=spread)
