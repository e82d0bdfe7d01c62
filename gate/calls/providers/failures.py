"""Error replies of services: parsed, and classified by what another attempt could change."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

from gate.calls.interface import Misconfigured, RejectedRequest, Transient
from gate.calls.untrusted import Cleaner, ErrorWords
from gate.values import JsonValue

Failure = Transient | RejectedRequest | Misconfigured

_RETRIED = frozenset({408, 409, 425})
_THROTTLED = frozenset({429, 503, 529})
_QUOTA = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_error"})
_UNSUPPORTED = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter", "extra_forbidden"})
# Settings of an arm: a request that is refused for one of these is refused for every case.
_SETTINGS = frozenset({"temperature", "top_p", "stop", "seed", "reasoning_effort", "response_format"})
# Anthropic names the field at the start of the message instead.
_NAMED = re.compile(
    r"^`?(max_(completion_)?tokens|stop_sequences|output_config|thinking|temperature|top_p|model)\b|does not support"
)


_KEY = re.compile(r"\bAPI[ _-]?key\b", re.IGNORECASE)
_NO_MODEL = re.compile(
    r"\bmodel\b.{0,200}\b(not found|not exist|unknown|no such)|\b(unknown|no such) model\b", re.IGNORECASE
)
_FORM = frozenset("missing value_error.missing extra_forbidden value_error.extra literal_error".split())
"""What FastAPI calls fields of a request that it does not take: it is so for every case."""


@dataclass(frozen=True, slots=True)
class Service:
    """Who answered, for messages; `missing` is what the user can do where the service does not know the model."""

    name: str
    key: str
    model: str
    missing: str = ""


@dataclass(frozen=True, slots=True)
class ErrorReply:
    """An error reply, parsed and clean; `param` is the parameter that it blames, or empty."""

    status: int
    codes: frozenset[str]
    param: str
    message: str
    retry_after_s: float | None


def read_error(status: int, headers: Mapping[str, str], body: bytes, cleaner: Cleaner, now: float) -> ErrorReply:
    """Parse an error reply of any server; every field may be missing or hostile."""
    words = ErrorWords.of(body, cleaner)
    return ErrorReply(status, frozenset(words.codes), words.param, words.sentence(cleaner), retry_after(headers, now))


def error_status(data: Mapping[str, JsonValue]) -> int | None:
    """The status that a reply gives its error, where it holds no answer; None for any other reply."""
    error = data.get("error")
    if not isinstance(error, dict) or data.get("choices") or data.get("content"):
        return None
    given = (error.get("code"), error.get("status"), data.get("status"))
    return next((code for code in given if type(code) is int and 400 <= code < 600), None)


def classify_error(error: ErrorReply, service: Service) -> Failure:
    """The exception for an error reply."""
    said = f"{service.name} answered {error.status}" + (f": {error.message}" if error.message else "")
    if error.status == 402 or error.codes & _QUOTA or "credit balance is too low" in error.message:
        return Misconfigured(said, "the account has no credit left; add some on its billing page")
    if error.status in _THROTTLED:
        return Transient(said, error.retry_after_s, throttled=True)
    if error.status in _RETRIED or error.status >= 500:
        return Transient(said, error.retry_after_s)
    if error.status in (401, 403) or (error.status == 400 and _KEY.search(error.message)):
        if not service.key:
            return Misconfigured(said, "set api_key_env to the variable of its key, under providers: in gate.yaml")
        return Misconfigured(said, f"check {service.key}, and that this key may use the model {service.model}")
    if error.status == 404 or (error.status in (400, 422) and _NO_MODEL.search(error.message)):
        hint = f"check the name of the model ({service.model}) and the address of the server"
        return Misconfigured(said, service.missing or hint)
    if error.status < 400 or error.status == 405:
        return Misconfigured(said, "check the address of the server: there is no model API at it")
    if _blames_a_setting(error):
        return Misconfigured(said, f"change or remove that parameter for {service.model}")
    if error.status == 422 and error.codes & _FORM:
        return Misconfigured(
            said, "the server does not take such requests: check its api under providers: in gate.yaml"
        )
    return RejectedRequest(said)


def _blames_a_setting(error: ErrorReply) -> bool:
    if error.status not in (400, 422):
        return False
    if error.param:
        return bool(error.codes & _UNSUPPORTED) or error.param.split(".")[0] in _SETTINGS
    return _NAMED.search(error.message) is not None


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that a server asks to wait: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date; 0 or more,
    or None if there is no usable value. `now` is in seconds since the epoch."""
    wait = _seconds(headers.get("retry-after-ms"))
    if wait is not None:
        return wait / 1000.0
    value = headers.get("retry-after")
    wait = _seconds(value)
    if wait is not None or value is None:
        return wait
    moment = _moment(value)
    # Compared with the server's clock, because the local one may be wrong.
    here = _moment(headers.get("date", ""))
    return None if moment is None else max(0.0, moment - (now if here is None else here))


def _moment(date: str) -> float | None:
    """Seconds since the epoch of an HTTP date."""
    try:
        parsed = parsedate_to_datetime(date[:64])
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def _seconds(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0.0 else None
