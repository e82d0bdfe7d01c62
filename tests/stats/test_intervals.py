"""Intervals and distributions against scipy and published figures."""

import math
from collections.abc import Callable
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from gate.stats.arrays import Estimate, FloatArray, Interval, Undefined
from gate.stats.intervals import (
    Difference,
    Pairs,
    Parts,
    Rate,
    cost_ratio,
    effective_units,
    incomplete_beta,
    latency_ratio,
    paired_difference,
    paired_mean,
    rate_difference,
    share,
    share_change,
    shortfall_p,
    t_quantile,
    wilson,
)
from tests.stats.reference import binomial, standard_error, student_bounds, wilson_bounds

levels = st.sampled_from([0.005, 0.025, 0.1])


@given(st.integers(1, 2000), st.floats(0.0, 1.0), levels)
def test_the_bounds_solve_wilsons_equation(n: int, share: float, alpha: float) -> None:
    passed = round(share * n)
    row = wilson(passed, n, alpha=alpha)
    assert row.rate == pytest.approx(passed / n)
    assert (row.lower, row.upper) == pytest.approx(wilson_bounds(passed, n, alpha), abs=1e-9)


@given(st.integers(1, 500), st.floats(0.0, 1.0), levels)
def test_the_interval_holds_the_rate_and_mirrors(n: int, share: float, alpha: float) -> None:
    row, failed = wilson(share * n, n, alpha=alpha), wilson((1 - share) * n, n, alpha=alpha)
    assert row.rate is not None
    assert 0.0 <= row.lower <= row.rate + 1e-12
    assert row.rate - 1e-12 <= row.upper <= 1.0
    assert (failed.lower, failed.upper) == pytest.approx((1 - row.upper, 1 - row.lower), abs=1e-9)


@pytest.mark.parametrize("n", [1, 3, 30, 1000])
def test_nothing_and_everything(n: int) -> None:
    assert (wilson(0, n).lower, wilson(n, n).upper) == (0.0, 1.0)
    assert wilson(0, n).upper > 0.0


def test_no_cases_leave_everything_open() -> None:
    assert wilson(0, 0) == Rate(None, 0.0, 1.0)


COUNTS = st.integers(0, 60)
PAIRS = st.builds(Pairs, COUNTS, COUNTS, COUNTS, COUNTS)


@pytest.mark.parametrize(
    ("first", "second", "lower", "upper"),
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((10, 10), (0, 20), 0.6791, 1.0),
        ((0, 10), (0, 20), -0.1611, 0.2775),
    ],
)
def test_independent_rates_as_printed_by_newcombe(
    first: tuple[int, int], second: tuple[int, int], lower: float, upper: float
) -> None:
    found = rate_difference(first, second)
    assert (found.lower, found.upper) == pytest.approx((lower, upper), abs=1e-4)


@pytest.mark.parametrize(
    ("pairs", "lower", "upper"),
    [
        (Pairs(36, 12, 2, 0), 0.0569, 0.3404),
        (Pairs(0, 0, 0, 50), -0.0714, 0.0714),
        (Pairs(30, 0, 0, 0), -0.1135, 0.1135),
    ],
)
def test_paired_rates_as_printed_by_newcombe(pairs: Pairs, lower: float, upper: float) -> None:
    found = paired_difference(pairs)
    assert (found.lower, found.upper) == pytest.approx((lower, upper), abs=1e-4)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_a_difference_lies_in_its_interval_and_turns_with_its_sides(
    hit: int, miss: int, hits: int, misses: int
) -> None:
    one, other = (hit, hit + miss), (hits, hits + misses)
    found, turned = rate_difference(one, other), rate_difference(other, one)
    assert (found.value is None) == (0 in (one[1], other[1]))
    assert -1 <= found.lower <= (found.value or 0) <= found.upper <= 1
    assert (turned.lower, turned.upper) == pytest.approx((-found.upper, -found.lower))


@given(PAIRS)
def test_a_paired_difference_lies_in_its_interval_and_turns_with_its_sides(pairs: Pairs) -> None:
    found = paired_difference(pairs)
    turned = paired_difference(Pairs(pairs.both, pairs.second, pairs.first, pairs.neither))
    assert -1 <= found.lower <= (found.value or 0) + 1e-12
    assert (found.value or 0) - 1e-12 <= found.upper <= 1
    assert (turned.lower, turned.upper) == pytest.approx((-found.upper, -found.lower))


@given(PAIRS)
def test_mcnemar_is_the_two_sided_binomial_of_those_that_turned(pairs: Pairs) -> None:
    turned, most = pairs.first + pairs.second, max(pairs.first, pairs.second)
    tail = sum(comb(turned, k) for k in range(most, turned + 1)) / 2**turned
    assert pairs.p == pytest.approx(min(1.0, 2 * tail))


def test_nothing_to_compare_can_be_anything() -> None:
    assert rate_difference((0, 0), (3, 4)) == Difference(None, -1.0, 1.0)
    assert paired_difference(Pairs(0, 0, 0, 0)) == Difference(None, -1.0, 1.0)
    assert not Difference(None, -1.0, 1.0).shown


def test_what_is_shown_leaves_zero_out() -> None:
    assert rate_difference((50, 60), (5, 60)).shown
    assert not rate_difference((5, 60), (4, 60)).shown


