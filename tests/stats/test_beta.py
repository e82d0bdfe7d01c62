"""The beta distribution against scipy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gate.stats.intervals import beta_quantile, incomplete_beta

shapes = st.one_of(st.integers(1, 100_000), st.floats(0.2, 50.0))


@given(shapes, shapes, st.floats(0.0, 1.0))
def test_cdf(a: float, b: float, x: float) -> None:
    assert incomplete_beta(a, b, x, 1.0 - x) == pytest.approx(stats.beta.cdf(x, a, b), abs=1e-8)


@given(st.sampled_from([1e-6, 0.001, 0.025, 0.5, 0.9, 0.99999]), st.integers(1, 3000), st.integers(1, 3000))
def test_quantile(p: float, a: int, b: int) -> None:
    assert beta_quantile(p, a, b) == pytest.approx(stats.beta.ppf(p, a, b), rel=1e-8)
