"""Wilson's interval, against scipy and by its properties."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from gate.stats.wilson import wilson
from tests.unit.stats.layouts import THOROUGH

LEVELS = st.floats(1e-6, 0.4)


@THOROUGH
@given(n=st.integers(1, 5000), data=st.data(), alpha=LEVELS)
def test_as_scipy_has_it(n: int, data: st.DataObject, alpha: float) -> None:
    passed = data.draw(st.integers(0, n))
    found = wilson(passed, n, alpha=alpha)
    known = binomtest(passed, n).proportion_ci(1 - 2 * alpha, method="wilson")
    assert (found.lower, found.upper) == pytest.approx((known.low, known.high), abs=1e-9)


@THOROUGH
@given(n=st.integers(1, 500), share=st.floats(0, 1), alpha=LEVELS)
def test_the_rate_lies_inside_and_failures_mirror_passes(n: int, share: float, alpha: float) -> None:
    found, mirrored = wilson(share * n, n, alpha=alpha), wilson(n - share * n, n, alpha=alpha)
    assert 0 <= found.lower <= found.rate <= found.upper <= 1
    assert (found.lower, found.upper) == pytest.approx((1 - mirrored.upper, 1 - mirrored.lower), abs=1e-9)


@THOROUGH
@given(n=st.integers(1, 500), share=st.floats(0, 1), alpha=st.floats(1e-6, 0.2))
def test_a_smaller_level_is_a_wider_interval(n: int, share: float, alpha: float) -> None:
    narrow, wide = wilson(share * n, n, alpha=2 * alpha), wilson(share * n, n, alpha=alpha)
    assert wide.lower <= narrow.lower + 1e-12
    assert wide.upper >= narrow.upper - 1e-12


@pytest.mark.parametrize(
    ("successes", "n", "alpha"), [(0, 0, 0.025), (2, 1, 0.025), (-1, 3, 0.025), (1, 3, 0), (float("nan"), 3, 0.025)]
)
def test_what_is_no_share_is_refused(successes: float, n: int, alpha: float) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        wilson(successes, n, alpha=alpha)
