"""The joint test on data small enough to reason about."""

import math

import numpy as np
import pytest
from scipy import stats

from gate.stats.arrays import SliceResult
from gate.stats.maxt import joint_test
from tests.stats.reference import p_values


def test_agrees_with_enumeration_by_hand() -> None:
    rng = np.random.default_rng(4)
    deltas = rng.integers(-3, 3, 12) / 3
    slices = {"overall": np.arange(12), "a": np.arange(10), "b": np.arange(2, 12)}
    result = joint_test(deltas, slices)
    expected = p_values(deltas.tolist(), {k: v.tolist() for k, v in slices.items()}, list(range(12)), 0.0)
    assert {name: result[name].p for name in result} == pytest.approx(expected)
    assert result.flips == 4096


@pytest.mark.parametrize("margin", [0.0, 0.05])
def test_agrees_with_enumeration_for_clusters_and_margins(margin: float) -> None:
    rng = np.random.default_rng(6)
    deltas, clusters = rng.integers(-3, 3, 30) / 3, rng.integers(0, 12, 30)
    slices = {"overall": np.arange(30), "a": np.arange(25)}
    result = joint_test(deltas, slices, clusters=clusters, margin=margin)
    plain = {name: positions.tolist() for name, positions in slices.items()}
    assert {name: result[name].p for name in result} == pytest.approx(
        p_values(deltas.tolist(), plain, clusters.tolist(), margin)
    )


def test_a_plain_fall_is_found_and_bounded() -> None:
    deltas = np.tile([-1.0, 0.0, 0.0, -1 / 3], 10)
    overall = joint_test(deltas, {"overall": np.arange(40)})["overall"]
    assert overall.p is not None and overall.p <= 0.001
    assert overall.mean == pytest.approx(-1 / 3)
    assert -0.6 < overall.lower < -1 / 3 < overall.upper < -0.1


def test_the_interval_is_close_to_student_for_many_graded_cases() -> None:
    deltas = np.random.default_rng(1).normal(0.02, 0.1, 2000)
    overall = joint_test(deltas, {"overall": np.arange(2000)})["overall"]
    half = 1.96 * deltas.std() / math.sqrt(2000)
    assert overall.upper - overall.lower == pytest.approx(2 * half, rel=0.05)
    assert overall.lower + overall.upper == pytest.approx(2 * deltas.mean(), abs=1e-9)


def test_the_mean_of_unequal_clusters_is_the_mean_of_the_cases() -> None:
    clusters = np.repeat(np.arange(15), np.arange(1, 16))
    deltas = np.random.default_rng(2).integers(-3, 2, len(clusters)) / 3
    overall = joint_test(deltas, {"overall": np.arange(len(deltas))}, clusters=clusters)["overall"]
    assert (overall.n, overall.units) == (120, 15)
    assert overall.mean == pytest.approx(deltas.mean())
    assert overall.lower < deltas.mean() < overall.upper


def test_nine_units_warn_and_do_not_block() -> None:
    result = joint_test(np.full(30, -1.0), {"overall": np.arange(30), "small": np.arange(9)})
    assert (result["small"].p, result["small"].blockable, result.family) == (None, False, 1)
    assert result["small"].upper < 0.0


def test_a_small_slice_has_its_own_interval_whatever_else_is_tested() -> None:
    deltas = np.random.default_rng(5).integers(-3, 2, 30) / 3
    alone = joint_test(deltas, {"small": np.arange(9)})
    together = joint_test(deltas, {"overall": np.arange(30), "small": np.arange(9)})
    assert alone["small"] == together["small"]
    assert (alone.family, alone.flips, alone.critical) == (0, 0, math.inf)


@pytest.mark.parametrize("units", range(1, 6))
def test_five_cases_that_agree_prove_nothing(units: int) -> None:
    small = joint_test(np.full(units, -1.0), {"small": np.arange(units)})["small"]
    assert (small.mean, small.lower, small.upper) == (-1.0, -math.inf, math.inf)


