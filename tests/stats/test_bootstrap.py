"""The percentile bootstrap of means and of quantiles."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.stats.arrays import FloatArray, IntArray, Interval, finite_vector, unit_labels
from gate.stats.intervals import FEWEST_UNITS, Calls, percentile, quantile_changes


def test_agrees_with_resampling_the_cases() -> None:
    rng = np.random.default_rng(1)
    deltas = rng.integers(-3, 3, 60) / 3
    means = rng.choice(deltas, (20_000, 60)).mean(axis=1)
    interval = percentile(deltas, resamples=20_000)
    assert interval.value == pytest.approx(deltas.mean())
    assert [interval.lower, interval.upper] == pytest.approx(np.quantile(means, [0.025, 0.975]), abs=0.01)


def test_clusters_are_drawn_whole() -> None:
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(12), np.arange(1, 13))
    deltas = rng.normal(size=12)[clusters]
    sums, sizes = np.bincount(clusters, weights=deltas), np.bincount(clusters)
    drawn = rng.integers(0, 12, (20_000, 12))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    interval = percentile(deltas, resamples=20_000, clusters=clusters)
    assert [interval.lower, interval.upper] == pytest.approx(np.quantile(means, [0.025, 0.975]), abs=0.03)


def test_float_dust_is_snapped_to_zero() -> None:
    assert percentile([0.1 + 0.2 - 0.3] * 5) == Interval(0.0, 0.0, 0.0)


def calls(seed: int, cases: int, k: int = 3, factor: float = 1.0) -> Calls:
    """Each case has a pace of its own, which its calls share."""
    rng = np.random.default_rng(seed)
    pace = np.repeat(np.random.default_rng(99).lognormal(0.0, 0.5, cases), k)
    return Calls(factor * pace * rng.lognormal(0.0, 0.1, cases * k), np.repeat(np.arange(cases), k))


def test_the_estimate_is_the_difference_of_the_quantiles() -> None:
    one, other = calls(1, 40), calls(2, 40, factor=1.5)
    found = quantile_changes(one, other)
    assert found[0].value == pytest.approx(np.median(other.values) - np.median(one.values))
    assert found[1].value == pytest.approx(np.quantile(other.values, 0.95) - np.quantile(one.values, 0.95))
    assert found[0].lower < found[0].value < found[0].upper
    assert found[0].lower > 0


@pytest.mark.parametrize(("cases", "resamples"), [(12, 50), (6000, 40)], ids=["at once", "in pieces"])
def test_it_equals_writing_the_resamples_out(cases: int, resamples: int) -> None:
    one, other = calls(1, cases, 2), calls(2, cases, 3)
    found = quantile_changes(one, other, resamples=resamples, seed=3)
    drawn = np.random.default_rng(3).integers(0, cases, size=(resamples, cases))
    values = [_quantiles(other, 3, row) - _quantiles(one, 2, row) for row in drawn]
    bounds = np.quantile(values, [0.025, 0.975], axis=0)
    assert (found[0].lower, found[1].lower) == pytest.approx(tuple(bounds[0]))
    assert (found[0].upper, found[1].upper) == pytest.approx(tuple(bounds[1]))


def _quantiles(arm: Calls, k: int, drawn: IntArray) -> FloatArray:
    out: FloatArray = np.quantile(arm.values.reshape(-1, k)[drawn], [0.5, 0.95])
    return out


def test_pairing_takes_the_pace_of_the_cases_out() -> None:
    one, other = calls(1, 60), calls(2, 60, factor=1.1)
    found = quantile_changes(one, other)
    shuffled = Calls(other.values, np.random.default_rng(4).permutation(60).repeat(3))
    apart = quantile_changes(one, shuffled)
    assert found[0].upper - found[0].lower < 0.8 * (apart[0].upper - apart[0].lower)


def test_few_units_have_infinite_bounds() -> None:
    few = FEWEST_UNITS - 1
    found = quantile_changes(calls(1, few), calls(2, few))
    assert (found[1].lower, found[1].upper) == (-math.inf, math.inf)
    enough = quantile_changes(calls(1, FEWEST_UNITS), calls(2, FEWEST_UNITS))
    assert math.isfinite(enough[1].upper)


def test_about_95_percent_of_the_intervals_of_p50_hold_the_truth() -> None:
    hits = 0
    for run in range(50):
        rng = np.random.default_rng(run)
        pace = np.repeat(rng.lognormal(0.0, 0.5, 100), 2)
        units = np.repeat(np.arange(100), 2)
        arms = [Calls(pace + shift + rng.normal(0.0, 0.05, 200), units) for shift in (0.0, 0.3)]
        found = quantile_changes(*arms, resamples=200)
        hits += found[0].lower <= 0.3 <= found[0].upper
    assert hits / 50 >= 0.88


@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(1, 4))
def test_swapping_the_arms_changes_the_sign(seed: int, cases: int, k: int) -> None:
    one, other = calls(seed, cases, k), calls(seed + 1, cases, k + 1)
    there, back = quantile_changes(one, other, resamples=50), quantile_changes(other, one, resamples=50)
    for forth, reverse in zip(there, back, strict=True):
        assert (forth.value, forth.lower, forth.upper) == pytest.approx(
            (-reverse.value, -reverse.upper, -reverse.lower)
        )


def test_nan_is_named_with_its_place() -> None:
    with pytest.raises(ValueError, match=r"deltas must be finite; entry 1 is nan\."):
        finite_vector([0.0, float("nan")], "deltas")


def test_clusters_are_numbered_from_zero() -> None:
    assert unit_labels(4, [7, -2, 7, 9]).tolist() == [1, 0, 1, 2]
