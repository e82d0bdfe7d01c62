"""Shares of a total, with their intervals."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.stats.intervals import Parts, share, share_change


def drawn(seed: int, n: int) -> Parts:
    rng = np.random.default_rng(seed)
    whole = rng.integers(1, 2000, n).astype(float)
    return Parts(whole * rng.random(n), whole)


def test_large_cases_count_more() -> None:
    assert share(Parts(np.array([1.0, 0.0]), np.array([1.0, 99.0]))).value == 0.01


def test_the_same_share_everywhere_has_no_width() -> None:
    found = share(Parts(np.array([1.0, 2.0, 4.0]), np.array([2.0, 4.0, 8.0])))
    assert (found.lower, found.upper) == (0.5, 0.5)


def test_one_case_tells_no_spread() -> None:
    found = share(Parts(np.array([1.0]), np.array([2.0])))
    assert (found.value, found.lower, found.upper) == (0.5, -math.inf, math.inf)


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
