"""The one retry policy."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.calls.limits import RetryPolicy

ASKED = st.none() | st.floats(allow_nan=False)


@given(st.integers(1, 10_000), ASKED, st.integers())
def test_waits_are_bounded(attempt: int, retry_after: float | None, seed: int) -> None:
    policy = RetryPolicy()
    wait = policy.delay(attempt, retry_after, random.Random(seed))
    assert 0.0 <= wait <= policy.longest_retry_after_s + policy.cap_s


@given(st.integers(1, 20), st.floats(0, 60), st.integers())
def test_what_the_server_asks_for_is_waited_for(attempt: int, retry_after: float, seed: int) -> None:
    assert RetryPolicy().delay(attempt, retry_after, random.Random(seed)) >= retry_after


@pytest.mark.parametrize(("attempt", "limit"), [(1, 0.5), (2, 1.0), (3, 2.0), (7, 30.0), (50, 30.0)])
def test_full_jitter_fills_the_range(attempt: int, limit: float) -> None:
    rng = random.Random(1)
    waits = [RetryPolicy().delay(attempt, None, rng) for _ in range(2000)]
    assert max(waits) <= limit
    assert min(waits) < 0.01 * limit
    assert max(waits) > 0.99 * limit
