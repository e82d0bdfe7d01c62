"""Rate-limit headers."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.calls.provider import Headroom, read_headroom, server_time

MOMENT = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
NOW = MOMENT.timestamp()


def openai(remaining: str, reset: str, kind: str = "requests") -> dict[str, str]:
    return {f"x-ratelimit-remaining-{kind}": remaining, f"x-ratelimit-reset-{kind}": reset}


def anthropic(remaining: str, reset: str, kind: str = "requests") -> dict[str, str]:
    return {f"anthropic-ratelimit-{kind}-remaining": remaining, f"anthropic-ratelimit-{kind}-reset": reset}


@pytest.mark.parametrize(
    ("reset", "seconds"),
    [
        ("1s", 1.0),
        ("6m0s", 360.0),
        ("20ms", 0.02),
        ("1h2m3.5s", 3723.5),
        ("2m59.56s", 179.56),
        ("500us", 0.0005),
        ("0s", 0.0),
        ("7", 7.0),
    ],
)
def test_durations(reset: str, seconds: float) -> None:
    found = read_headroom(openai("0", reset), NOW)
    assert found is not None
    assert found.used_up
    assert found.reset_s == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("reset", "seconds"),
    [("2026-03-01T12:00:30Z", 30.0), ("2026-03-01T13:00:30+01:00", 30.0), ("2026-03-01T11:00:00Z", 0.0)],
)
def test_dates(reset: str, seconds: float) -> None:
    assert read_headroom(anthropic("0", reset, "input-tokens"), NOW) == Headroom(True, seconds)


def test_a_clock_of_ours_that_is_wrong_changes_nothing() -> None:
    reset = (MOMENT + timedelta(seconds=12)).isoformat()
    headers = anthropic("0", reset) | {"date": format_datetime(MOMENT, usegmt=True)}
    assert read_headroom(headers, NOW - 86400) == Headroom(True, 12.0)


def test_the_longest_of_what_is_used_up_counts() -> None:
    headers = openai("0", "1s") | openai("0", "9s", "tokens") | openai("5", "60s", "project-tokens")
    assert read_headroom(headers, NOW) == Headroom(True, 9.0)


def test_something_left() -> None:
    assert read_headroom(openai("4999", "12ms") | anthropic("1", "2026-03-01T12:00:30Z"), NOW) == Headroom()


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"content-type": "application/json", "x-ratelimit-limit-requests": "10"},
        openai("0", "soon"),
        openai("0", ""),
        openai("0", "5parsecs"),
        openai("0", "1s" * 100),
        openai("-1", "1s"),
        openai("nan", "1s"),
        openai("many", "1s"),
        anthropic("0", "0000-00-00T00:00:00Z"),
    ],
)
def test_nothing_usable(headers: dict[str, str]) -> None:
    assert read_headroom(headers, NOW) is None


def test_names_in_any_case() -> None:
    headers = {"X-RateLimit-Remaining-Requests": "0", "X-RateLimit-Reset-Requests": "3s"}
    assert read_headroom(headers, NOW) == Headroom(True, 3.0)


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=40))
def test_a_hostile_claim_is_a_wait_or_nothing(remaining: str, reset: str, date: str) -> None:
    for headers in (openai(remaining, reset), openai("0", reset), anthropic("0", reset)):
        found = read_headroom(headers | {"date": date}, NOW)
        assert found is None or 0.0 <= found.reset_s < float("inf")


@given(st.from_regex(r"[0-9]{1,70}(ms|s|m|h){0,3}", fullmatch=True))
def test_large_numbers(reset: str) -> None:
    found = read_headroom(openai("0", reset), NOW)
    assert found is None or 0.0 <= found.reset_s < float("inf")


def test_a_server_without_a_clock() -> None:
    assert server_time({"date": "yesterday"}, NOW) == NOW
    assert server_time({}, NOW) == NOW
