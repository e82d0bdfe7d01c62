"""Relative change of cost and latency: against plain formulas, by coverage, and at the edges."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from gate.stats.arrays import FloatArray, Interval
from gate.stats.intervals import cost_ratio, latency_ratio

Method = Callable[..., Interval]
both = pytest.mark.parametrize("method", [cost_ratio, latency_ratio])


def lognormal(seed: int, n: int) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    size = rng.lognormal(0.0, 0.5, n)
    return size * rng.lognormal(0.0, 0.3, n), 1.2 * size * rng.lognormal(0.0, 0.3, n)


def test_latency_is_the_geometric_mean_of_the_ratios() -> None:
    a, b = lognormal(1, 40)
    logs = np.log(b / a)
    interval = stats.t.interval(0.95, 39, logs.mean(), stats.sem(logs))
    ratio = latency_ratio(a, b)
    assert (ratio.value, ratio.lower, ratio.upper) == pytest.approx(
        (math.expm1(logs.mean()), *np.expm1(interval)), rel=1e-8
    )


def test_cost_is_the_ratio_of_the_means() -> None:
    a, b = lognormal(1, 40)
    z = b / b.mean() - a / a.mean()
    log_ratio = math.log(b.mean() / a.mean())
    ratio = cost_ratio(a, b)
    assert ratio.value == pytest.approx(b.mean() / a.mean() - 1)
    assert (ratio.lower, ratio.upper) == pytest.approx(
        tuple(np.expm1(stats.t.interval(0.95, 39, log_ratio, stats.sem(z)))), rel=1e-8
    )


@both
def test_the_interval_covers_the_truth(method: Method) -> None:
    intervals = [method(*lognormal(seed, 30)) for seed in range(100)]
    assert 0.91 <= np.mean([one.lower <= 0.2 <= one.upper for one in intervals]) <= 0.98


@both
def test_copies_of_a_case_are_no_new_cases(method: Method) -> None:
    a, b = lognormal(3, 20)
    single = method(a, b)
    copied = method(np.repeat(a, 5), np.repeat(b, 5), clusters=np.repeat(np.arange(20), 5))
    assert (copied.value, copied.lower, copied.upper) == pytest.approx((single.value, single.lower, single.upper))


@both
def test_swapping_the_arms_inverts_the_factor(method: Method) -> None:
    a, b = lognormal(4, 25)
    there, back = method(a, b), method(b, a)
    assert (1 + there.value) * (1 + back.value) == pytest.approx(1.0)
    assert (1 + there.lower) * (1 + back.upper) == pytest.approx(1.0)


@both
def test_one_case_bounds_nothing(method: Method) -> None:
    assert method([2.0], [3.0]) == Interval(pytest.approx(0.5), -math.inf, math.inf)


@both
def test_one_cluster_bounds_nothing(method: Method) -> None:
    assert method([2.0, 2.0], [3.0, 3.0], clusters=[4, 4]).upper == math.inf


@both
def test_the_same_factor_everywhere_has_no_width(method: Method) -> None:
    ratio = method([1.0, 2.0, 3.0], [1.1, 2.2, 3.3])
    assert (ratio.value, ratio.lower, ratio.upper) == pytest.approx((0.1, 0.1, 0.1))


def test_single_free_cases_are_costs_too() -> None:
    assert cost_ratio([0.0, 2.0], [1.0, 1.0]).value == pytest.approx(0.0)


def test_a_hopeless_interval_ends_at_infinity() -> None:
    assert latency_ratio([1e-300, 1.0], [1.0, 1e-300]).upper == math.inf
