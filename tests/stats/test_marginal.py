"""The familiar tests: against scipy, and what they keep for any data."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from gate.stats.arrays import JointResult, SliceResult
from gate.stats.intervals import percentile
from gate.stats.marginal import Corrected, Correction, correct, marginal_test
from tests.stats.layouts import Layout, layouts
from tests.stats.reference import binomial, exact_bounds, standard_error, student_bounds, student_p


def overall(deltas: Any, **options: Any) -> SliceResult:
    return marginal_test(deltas, {"overall": np.arange(len(deltas))}, **options)["overall"]


@pytest.mark.parametrize("margin", [0.0, 0.05])
def test_t_agrees_with_scipy(margin: float) -> None:
    deltas = np.random.default_rng(1).normal(-0.1, 0.3, 40)
    row = overall(deltas, method="t", margin=margin)
    interval = student_bounds(float(deltas.mean()), standard_error(deltas), 39)
    assert row.p == pytest.approx(student_p(deltas, margin), rel=1e-8)
    assert (row.lower, row.upper) == pytest.approx(interval, rel=1e-8)


def test_t_on_clusters_of_one_size_is_t_on_their_means() -> None:
    rng = np.random.default_rng(2)
    labels = np.repeat(np.arange(14), 3)
    deltas = rng.normal(-0.1, 0.3, 42) + rng.normal(0, 0.3, 14)[labels]
    means = deltas.reshape(14, 3).mean(axis=1)
    row = overall(deltas, method="t", clusters=labels)
    assert (row.n, row.units) == (42, 14)
    assert row.p == pytest.approx(student_p(means), rel=1e-8)
    assert (row.lower, row.upper) == pytest.approx(
        student_bounds(float(means.mean()), standard_error(means), 13), rel=1e-8
    )


@pytest.mark.parametrize(("wrong", "right"), [(0, 5), (7, 1), (30, 30), (9, 0), (400, 300)])
def test_mcnemar_agrees_with_scipy(wrong: int, right: int) -> None:
    n = 20 + wrong + right
    row = overall(np.repeat([-1, 1, 0], [wrong, right, 20]), method="mcnemar")
    low, high = exact_bounds(wrong, wrong + right)
    assert row.p == pytest.approx(binomial(wrong + right, 0.5)[wrong:].sum(), rel=1e-8)
    assert (row.lower, row.upper) == pytest.approx(
        [(wrong + right) / n * (1 - 2 * bound) for bound in (high, low)], abs=1e-8
    )


@pytest.mark.parametrize("graded", [False, True])
def test_percentile_is_close_to_the_familiar_rule(graded: bool) -> None:
    rng = np.random.default_rng(3)
    deltas = rng.normal(-0.03, 0.2, 150) if graded else rng.integers(-3, 3, 150) / 3
    row, familiar = overall(deltas, method="percentile"), percentile(deltas, resamples=5_000)
    width = familiar.upper - familiar.lower
    assert (row.lower, row.upper) == pytest.approx((familiar.lower, familiar.upper), abs=0.05 * width)


def test_percentile_counts_the_resampled_means_that_did_not_fall() -> None:
    """One case of ten rose: a resampled mean is 0 unless it was drawn, and never below."""
    assert overall([0.5] + [0.0] * 9, method="percentile").p == 1.0
    assert overall([-0.5] * 5 + [-0.2] * 5, method="percentile").p == pytest.approx(1 / 2001)


@pytest.mark.parametrize("method", ["percentile", "t", "mcnemar"])
def test_no_change_has_no_bounds(method: Any) -> None:
    assert overall(np.zeros(40), method=method) == SliceResult(40, 40, 0.0, -math.inf, math.inf, 1.0, True)


@pytest.mark.parametrize("method", ["percentile", "t", "mcnemar"])
@pytest.mark.parametrize("cases", [1, 5])
def test_a_small_slice_never_has_a_zero_width(method: Any, cases: int) -> None:
    row = overall([-1.0] * cases, method=method)
    assert (row.p, row.blockable) == (None, False)
    assert row.upper - row.lower > 0.1


@pytest.mark.parametrize("method", ["percentile", "t"])
def test_the_same_fall_everywhere_is_certain(method: Any) -> None:
    row = overall(np.full(40, -1 / 3), method=method)
    assert row.p is not None and row.p < 0.001
    assert (row.lower, row.upper) == pytest.approx((-1 / 3, -1 / 3))
    assert overall(np.full(40, -1 / 3), method=method, margin=1 / 3).p == 1.0


def test_small_slices_are_not_counted_and_have_the_plain_level() -> None:
    deltas = np.random.default_rng(4).normal(size=30)
    slices = {"a": np.arange(20), "b": np.arange(10, 30), "small": np.arange(9)}
    result = marginal_test(deltas, slices, method="t", correction="bonferroni")
    alone = marginal_test(deltas, {"small": np.arange(9)}, method="t")
    assert (result.family, result["small"]) == (2, alone["small"])
    assert result.critical == pytest.approx(special.ndtri(1 - 0.025 / 2))


def test_holm_holds_the_second_slice_to_a_milder_level() -> None:
    rng = np.random.default_rng(5)
    deltas = np.concatenate([rng.normal(-1.0, 0.3, 30), rng.normal(0.0, 0.3, 30)])
    slices = {"fell": np.arange(30), "same": np.arange(30, 60)}
    strict = marginal_test(deltas, slices, method="t", correction="bonferroni")
    holm = marginal_test(deltas, slices, method="t", correction="holm")
    assert holm["fell"] == strict["fell"]
    assert holm["same"].upper < strict["same"].upper
    assert holm.critical == pytest.approx(special.ndtri(0.975))


def test_a_thousand_slices() -> None:
    rng = np.random.default_rng(6)
    deltas = rng.normal(size=60)
    slices = {f"s{i}": rng.permutation(60)[:12] for i in range(1_000)}
    result = marginal_test(deltas, slices, method="t", correction="holm")
    assert result.family == 1_000
    assert result.critical == pytest.approx(special.ndtri(1 - 0.025 / 1_000), rel=1e-6)
    with pytest.raises(ValueError, match="1000 slices at alpha 0.025 takes 2000000 resamples"):
        marginal_test(deltas, slices, method="percentile", correction="holm")


def test_mcnemar_takes_right_and_wrong_only() -> None:
    with pytest.raises(ValueError, match="deltas of -1, 0 and 1 .binary scores, one sample for each case., not 0.5"):
        overall([0.5, 1.0], method="mcnemar")


families = st.lists(st.one_of(st.floats(0.0, 1.0), st.integers(0, 40).map(lambda count: count / 400)), max_size=12)
corrections = st.sampled_from(["none", "bonferroni", "holm"])


def test_holm_by_hand() -> None:
    """Four slices at 5 %: 0.01 <= 0.05 / 4, 0.015 <= 0.05 / 3, 0.03 > 0.05 / 2."""
    assert correct([0.03, 0.01, 0.04, 0.015], 0.05, "holm") == [
        Corrected(0.06, 0.025),
        Corrected(0.04, 0.0125),
        Corrected(0.06, 0.025),
        Corrected(0.045, pytest.approx(0.05 / 3)),
    ]


def test_ties_share_a_level() -> None:
    assert correct([0.01, 0.01], 0.05, "holm") == [Corrected(0.02, 0.025)] * 2


@given(families, corrections, st.sampled_from([0.025, 0.1]))
def test_rejected_exactly_when_the_own_p_is_at_most_the_level(
    p_values: list[float], correction: Correction, alpha: float
) -> None:
    for p, one in zip(p_values, correct(p_values, alpha, correction), strict=True):
        assert one.rejected(alpha) == (p <= one.level * (1 + 1e-12))
        assert p <= one.p <= 1.0
        assert one.level <= alpha


@given(families)
def test_holm_rejects_whatever_bonferroni_does(p_values: list[float]) -> None:
    strict, stepwise = correct(p_values, 0.05, "bonferroni"), correct(p_values, 0.05, "holm")
    assert all(holm.p <= bonferroni.p for holm, bonferroni in zip(stepwise, strict, strict=True))


@given(st.permutations([0.001, 0.01, 0.01, 0.02, 0.03, 0.6]))
def test_the_order_does_not_matter(p_values: list[float]) -> None:
    plain = {p: one for p, one in zip(sorted(p_values), correct(sorted(p_values), 0.05, "holm"), strict=True)}
    assert correct(p_values, 0.05, "holm") == [plain[p] for p in p_values]


METHODS = st.sampled_from(["percentile", "t", "mcnemar"])
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


@given(
    method=METHODS,
    layout=layouts(),
    correction=CORRECTIONS,
    alpha=st.sampled_from([0.01, 0.025, 0.1, 0.125]),
    margin=st.booleans(),
)
def test_the_bound_falls_below_the_margin_exactly_when_p_does(
    method: Any, layout: Layout, correction: Any, alpha: float, margin: bool
) -> None:
    tolerated = 1 / 3 if margin and method != "mcnemar" else 0.0
    result = marginal(layout, method, correction=correction, alpha=alpha, margin=tolerated)
    for row in result.slices.values():
        assert (row.p is None) != row.blockable
        if row.p is not None:
            assert (row.upper < -tolerated) == (row.p <= alpha + 1e-9)


@given(method=METHODS, layout=layouts(), correction=st.sampled_from(["none", "bonferroni"]))
def test_swapping_the_arms_mirrors_the_interval(method: Any, layout: Layout, correction: Any) -> None:
    there = marginal(layout, method, correction=correction)
    back = marginal(Layout(-layout.deltas, layout.slices, layout.clusters), method, correction=correction)
    for name in there:
        assert (back[name].lower, back[name].upper) == pytest.approx((-there[name].upper, -there[name].lower), abs=1e-9)
        assert back[name].mean is None or back[name].mean == -(there[name].mean or 0.0)


@given(method=METHODS, layout=layouts(), correction=CORRECTIONS, seed=st.integers(0, 2**32 - 1))
def test_the_order_of_cases_and_slices_does_not_matter(method: Any, layout: Layout, correction: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(layout.deltas))
    place = np.argsort(order)
    slices = {name: place[layout.slices[name]] for name in rng.permutation(list(layout.slices))}
    clusters = None if layout.clusters is None else layout.clusters[order]
    shuffled = Layout(layout.deltas[order], slices, clusters)
    assert_same(marginal(layout, method, correction=correction), marginal(shuffled, method, correction=correction))


@given(method=METHODS, layout=layouts(), correction=CORRECTIONS)
def test_an_empty_slice_changes_nothing(method: Any, layout: Layout, correction: Any) -> None:
    wider = Layout(layout.deltas, {"empty": np.array([], dtype=np.int64)} | layout.slices, layout.clusters)
    assert_same(marginal(layout, method, correction=correction), marginal(wider, method, correction=correction))


@given(method=METHODS, layout=layouts(), correction=CORRECTIONS)
def test_the_interval_holds_the_mean(method: Any, layout: Layout, correction: Any) -> None:
    for row in marginal(layout, method, correction=correction).slices.values():
        if row.mean is not None:
            assert row.lower - 1e-9 <= row.mean <= row.upper + 1e-9
