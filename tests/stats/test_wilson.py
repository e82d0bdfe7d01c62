"""The Wilson interval against scipy, and at its ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gate.stats.intervals import Rate, wilson

levels = st.sampled_from([0.005, 0.025, 0.1])


@given(st.integers(1, 2000), st.floats(0.0, 1.0), levels)
def test_agrees_with_scipy(n: int, share: float, alpha: float) -> None:
    passed = round(share * n)
    expected = stats.binomtest(passed, n).proportion_ci(1 - 2 * alpha, method="wilson")
    row = wilson(passed, n, alpha=alpha)
    assert row.rate == pytest.approx(passed / n)
    assert (row.lower, row.upper) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(st.integers(1, 500), st.floats(0.0, 1.0), levels)
def test_the_interval_holds_the_rate_and_mirrors(n: int, share: float, alpha: float) -> None:
    row, failed = wilson(share * n, n, alpha=alpha), wilson((1 - share) * n, n, alpha=alpha)
    assert row.rate is not None
    assert 0.0 <= row.lower <= row.rate + 1e-12
    assert row.rate - 1e-12 <= row.upper <= 1.0
    assert (failed.lower, failed.upper) == pytest.approx((1 - row.upper, 1 - row.lower), abs=1e-9)


def test_fractional_passes_lie_between_their_neighbours() -> None:
    assert wilson(7, 10).lower < wilson(7.5, 10).lower < wilson(8, 10).lower


@pytest.mark.parametrize("n", [1, 3, 30, 1000])
def test_nothing_and_everything(n: int) -> None:
    assert (wilson(0, n).lower, wilson(n, n).upper) == (0.0, 1.0)
    assert wilson(0, n).upper > 0.0


def test_no_cases_leave_everything_open() -> None:
    assert wilson(0, 0) == Rate(None, 0.0, 1.0)


def test_float_dust_is_no_error() -> None:
    assert wilson(sum([0.1] * 10) + 1e-12, 1).rate == 1.0
