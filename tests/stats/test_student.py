"""Student's t and the normal quantile against scipy."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gate.stats.intervals import normal_quantile, t_cdf, t_quantile

degrees = st.sampled_from([0.5, 1, 1.5, 2, 3, 5, 9, 29, 99, 500, 1e4, 99_999, 100_001, 1e8])


@given(st.floats(-200, 200), degrees)
def test_cdf(t: float, df: float) -> None:
    assert t_cdf(t, df) == pytest.approx(stats.t.cdf(t, df), abs=1e-8)


@given(st.floats(1e-6, 1 - 1e-6), degrees)
def test_quantile(p: float, df: float) -> None:
    assert t_quantile(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("df", range(1, 40))
def test_the_usual_quantile(df: int) -> None:
    assert t_quantile(0.975, df) == pytest.approx(stats.t.ppf(0.975, df), abs=1e-8)


@given(st.floats(1e-9, 1 - 1e-9))
def test_normal_quantile(p: float) -> None:
    assert normal_quantile(p) == pytest.approx(stats.norm.ppf(p), abs=1e-8)


@pytest.mark.parametrize("df", [1, 7, 1e7])
def test_ends_and_middle(df: float) -> None:
    assert (t_cdf(-math.inf, df), t_cdf(0.0, df), t_cdf(math.inf, df)) == (0.0, 0.5, 1.0)
    assert t_quantile(0.5, df) == 0.0
    assert t_quantile(0.1, df) == pytest.approx(-t_quantile(0.9, df))


def test_refusals() -> None:
    with pytest.raises(ValueError, match="degrees of freedom"):
        t_cdf(1.0, 0.0)
    with pytest.raises(ValueError, match="not NaN"):
        t_cdf(math.nan, 3)
    for p in (0.0, 1.0, math.nan):
        with pytest.raises(ValueError, match="probability"):
            t_quantile(p, 3)
        with pytest.raises(ValueError, match="probability"):
            normal_quantile(p)
