"""What the familiar tests keep for any data: symmetries, and the duality of bound and p."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.stats.arrays import JointResult
from gate.stats.marginal import marginal_test
from tests.stats.layouts import Layout, layouts

METHODS = pytest.mark.parametrize("method", ["percentile", "t", "mcnemar"])
CORRECTIONS = st.sampled_from(["none", "bonferroni", "holm"])


def marginal(layout: Layout, method: Any, **options: Any) -> JointResult:
    if method == "mcnemar":
        return marginal_test(np.rint(np.clip(layout.deltas, -1, 1)), layout.slices, method=method, **options)
    return marginal_test(layout.deltas, layout.slices, method=method, clusters=layout.clusters, **options)


def assert_same(one: JointResult, other: JointResult) -> None:
    assert set(one) <= set(other)
    assert (one.family, one.critical) == pytest.approx((other.family, other.critical))
    for name in one:
        a, b = one[name], other[name]
        assert (a.n, a.units, a.blockable) == (b.n, b.units, b.blockable)
        assert a.p == b.p or a.p == pytest.approx(b.p, rel=1e-6)
        assert (a.lower, a.upper) == pytest.approx((b.lower, b.upper), abs=1e-9)


@METHODS
@given(layout=layouts(), correction=CORRECTIONS, alpha=st.sampled_from([0.01, 0.025, 0.1, 0.125]), margin=st.booleans())
def test_the_bound_falls_below_the_margin_exactly_when_p_does(
    method: Any, layout: Layout, correction: Any, alpha: float, margin: bool
) -> None:
    tolerated = 1 / 3 if margin and method != "mcnemar" else 0.0
    result = marginal(layout, method, correction=correction, alpha=alpha, margin=tolerated)
    for row in result.slices.values():
        assert (row.p is None) != row.blockable
        if row.p is not None:
            assert (row.upper < -tolerated) == (row.p <= alpha + 1e-9)


@METHODS
@given(layout=layouts(), correction=st.sampled_from(["none", "bonferroni"]))
def test_swapping_the_arms_mirrors_the_interval(method: Any, layout: Layout, correction: Any) -> None:
    there = marginal(layout, method, correction=correction)
    back = marginal(Layout(-layout.deltas, layout.slices, layout.clusters), method, correction=correction)
    for name in there:
        assert (back[name].lower, back[name].upper) == pytest.approx((-there[name].upper, -there[name].lower), abs=1e-9)
        assert back[name].mean is None or back[name].mean == -(there[name].mean or 0.0)


@METHODS
@given(layout=layouts(), correction=CORRECTIONS, seed=st.integers(0, 2**32 - 1))
def test_the_order_of_cases_and_slices_does_not_matter(method: Any, layout: Layout, correction: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(layout.deltas))
    place = np.argsort(order)
    slices = {name: place[layout.slices[name]] for name in rng.permutation(list(layout.slices))}
    clusters = None if layout.clusters is None else layout.clusters[order]
    shuffled = Layout(layout.deltas[order], slices, clusters)
    assert_same(marginal(layout, method, correction=correction), marginal(shuffled, method, correction=correction))


@METHODS
@given(layout=layouts(), correction=CORRECTIONS)
def test_an_empty_slice_changes_nothing(method: Any, layout: Layout, correction: Any) -> None:
    wider = Layout(layout.deltas, {"empty": np.array([], dtype=np.int64)} | layout.slices, layout.clusters)
    assert_same(marginal(layout, method, correction=correction), marginal(wider, method, correction=correction))


@METHODS
@given(layout=layouts(), correction=CORRECTIONS)
def test_the_interval_holds_the_mean(method: Any, layout: Layout, correction: Any) -> None:
    for row in marginal(layout, method, correction=correction).slices.values():
        if row.mean is not None:
            assert row.lower - 1e-9 <= row.mean <= row.upper + 1e-9