shapes = st.one_of(st.integers(1, 100_000), st.floats(0.2, 50.0))


@given(shapes, shapes, st.floats(0.0, 1.0))
def test_cdf(a: float, b: float, x: float) -> None:
    assert incomplete_beta(a, b, x, 1.0 - x) == pytest.approx(special.betainc(a, b, x), abs=1e-8)


degrees = st.sampled_from([0.5, 1, 1.5, 2, 3, 5, 9, 29, 99, 500, 1e4, 99_999, 100_001, 1e8])


@given(st.floats(1e-6, 1 - 1e-6), degrees)
def test_quantile_of_student(p: float, df: float) -> None:
    assert t_quantile(p, df) == pytest.approx(special.stdtrit(df, p), rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("df", [1, 7, 1e7])
def test_student_is_symmetric(df: float) -> None:
    assert t_quantile(0.5, df) == 0.0
    assert t_quantile(0.1, df) == pytest.approx(-t_quantile(0.9, df))


Method = Callable[..., Interval]
both = pytest.mark.parametrize("method", [cost_ratio, latency_ratio])


def lognormal(seed: int, n: int) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    size = rng.lognormal(0.0, 0.5, n)
    return size * rng.lognormal(0.0, 0.3, n), 1.2 * size * rng.lognormal(0.0, 0.3, n)


def test_latency_is_the_geometric_mean_of_the_ratios() -> None:
    a, b = lognormal(1, 40)
    logs = np.log(b / a)
    interval = student_bounds(logs.mean(), standard_error(logs), 39)
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
        tuple(np.expm1(student_bounds(log_ratio, standard_error(z), 39))), rel=1e-8
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
def test_the_same_factor_everywhere_has_no_width(method: Method) -> None:
    ratio = method([1.0, 2.0, 3.0], [1.1, 2.2, 3.3])
    assert (ratio.value, ratio.lower, ratio.upper) == pytest.approx((0.1, 0.1, 0.1))


def drawn(seed: int, n: int) -> Parts:
    rng = np.random.default_rng(seed)
    whole = rng.integers(1, 2000, n).astype(float)
    return Parts(whole * rng.random(n), whole)


def test_large_cases_count_more() -> None:
    assert share(Parts(np.array([1.0, 0.0]), np.array([1.0, 99.0]))).value == 0.01


def test_a_cluster_is_one_unit() -> None:
    part, whole = np.array([1.0, 0.0, 1.0, 1.0]), np.ones(4)
    alone = share(Parts(part, whole))
    double = Parts(np.tile(part, 2), np.tile(whole, 2))
    together = share(double, clusters=np.tile(np.arange(4), 2))
    assert (together.lower, together.upper) == pytest.approx((alone.lower, alone.upper))


def test_about_95_percent_of_the_differences_hold_the_truth() -> None:
    rng = np.random.default_rng(6)
    hits = 0
    for _ in range(150):
        whole, common = rng.gamma(4.0, 100.0, 60), rng.random(60)
        arms = [Parts(whole * np.clip(common * top, 0, 1), whole) for top in (1.0, 0.5)]
        found = share_change(*arms)
        hits += found.lower <= -0.25 <= found.upper
    assert 0.90 <= hits / 150 <= 0.99


@given(st.integers(0, 2**32 - 1), st.integers(2, 40))
def test_swapping_the_arms_changes_the_sign(seed: int, n: int) -> None:
    one, other = drawn(seed, n), drawn(seed + 1, n)
    there, back = share_change(one, other), share_change(other, one)
    assert (there.value, there.lower, there.upper) == pytest.approx((-back.value, -back.upper, -back.lower))
    assert -1.0 <= there.lower <= there.value <= there.upper <= 1.0
    own = share(one)
    assert 0.0 <= own.lower <= own.value <= own.upper <= 1.0


RATES = st.floats(0.01, 0.999)


@given(n=st.integers(1, 5000), data=st.data(), rate=RATES)
def test_as_scipy_has_it(n: int, data: st.DataObject, rate: float) -> None:
    passed = data.draw(st.integers(0, n))
    assert shortfall_p(passed, n, rate) == pytest.approx(special.bdtr(passed, n, rate), rel=1e-6, abs=1e-12)


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
        assert binomial(n, rate)[bad].sum() <= level


def test_wilsons_bound_alone_would_break_that_promise() -> None:
    passed = np.arange(16)
    bad = [wilson(k, 15).upper < 0.99 for k in passed.tolist()]
    assert binomial(15, 0.99)[bad].sum() > 0.13


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


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=30))
def test_it_is_the_paired_t_interval(values: list[float]) -> None:
    found = paired_mean(values)
    assert isinstance(found, Estimate) and found.units == len(values)
    assert found.value == pytest.approx(np.mean(values)) and found.lower <= found.value <= found.upper
    if (error := standard_error(np.array(values))) > 1e-9:
        expected = student_bounds(found.value, error, len(values) - 1)
        assert (found.lower, found.upper) == pytest.approx(expected)


def test_fewer_than_two_show_nothing() -> None:
    assert isinstance(paired_mean([]), Undefined) and isinstance(paired_mean([0.3]), Undefined)