@pytest.mark.parametrize("cases", [8, 10, 15, 30, 60])
def test_cases_that_all_fall_alike_bound_the_share_of_those_that_do(cases: int) -> None:
    alone = joint_test(np.full(cases, -1.0), {"overall": np.arange(cases)})["overall"]
    share = stats.binomtest(cases, cases).proportion_ci(0.95, method="exact").low
    assert (alone.mean, alone.lower) == (-1.0, pytest.approx(-2 - alone.upper))
    assert 1 - 2 * share - 1e-9 <= alone.upper < 0
    # Exact, but where the critical value asks for more.
    assert alone.upper == pytest.approx(1 - 2 * share, abs=0.02)


def test_cases_that_all_fall_alike_answer_for_the_slices_beside_them() -> None:
    deltas = np.concatenate([np.full(10, -1.0), np.random.default_rng(3).integers(-3, 4, 300) / 3])
    slices = {str(place): np.arange(10 * place, 10 * place + 10) for place in range(31)}
    alone, together = joint_test(deltas[:10], {"0": np.arange(10)}), joint_test(deltas, slices)
    c = together.critical
    assert together["0"].upper == pytest.approx(-(10 - c**2) / (10 + c**2))
    assert alone["0"].upper < together["0"].upper < 0.0


def test_a_rise_that_is_the_same_everywhere_is_bounded_like_a_fall() -> None:
    fall, rise = (joint_test(np.full(30, one), {"all": np.arange(30)}, margin=0.0)["all"] for one in (-0.2, 0.2))
    assert (rise.lower, rise.upper) == (-fall.upper, -fall.lower)
    assert 0.1 < rise.lower < 0.2
    within = joint_test(np.full(30, -0.2), {"all": np.arange(30)}, margin=0.5)["all"]
    assert within.lower > -0.5 and within.upper - within.lower > 0.1


@pytest.mark.parametrize("margin", [0.0, 0.02])
def test_no_change_at_all_has_no_bounds(margin: float) -> None:
    overall = joint_test(np.zeros(40), {"overall": np.arange(40)}, margin=margin)["overall"]
    assert overall == SliceResult(40, 40, 0.0, -math.inf, math.inf, 1.0, True)


def test_an_unchanged_slice_leaves_the_others_alone() -> None:
    deltas = np.concatenate([np.random.default_rng(1).integers(-3, 2, 30) / 3, np.zeros(20)])
    changed, still = np.arange(30), np.arange(30, 50)
    with_it = joint_test(deltas, {"a": changed, "still": still})
    assert with_it["still"].p == 1.0
    assert with_it["a"] == joint_test(deltas, {"a": changed})["a"]


def test_an_empty_slice_is_defined() -> None:
    result = joint_test([0.5] * 20, {"overall": range(20), "empty": []})
    assert result["empty"] == SliceResult(0, 0, None, -math.inf, math.inf, None, False)
    assert result.family == 1


def test_no_cases_at_all() -> None:
    result = joint_test([], {"overall": []})
    assert (len(result), result["overall"].n, result.critical) == (1, 0, math.inf)


def test_float_dust_is_no_change() -> None:
    deltas = np.tile([0.1 + 0.2 - 0.3, -1e-12], 20)
    assert joint_test(deltas, {"overall": np.arange(40)})["overall"].mean == 0.0


def test_a_fall_within_the_margin_is_tolerated() -> None:
    deltas = np.where(np.arange(200) % 20 == 0, -1.0, 0.0) + np.where(np.arange(200) % 3 == 0, 0.02, -0.02)
    slices = {"overall": np.arange(200)}
    strict, lenient = joint_test(deltas, slices)["overall"], joint_test(deltas, slices, margin=0.1)["overall"]
    assert strict.upper < 0.0
    assert lenient.upper > -0.1


def test_margins_differ_by_slice() -> None:
    deltas = np.tile([-0.2, -0.1, -0.15], 20)
    slices = {"a": np.arange(60), "b": np.arange(60), "c": np.arange(60)}
    result = joint_test(deltas, slices, margin={"a": 0.1, "b": 0.2})
    assert [result[name].p is not None and result[name].p <= 0.025 for name in "abc"] == [True, False, True]
    assert result["a"].upper < -0.1
    assert -0.2 <= result["b"].upper < -0.1


def test_too_few_flips_for_the_level_bound_nothing() -> None:
    overall = joint_test(np.full(40, -1.0), {"overall": np.arange(40)}, flips=20)["overall"]
    assert overall.upper == math.inf
    assert overall.p is not None and overall.p > 0.025
