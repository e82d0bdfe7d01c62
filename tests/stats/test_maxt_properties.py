"""What the joint test keeps for any data: symmetries, the duality of bound and p, honest widths."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.stats.arrays import JointResult
from gate.stats.maxt import joint_test
from tests.stats.layouts import Layout, layouts

FLIPS = 399


def joint(layout: Layout, **options: Any) -> JointResult:
    return joint_test(layout.deltas, layout.slices, clusters=layout.clusters, flips=FLIPS, **options)


def assert_same(one: JointResult, other: JointResult) -> None:
    assert set(one) <= set(other)
    assert one.critical == pytest.approx(other.critical)
    for name in one:
        a, b = one[name], other[name]
        assert (a.n, a.units, a.p, a.blockable) == (b.n, b.units, b.p, b.blockable)
        assert (a.lower, a.upper) == pytest.approx((b.lower, b.upper), abs=1e-9)


@given(layouts(), st.sampled_from([0.01, 0.025, 0.1]), st.sampled_from([0.0, 0.05, 1 / 3]))
def test_the_bound_falls_below_the_margin_exactly_when_p_does(layout: Layout, alpha: float, margin: float) -> None:
    for row in joint(layout, alpha=alpha, margin=margin).slices.values():
        if row.p is not None:
            assert (row.upper < -margin) == (row.p <= alpha)


@given(layouts(), st.sampled_from([0.0, 0.05]))
def test_the_interval_holds_the_mean(layout: Layout, margin: float) -> None:
    for row in joint(layout, margin=margin).slices.values():
        if row.mean is not None:
            assert row.lower - 1e-9 <= row.mean <= row.upper + 1e-9


@given(layouts())
def test_swapping_the_arms_mirrors_everything_exactly(layout: Layout) -> None:
    there, back = joint(layout), joint(Layout(-layout.deltas, layout.slices, layout.clusters))
    assert there.critical == back.critical
    for name in there:
        assert (back[name].lower, back[name].upper) == (-there[name].upper, -there[name].lower)
        assert back[name].mean is None or back[name].mean == -(there[name].mean or 0.0)


@given(layouts(), st.integers(0, 2**32 - 1))
def test_the_order_of_the_cases_does_not_matter(layout: Layout, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(layout.deltas))
    place = np.argsort(order)
    slices = {name: place[positions] for name, positions in layout.slices.items()}
    clusters = None if layout.clusters is None else layout.clusters[order]
    assert_same(joint(layout), joint(Layout(layout.deltas[order], slices, clusters)))


@given(layouts(), st.data())
def test_repeated_and_empty_slices_change_nothing(layout: Layout, data: st.DataObject) -> None:
    twin = layout.slices[data.draw(st.sampled_from(sorted(layout.slices)))]
    wider = {"aa": twin, "empty": np.array([], dtype=np.int64)} | layout.slices
    assert_same(joint(layout), joint(Layout(layout.deltas, wider, layout.clusters)))


@given(layouts())
def test_cases_outside_every_slice_change_nothing(layout: Layout) -> None:
    more = None if layout.clusters is None else np.append(layout.clusters, [998, 999])
    assert_same(joint(layout), joint(Layout(np.append(layout.deltas, [-1.0, 0.4]), layout.slices, more)))


@given(layouts(), st.sampled_from([0.1, 0.37, 100.0]))
def test_another_scale_scales_the_interval(layout: Layout, factor: float) -> None:
    one, other = joint(layout), joint(Layout(factor * layout.deltas, layout.slices, layout.clusters))
    for name in one:
        assert one[name].p == other[name].p
        scaled = factor * np.array([one[name].lower, one[name].upper])
        assert [other[name].lower, other[name].upper] == pytest.approx(scaled, abs=1e-7 * factor)


@given(layouts(), st.sampled_from([0.025, 0.1, 0.3]), st.sampled_from([0.0, 0.05]))
def test_no_interval_is_without_width(layout: Layout, alpha: float, margin: float) -> None:
    for row in joint(layout, alpha=alpha, margin=margin).slices.values():
        assert not math.isfinite(row.upper - row.lower) or row.upper - row.lower > 1e-9
