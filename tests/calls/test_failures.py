"""Error replies, sorted."""

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.calls.interface import Misconfigured, RejectedRequest, Transient
from gate.calls.providers.failures import Failure, Service, classify_error, read_error, retry_after
from gate.calls.untrusted import Cleaner

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC).timestamp()
SERVICE = Service("OpenAI", "OPENAI_API_KEY", "gpt-4o-mini")


def sort(status: int, body: str = "", headers: dict[str, str] | None = None) -> Failure:
    return classify_error(read_error(status, headers or {}, body.encode(), Cleaner(), NOW), SERVICE)


@pytest.mark.parametrize("status", [408, 409, 425, 500, 502, 504])
def test_worth_another_try(status: int) -> None:
    failure = sort(status, headers={"retry-after": "3"})
    assert isinstance(failure, Transient)
    assert (failure.retry_after_s, failure.throttled) == (3.0, False)


@pytest.mark.parametrize("status", [429, 503, 529])
def test_too_much_for_the_service(status: int) -> None:
    failure = sort(status, headers={"retry-after": "3"})
    assert isinstance(failure, Transient)
    assert (failure.retry_after_s, failure.throttled) == (3.0, True)


@pytest.mark.parametrize(
    "body",
    [
        "<html><head><title>502 Bad Gateway</title></head><body>x</body></html>",
        "\n<!DOCTYPE html><p>down",
        '{"error": {"message": "<html><b>proxy</b></html>"}}',
    ],
)
def test_a_web_page_is_named_not_shown(body: str) -> None:
    failure = sort(502, body)
    assert isinstance(failure, Transient)
    assert failure.reason.startswith("OpenAI answered 502: an HTML page")
    assert "<" not in failure.reason


def test_a_date_is_read_by_the_servers_clock() -> None:
    hour = 3600
    theirs = datetime.fromtimestamp(NOW + hour, UTC)
    later = datetime.fromtimestamp(NOW + hour + 20, UTC)
    headers = {"date": format_datetime(theirs, usegmt=True), "retry-after": format_datetime(later, usegmt=True)}
    assert retry_after(headers, NOW) == 20.0


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (429, '{"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}'),
        (429, '{"error": {"message": "You exceeded your quota", "type": "insufficient_quota", "code": null}}'),
        (402, '{"error": {"type": "billing_error", "message": "pay"}}'),
        (400, '{"error": {"type": "invalid_request_error", "message": "Your credit balance is too low to access"}}'),
    ],
)
def test_no_credit_left(status: int, body: str) -> None:
    failure = sort(status, body)
    assert isinstance(failure, Misconfigured)
    assert "billing" in failure.hint


@pytest.mark.parametrize(
    ("status", "hint"),
    [
        (401, "OPENAI_API_KEY"),
        (404, "gpt-4o-mini"),
        (302, "the address"),
    ],
)
def test_set_up_wrongly(status: int, hint: str) -> None:
    failure = sort(status, '{"error": {"message": "no"}}')
    assert isinstance(failure, Misconfigured)
    assert hint in failure.hint


@pytest.mark.parametrize(
    "error",
    [
        '{"code": "unsupported_parameter", "param": "max_tokens", "message": "Use max_completion_tokens"}',
        '{"code": "unsupported_value", "param": "temperature", "message": "Only the default (1) value is supported."}',
        '{"code": "unsupported_value", "param": "messages[0].role", "message": "does not support system"}',
        '{"code": null, "param": "response_format", "message": "Invalid schema"}',
        '{"type": "invalid_request_error", "message": "max_tokens: 900000 > 64000, which is the maximum allowed"}',
        '{"type": "invalid_request_error", "message": "output_config.effort: Input should be \'low\'"}',
        '{"type": "invalid_request_error", "message": "This model does not support the effort parameter."}',
    ],
)
def test_a_parameter_that_is_not_taken_stops_the_run(error: str) -> None:
    failure = sort(400, f'{{"error": {error}}}')
    assert isinstance(failure, Misconfigured)
    assert "parameter" in failure.hint


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, '{"error": {"code": "context_length_exceeded", "param": "messages", "message": "too long"}}'),
        (400, '{"error": {"code": "content_filter", "param": "prompt", "message": "filtered"}}'),
        (400, '{"error": {"message": "prompt is too long: 210000 tokens > 200000 maximum"}}'),
        (400, '{"error": {"message": "input length and `max_tokens` exceed context limit"}}'),
        (413, '{"error": {"type": "request_too_large"}}'),
    ],
)
def test_this_one_request_will_never_work(status: int, body: str) -> None:
    assert isinstance(sort(status, body), RejectedRequest)


@given(st.integers(300, 599), st.binary(max_size=200), st.dictionaries(st.text(), st.text()))
def test_every_error_reply_is_sorted(status: int, body: bytes, headers: dict[str, str]) -> None:
    assert isinstance(classify_error(read_error(status, headers, body, Cleaner(), NOW), SERVICE), Failure)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": format_datetime(datetime.fromtimestamp(NOW + 30, UTC), usegmt=True)}, 30.0),
        ({"retry-after": format_datetime(datetime.fromtimestamp(NOW - 30, UTC), usegmt=True)}, 0.0),
        ({"retry-after": "Sun, 01 Mar 2026 12:00:10 -0000"}, 10.0),
        ({}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after-ms": "x", "retry-after": "4"}, 4.0),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


@given(st.text(), st.text())
def test_a_hostile_retry_after_is_a_wait_or_nothing(milliseconds: str, seconds: str) -> None:
    wait = retry_after({"retry-after-ms": milliseconds, "retry-after": seconds}, NOW)
    assert wait is None or 0.0 <= wait < float("inf")
