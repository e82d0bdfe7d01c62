"""Concurrency that is learnt from outcomes, without any time."""

import random

from hypothesis import given
from hypothesis import strategies as st

from gate.calls.limits import RequestRate


def rounds(pace: RequestRate, count: int, capacity: float) -> None:
    """Rounds in which whatever is beyond the capacity is refused."""
    for _ in range(count):
        begun, allowed = pace.round, pace.allowed
        for place in range(max(allowed, 4)):
            if place % allowed >= capacity:
                pace.refused(begun)
            else:
                pace.answered(begun, True)


@given(st.integers(1, 200), st.integers(1, 200))
def test_it_finds_the_capacity_and_stays_there(ceiling: int, capacity: int) -> None:
    pace = RequestRate(ceiling)
    rounds(pace, 40, capacity)
    best = min(ceiling, capacity)
    seen = []
    for _ in range(40):
        rounds(pace, 1, capacity)
        seen.append(pace.allowed)
    assert max(seen) <= best + 2 + best / 12
    assert sum(seen) / len(seen) >= 0.75 * best


@given(st.integers(2, 100), st.integers(1, 20))
def test_it_comes_back_to_the_ceiling(ceiling: int, capacity: int) -> None:
    pace = RequestRate(ceiling)
    rounds(pace, 30, capacity)
    rounds(pace, 80, 1000)
    assert pace.allowed == ceiling


def test_one_burst_of_refusals_is_answered_once() -> None:
    pace = RequestRate(64)
    for _ in range(200):
        pace.refused(0)
    assert pace.allowed == 32


def test_a_stray_refusal_costs_little() -> None:
    pace, rng = RequestRate(64), random.Random(1)
    lowest = 64
    for _ in range(6000):
        if rng.random() < 0.01:
            pace.refused(pace.round)
        else:
            pace.answered(pace.round, True)
        lowest = min(lowest, pace.allowed)
    assert lowest >= 48


@given(st.integers(1, 64), st.lists(st.tuples(st.sampled_from(["ok", "refused", "old", "half"]), st.booleans())))
def test_whatever_happens_the_limit_is_within_its_bounds(ceiling: int, events: list[tuple[str, bool]]) -> None:
    pace = RequestRate(ceiling)
    for kind, full in events:
        if kind == "ok":
            pace.answered(pace.round, full)
        elif kind == "half":
            pace.halve()
        else:
            pace.refused(pace.round - (kind == "old"))
        assert 1 <= pace.allowed <= ceiling
