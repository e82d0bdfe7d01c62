"""Concurrency that is learnt from outcomes, without any time."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.calls.limits import Latencies, Pace


def rounds(pace: Pace, count: int, capacity: float, rng: random.Random | None = None, latency_s: float = 0.1) -> None:
    """Rounds in which whatever is beyond the capacity is refused."""
    for _ in range(count):
        begun, allowed = pace.round, pace.allowed
        for place in range(max(allowed, 4)):
            if place % allowed >= capacity:
                pace.refused(begun)
            else:
                spread = rng.lognormvariate(0.0, 0.8) if rng else 1.0
                pace.answered(begun, True, "model", latency_s * spread)


def test_it_begins_at_the_ceiling() -> None:
    assert Pace(64).allowed == 64


@given(st.integers(1, 200), st.integers(1, 200))
def test_it_finds_the_capacity_and_stays_there(ceiling: int, capacity: int) -> None:
    pace = Pace(ceiling)
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
    pace = Pace(ceiling)
    rounds(pace, 30, capacity)
    rounds(pace, 80, 1000)
    assert pace.allowed == ceiling


def test_one_burst_of_refusals_is_answered_once() -> None:
    pace = Pace(64)
    for _ in range(200):
        pace.refused(0)
    assert pace.allowed == 32


def test_a_stray_refusal_costs_little() -> None:
    pace, rng = Pace(64), random.Random(1)
    lowest = 64
    for _ in range(6000):
        if rng.random() < 0.01:
            pace.refused(pace.round)
        else:
            pace.answered(pace.round, True, "model", 0.1)
        lowest = min(lowest, pace.allowed)
    assert lowest >= 48


def test_idle_slots_prove_nothing() -> None:
    pace = Pace(64)
    rounds(pace, 3, 10)
    before = pace.allowed
    for _ in range(1000):
        pace.answered(pace.round, False, "model", 0.1)
    assert pace.allowed == before


def test_rising_latency_slows_down_gently_and_is_got_used_to() -> None:
    pace = Pace(64)
    rounds(pace, 20, 1000)
    rounds(pace, 4, 1000, latency_s=0.4)
    lowest = pace.allowed
    assert 40 <= lowest < 64
    rounds(pace, 200, 1000, latency_s=0.4)
    assert pace.allowed == 64


@pytest.mark.parametrize("seed", range(5))
def test_noise_is_no_rise(seed: int) -> None:
    pace, rng = Pace(64), random.Random(seed)
    lowest = 64
    for _ in range(100):
        rounds(pace, 1, 1000, rng)
        lowest = min(lowest, pace.allowed)
    assert lowest == 64


def test_one_slow_prompt_is_no_rise() -> None:
    latencies, rng = Latencies(known=50), random.Random(1)
    for number in range(2000):
        slow = 30.0 if number % 40 == 0 else 1.0
        latencies.add("model", 0.1 * slow * rng.lognormvariate(0.0, 0.2))
        if number % 32 == 0:
            assert not latencies.rising()


def test_a_slow_judge_beside_a_quick_target_is_no_rise() -> None:
    latencies = Latencies(known=50)
    for _ in range(200):
        latencies.add("target", 0.1)
    for _ in range(200):
        latencies.add("judge", 5.0)
    assert not latencies.rising()


@given(st.lists(st.floats(), max_size=50))
def test_hostile_latencies_are_left_out(values: list[float]) -> None:
    latencies = Latencies(known=1)
    for value in values:
        latencies.add("model", value)
    assert latencies.rising() in (True, False)


@given(st.integers(1, 64), st.lists(st.tuples(st.sampled_from(["ok", "refused", "old", "half"]), st.booleans())))
def test_whatever_happens_the_limit_is_within_its_bounds(ceiling: int, events: list[tuple[str, bool]]) -> None:
    pace = Pace(ceiling)
    for kind, full in events:
        if kind == "ok":
            pace.answered(pace.round, full, "m", 0.1)
        elif kind == "half":
            pace.halve()
        else:
            pace.refused(pace.round - (kind == "old"))
        assert 1 <= pace.allowed <= ceiling
