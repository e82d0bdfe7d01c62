"""The familiar rule: against the plain bootstrap, and what it keeps for any data."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from gate.stats.arrays import JointResult, SliceResult
from gate.stats.familiar import percentile_test
from gate.stats.intervals import percentile
from tests.stats.layouts import Layout, layouts


def overall(deltas: Any, **options: Any) -> SliceResult:
    return percentile_test(deltas, {"overall": np.arange(len(deltas))}, **options)["overall"]


@pytest.mark.parametrize("graded", [False, True])
def test_it_is_close_to_the_plain_bootstrap(graded: bool) -> None:
    rng = np.random.default_rng(3)
    deltas = rng.normal(-0.03, 0.2, 150) if graded else rng.integers(-3, 3, 150) / 3
    row, plain = overall(deltas), percentile(deltas, resamples=5_000)
    width = plain.upper - plain.lower
    assert (row.lower, row.upper) == pytest.approx((plain.lower, plain.upper), abs=0.05 * width)


def test_the_resampled_means_that_did_not_fall_are_counted() -> None:
    """One case of ten rose: a resampled mean is 0 unless it was drawn, and never below."""
    assert overall([0.5] + [0.0] * 9).p == 1.0
    assert overall([-0.5] * 5 + [-0.2] * 5).p == pytest.approx(1 / 2001)


def test_no_change_has_no_bounds() -> None:
    assert overall(np.zeros(40)) == SliceResult(40, 40, 0.0, -math.inf, math.inf, 1.0, True)


@pytest.mark.parametrize("cases", [1, 5])
def test_a_small_slice_never_has_a_zero_width(cases: int) -> None:
    row = overall([-1.0] * cases)
    assert (row.p, row.blockable) == (None, False)
    assert row.upper - row.lower > 0.1


def test_the_same_fall_everywhere_is_certain() -> None:
    row = overall(np.full(40, -1 / 3))
    assert row.p is not None and row.p < 0.001
    assert (row.lower, row.upper) == pytest.approx((-1 / 3, -1 / 3))
    assert overall(np.full(40, -1 / 3), margin=1 / 3).p == 1.0


def test_each_slice_has_the_plain_level_whatever_their_number() -> None:
    rng = np.random.default_rng(4)
    deltas = rng.normal(size=60)
    slices = {f"s{i}": rng.permutation(60)[:12] for i in range(200)} | {"small": np.arange(9)}
    result = percentile_test(deltas, slices)
    assert result.family == 200
    assert result.critical == pytest.approx(special.ndtri(0.975))
    for name in ("s7", "small"):
        assert result[name] == percentile_test(deltas, {name: slices[name]})[name]


def marginal(layout: Layout, **options: Any) -> JointResult:
    return percentile_test(layout.deltas, layout.slices, clusters=layout.clusters, **options)


def assert_same(one: JointResult, other: JointResult) -> None:
    assert set(one) <= set(other)
    assert (one.family, one.critical) == pytest.approx((other.family, other.critical))
    for name in one:
        a, b = one[name], other[name]
        assert (a.n, a.units, a.blockable) == (b.n, b.units, b.blockable)
        assert a.p == b.p or a.p == pytest.approx(b.p, rel=1e-6)
        assert (a.lower, a.upper) == pytest.approx((b.lower, b.upper), abs=1e-9)


@given(layout=layouts(), alpha=st.sampled_from([0.01, 0.025, 0.1, 0.125]), margin=st.booleans())
def test_the_bound_falls_below_the_margin_exactly_when_p_does(layout: Layout, alpha: float, margin: bool) -> None:
    tolerated = 1 / 3 if margin else 0.0
    result = marginal(layout, alpha=alpha, margin=tolerated)
    for row in result.slices.values():
        assert (row.p is None) != row.blockable
        if row.p is not None:
            assert (row.upper < -tolerated) == (row.p <= alpha + 1e-9)


@given(layout=layouts())
def test_swapping_the_arms_mirrors_the_interval(layout: Layout) -> None:
    there = marginal(layout)
    back = marginal(Layout(-layout.deltas, layout.slices, layout.clusters))
    for name in there:
        assert (back[name].lower, back[name].upper) == pytest.approx((-there[name].upper, -there[name].lower), abs=1e-9)
        assert back[name].mean is None or back[name].mean == -(there[name].mean or 0.0)


@given(layout=layouts(), seed=st.integers(0, 2**32 - 1))
def test_the_order_of_cases_and_slices_does_not_matter(layout: Layout, seed: int) -> None:
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(layout.deltas))
    place = np.argsort(order)
    slices = {name: place[layout.slices[name]] for name in rng.permutation(list(layout.slices))}
    clusters = None if layout.clusters is None else layout.clusters[order]
    shuffled = Layout(layout.deltas[order], slices, clusters)
    assert_same(marginal(layout), marginal(shuffled))


@given(layout=layouts())
def test_an_empty_slice_changes_nothing(layout: Layout) -> None:
    wider = Layout(layout.deltas, {"empty": np.array([], dtype=np.int64)} | layout.slices, layout.clusters)
    assert_same(marginal(layout), marginal(wider))


@given(layout=layouts())
def test_the_interval_holds_the_mean(layout: Layout) -> None:
    for row in marginal(layout).slices.values():
        if row.mean is not None:
            assert row.lower - 1e-9 <= row.mean <= row.upper + 1e-9
