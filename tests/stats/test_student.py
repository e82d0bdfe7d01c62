"""Student's t and the normal quantile against scipy."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gate.stats.intervals import t_cdf, t_quantile

degrees = st.sampled_from([0.5, 1, 1.5, 2, 3, 5, 9, 29, 99, 500, 1e4, 99_999, 100_001, 1e8])


@given(st.floats(-200, 200), degrees)
def test_cdf(t: float, df: float) -> None:
    assert t_cdf(t, df) == pytest.approx(stats.t.cdf(t, df), abs=1e-8)


@given(st.floats(1e-6, 1 - 1e-6), degrees)
def test_quantile(p: float, df: float) -> None:
    assert t_quantile(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("df", [1, 7, 1e7])
def test_ends_and_middle(df: float) -> None:
    assert (t_cdf(-math.inf, df), t_cdf(0.0, df), t_cdf(math.inf, df)) == (0.0, 0.5, 1.0)
    assert t_quantile(0.5, df) == 0.0
    assert t_quantile(0.1, df) == pytest.approx(-t_quantile(0.9, df))
