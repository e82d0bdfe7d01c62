"""The familiar tests on data small enough to reason about, and against scipy."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from gate.stats.arrays import EMPTY, SliceResult
from gate.stats.bootstrap import percentile
from gate.stats.marginal import marginal_test


def overall(deltas: Any, **options: Any) -> SliceResult:
    return marginal_test(deltas, {"overall": np.arange(len(deltas))}, **options)["overall"]


@pytest.mark.parametrize("margin", [0.0, 0.05])
def test_t_agrees_with_scipy(margin: float) -> None:
    deltas = np.random.default_rng(1).normal(-0.1, 0.3, 40)
    row = overall(deltas, method="t", margin=margin)
    expected = stats.ttest_1samp(deltas, -margin, alternative="less")
    interval = stats.t.interval(0.95, 39, deltas.mean(), stats.sem(deltas))
    assert row.p == pytest.approx(expected.pvalue, rel=1e-8)
    assert (row.lower, row.upper) == pytest.approx(interval, rel=1e-8)


def test_t_on_clusters_of_one_size_is_t_on_their_means() -> None:
    rng = np.random.default_rng(2)
    labels = np.repeat(np.arange(14), 3)
    deltas = rng.normal(-0.1, 0.3, 42) + rng.normal(0, 0.3, 14)[labels]
    means = deltas.reshape(14, 3).mean(axis=1)
    row = overall(deltas, method="t", clusters=labels)
    assert (row.n, row.units) == (42, 14)
    assert row.p == pytest.approx(stats.ttest_1samp(means, 0.0, alternative="less").pvalue, rel=1e-8)
    assert (row.lower, row.upper) == pytest.approx(stats.t.interval(0.95, 13, means.mean(), stats.sem(means)), rel=1e-8)


@pytest.mark.parametrize(("wrong", "right"), [(0, 5), (1, 0), (7, 1), (12, 4), (30, 30), (0, 9), (9, 0), (400, 300)])
def test_mcnemar_agrees_with_scipy(wrong: int, right: int) -> None:
    n = 20 + wrong + right
    row = overall(np.repeat([-1, 1, 0], [wrong, right, 20]), method="mcnemar")
    share = stats.binomtest(wrong, wrong + right)
    interval = share.proportion_ci(0.95, method="exact")
    assert row.p == pytest.approx(stats.binomtest(wrong, wrong + right, alternative="greater").pvalue, rel=1e-8)
    assert (row.lower, row.upper) == pytest.approx(
        [(wrong + right) / n * (1 - 2 * bound) for bound in (interval.high, interval.low)], abs=1e-8
    )


@pytest.mark.parametrize("graded", [False, True])
def test_percentile_is_close_to_the_familiar_rule(graded: bool) -> None:
    rng = np.random.default_rng(3)
    deltas = rng.normal(-0.03, 0.2, 150) if graded else rng.integers(-3, 3, 150) / 3
    row, familiar = overall(deltas, method="percentile"), percentile(deltas, resamples=20_000)
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
@pytest.mark.parametrize("cases", [1, 2, 5])
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


def test_float_dust_is_no_change() -> None:
    row = overall(np.tile([0.1 + 0.2 - 0.3, -1e-12], 20), method="t")
    assert (row.mean, row.p, row.upper) == (0.0, 1.0, math.inf)


@pytest.mark.parametrize("method", ["percentile", "t", "mcnemar"])
def test_an_empty_slice_is_defined(method: Any) -> None:
    result = marginal_test([], {"overall": []}, method=method, correction="bonferroni")
    assert (result["overall"], result.family, result.flips) == (EMPTY, 0, 0)


def test_small_slices_are_not_counted_and_have_the_plain_level() -> None:
    deltas = np.random.default_rng(4).normal(size=30)
    slices = {"a": np.arange(20), "b": np.arange(10, 30), "small": np.arange(9)}
    result = marginal_test(deltas, slices, method="t", correction="bonferroni")
    alone = marginal_test(deltas, {"small": np.arange(9)}, method="t")
    assert (result.family, result["small"]) == (2, alone["small"])
    assert result.critical == pytest.approx(stats.norm.ppf(1 - 0.025 / 2))


def test_holm_holds_the_second_slice_to_a_milder_level() -> None:
    rng = np.random.default_rng(5)
    deltas = np.concatenate([rng.normal(-1.0, 0.3, 30), rng.normal(0.0, 0.3, 30)])
    slices = {"fell": np.arange(30), "same": np.arange(30, 60)}
    strict = marginal_test(deltas, slices, method="t", correction="bonferroni")
    holm = marginal_test(deltas, slices, method="t", correction="holm")
    assert holm["fell"] == strict["fell"]
    assert holm["same"].upper < strict["same"].upper
    assert holm.critical == pytest.approx(stats.norm.ppf(0.975))


def test_a_thousand_slices() -> None:
    rng = np.random.default_rng(6)
    deltas = rng.normal(size=60)
    slices = {f"s{i}": rng.permutation(60)[:12] for i in range(1_000)}
    result = marginal_test(deltas, slices, method="t", correction="holm")
    assert result.family == 1_000
    assert result.critical == pytest.approx(stats.norm.ppf(1 - 0.025 / 1_000), rel=1e-6)
    with pytest.raises(ValueError, match="1000 slices at alpha 0.025 takes 2000000 resamples"):
        marginal_test(deltas, slices, method="percentile", correction="holm")


def test_clusters_of_one_case_are_cases() -> None:
    deltas = np.repeat([-1, 0], [8, 12])
    assert overall(deltas, method="mcnemar", clusters=np.arange(20)[::-1]) == overall(deltas, method="mcnemar")


def test_mcnemar_takes_right_and_wrong_only() -> None:
    with pytest.raises(ValueError, match="deltas of -1, 0 and 1 .binary scores, one sample for each case., not 0.5"):
        overall([0.5, 1.0], method="mcnemar")
