"""Differences of rates against the figures of Newcombe's papers, and against what must hold for all counts."""

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.stats.intervals import Difference, Pairs, paired_difference, rate_difference

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
