"""The joint test on data small enough to reason about, and its null distribution."""

import itertools
import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.stats.arrays import EMPTY, FloatArray, SliceResult
from gate.stats.maxt import NullMinima, canonical_rows, dealt_minima, joint_test, null_minima, single_slice
from tests.stats.layouts import Layout, layouts
from tests.stats.reference import exact_bounds, p_values


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


@pytest.mark.parametrize("units", (1, 5))
def test_five_cases_that_agree_prove_nothing(units: int) -> None:
    small = joint_test(np.full(units, -1.0), {"small": np.arange(units)})["small"]
    assert (small.mean, small.lower, small.upper) == (-1.0, -math.inf, math.inf)


@pytest.mark.parametrize("cases", [8, 15, 60])
def test_cases_that_all_fall_alike_bound_the_share_of_those_that_do(cases: int) -> None:
    alone = joint_test(np.full(cases, -1.0), {"overall": np.arange(cases)})["overall"]
    share = exact_bounds(cases, cases)[0]
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


@given(layouts(), st.sampled_from([0.025, 0.1]), st.sampled_from([0.0, 0.05]))
def test_it_is_the_joint_test_of_that_slice_and_no_other(layout: Layout, alpha: float, margin: float) -> None:
    options = {"alpha": alpha, "margin": margin, "flips": 399, "seed": 3}
    for name, positions in layout.slices.items():
        clusters = None if layout.clusters is None else layout.clusters[positions]
        alone = single_slice(layout.deltas[positions], clusters=clusters, **options)
        joint = joint_test(layout.deltas, {name: positions}, clusters=layout.clusters, **options)
        assert alone == joint[name]


def test_no_cases() -> None:
    assert single_slice([]) == EMPTY


def test_few_units_try_all_sign_vectors() -> None:
    y = np.random.default_rng(1).normal(size=(7, 3))
    z = y / np.sqrt((y**2).sum(axis=0))
    expected = sorted(min(np.array(signs) @ z) for signs in itertools.product([-1, 1], repeat=7))
    assert null_minima(y, 99, 0).minima == pytest.approx(expected)


@pytest.mark.parametrize(("units", "flips"), [(1, 2), (12, 4096), (13, 5000)])
def test_all_flips_below_thirteen_units(units: int, flips: int) -> None:
    assert null_minima(np.ones((units, 1)), 4999, 0).flips == flips


def test_every_flip_comes_with_its_opposite() -> None:
    minima = null_minima(np.random.default_rng(1).normal(size=(40, 1)), 999, 0).minima
    assert np.array_equal(minima, -minima[::-1])


def test_the_seed_decides() -> None:
    y = np.random.default_rng(1).normal(size=(40, 2))
    first, again, other = (null_minima(y, 199, seed).minima for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_flips_are_the_same_on_every_machine() -> None:
    """Pinned, because a verdict must not change with the version of numpy."""
    assert null_minima(np.ones((64, 1)), 8, 7).minima * 8 == pytest.approx([-12, -10, -2, 0, 0, 2, 10, 12])


def test_p_counts_the_observed_signs_and_ties() -> None:
    null = NullMinima(np.array([-3.0, -2.0, -1.0]))
    assert [null.p_value(t) for t in (-4.0, -2.0, -2.0 - 1e-12, 0.0)] == [0.25, 0.75, 0.75, 1.0]


def test_the_critical_value_is_where_p_crosses_alpha() -> None:
    null = NullMinima(np.arange(-10.0, 9.0))
    assert null.critical(0.1) == 9.0
    assert null.p_value(-9.5) <= 0.1 < null.p_value(-9.0)
    assert null.critical(0.04) == math.inf


def test_ten_thousand_slices_are_never_held_for_all_flips_at_once() -> None:
    """All flips at once would hold 2,500 x 10,000 statistics, 190 MiB; numpy reports to tracemalloc."""
    y = np.random.default_rng(1).normal(size=(30, 10_000))
    tracemalloc.start()
    try:
        null = null_minima(y, 4999, 0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert null.flips == 5000
    assert -math.sqrt(30) <= null.minima[0] <= null.minima[-1] < -2.0
    assert peak < 150 * 2**20


def representatives(y: FloatArray) -> FloatArray:
    order, lead = canonical_rows([y])
    return (y * lead[:, None])[order]


@st.composite
def matrices(draw: st.DrawFn) -> FloatArray:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(st.integers(1, 30)), draw(st.integers(1, 5))
    y = rng.integers(-2, 3, shape) / 3 if draw(st.booleans()) else rng.normal(size=shape)
    y = np.unique(y, axis=1)
    y[0, 0] = 1.0
    return np.unique(y, axis=1)


@given(matrices(), st.integers(0, 2**32 - 1))
def test_permuted_rows_and_flipped_signs_give_the_same_rows(y: FloatArray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1.0, 1.0], len(y))
    shuffled = (y * signs[:, None])[rng.permutation(len(y))]
    assert np.array_equal(representatives(y), representatives(shuffled))


@given(matrices(), st.integers(0, 2**32 - 1))
def test_rearranged_columns_give_the_same_rows_up_to_mirror_images(y: FloatArray, seed: int) -> None:
    columns = np.random.default_rng(seed).permutation(y.shape[1])
    before, after = representatives(y), representatives(y[:, columns])
    assert np.array_equal(np.unique(before, axis=1), np.unique(after, axis=1))


def test_a_symmetric_layout_is_ordered_slice_by_slice() -> None:
    """Two disjoint slices of equal content: every column alone ties, and still the units must not interleave."""
    y = np.zeros((12, 2))
    y[::2, 0] = y[1::2, 1] = 1.0
    halves = representatives(y)[:6], representatives(y)[6:]
    assert all(len(np.unique(half, axis=0)) == 1 for half in halves)


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


def test_the_seed_decides_the_deals() -> None:
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
