"""One request to a service: bounded in time, its reply parsed, its errors classified."""

import asyncio
import math
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

import httpx2

from gate.calls.interface import Completion, Misconfigured, Rejected, Transient
from gate.calls.providers.clients import Client, ConnectionBroken
from gate.calls.untrusted import Cleaner, Malformed, TooLong, is_html, json_object
from gate.values import JsonValue

Failure = Transient | Rejected | Misconfigured

_RETRIED = frozenset({408, 409, 425})
_THROTTLED = frozenset({429, 503, 529})
_QUOTA = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_error"})
_UNSUPPORTED = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter"})
# Settings of an arm: a request that is refused for one of these is refused for every case.
_SETTINGS = frozenset({"temperature", "top_p", "stop", "seed", "reasoning_effort", "response_format"})
# Anthropic names the field at the start of the message instead.
_NAMED = re.compile(r"^`?(max_tokens|stop_sequences|output_config|thinking|temperature|top_p|model)\b|does not support")


@dataclass(frozen=True, slots=True)
class Service:
    """Who answered, for messages.

    Args:
        key: the environment variable that holds its key, for messages.
        missing: what the user can do where the service does not know the model.
    """

    name: str
    key: str
    model: str
    missing: str = ""


@dataclass(frozen=True, slots=True)
class ErrorReply:
    """An error reply, parsed and clean.

    Args:
        codes: all words of the reply that name the error.
        param: the parameter that it blames, or empty.
        message: one line, or empty.
    """

    status: int
    codes: frozenset[str]
    param: str
    message: str
    retry_after_s: float | None


def read_error(status: int, headers: Mapping[str, str], body: bytes, cleaner: Cleaner, now: float) -> ErrorReply:
    """Parse an error reply of any server; every field may be missing or hostile.

    Args:
        headers: looked up in any case.
        body: at most a few megabytes.
        now: seconds since the epoch, for dates in `Retry-After` where the reply does not say what time it is.
    """
    try:
        data: Mapping[str, JsonValue] = json_object(body)
    except Malformed:
        data = {"message": "an HTML page instead of JSON"} if is_html(body) else {}
    inner = data.get("error", data)
    error = inner if isinstance(inner, dict) else {"message": inner}
    said = error.get("message") or error.get("detail") or error.get("error")
    if isinstance(said, str) and is_html(said.encode("utf-8", "replace")):
        said = "an HTML page as its message"
    codes = frozenset(word for word in (cleaner.line(error.get(key), 80) for key in ("code", "type")) if word)
    return ErrorReply(
        status,
        codes,
        cleaner.line(error.get("param"), 80),
        cleaner.line(said),
        retry_after(headers, now),
    )


def classify_error(error: ErrorReply, service: Service) -> Failure:
    """The exception that an error reply stands for."""
    said = f"{service.name} answered {error.status}" + (f": {error.message}" if error.message else "")
    if error.status == 402 or error.codes & _QUOTA or "credit balance is too low" in error.message:
        return Misconfigured(said, "the account has no credit left: look at its billing page")
    if error.status in _THROTTLED:
        return Transient(said, error.retry_after_s, throttled=True)
    if error.status in _RETRIED or error.status >= 500:
        return Transient(said, error.retry_after_s)
    if error.status in (401, 403):
        if not service.key:
            return Misconfigured(said, "name the variable of its key as api_key_env, under providers: in gate.yaml")
        return Misconfigured(said, f"check {service.key}, and that it may use the model {service.model}")
    if error.status == 404:
        hint = f"check the name of the model ({service.model}), and the address of the server"
        return Misconfigured(said, service.missing or hint)
    if error.status < 400 or error.status == 405:
        return Misconfigured(said, "check the address of the server: no model interface answers there")
    if _blames_a_setting(error):
        return Misconfigured(said, f"change or remove that parameter for {service.model}")
    return Rejected(said)


def connection_error(broken: ConnectionBroken, service: Service, cleaner: Cleaner) -> Transient:
    """The exception that a missing reply stands for."""
    why = f"the connection to {service.name} failed: {cleaner.line(broken.reason, 200)}"
    return Transient(why, unheard=broken.answered)


def _blames_a_setting(error: ErrorReply) -> bool:
    if error.status not in (400, 422):
        return False
    if error.param:
        return bool(error.codes & _UNSUPPORTED) or error.param.split(".")[0] in _SETTINGS
    return _NAMED.search(error.message) is not None


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that a server asks to wait: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date; 0 or more,
    or None when nothing usable is said. `now` is in seconds since the epoch."""
    wait = _seconds(headers.get("retry-after-ms"))
    if wait is not None:
        return wait / 1000.0
    value = headers.get("retry-after")
    wait = _seconds(value)
    if wait is not None or value is None:
        return wait
    moment = _moment(value)
    # Compared with the server's own clock, since ours may be wrong.
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


ReplyReader = Callable[[dict[str, JsonValue], float | None, Cleaner, str], Completion]
"""From a reply's JSON object, its seconds, the cleaner and the asked model; raises `Malformed` or `TooLong`."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """Requests to one path of one interface, below the client's base URL."""

    client: Client
    path: str
    service: Service
    cleaner: Cleaner
    reader: ReplyReader
    clock: Callable[[], float] = time.perf_counter
    wall_clock: Callable[[], float] = time.time

    async def post(self, body: dict[str, JsonValue], timeout_s: float) -> Completion:
        """Send one request, once. Raises `Transient`, `Rejected`, `Misconfigured`.

        Args:
            timeout_s: seconds for the whole exchange, connecting included.
        """
        call = self.client.sdk.post(self.path, body=body, cast_to=httpx2.Response)
        started = self.clock()
        try:
            async with asyncio.timeout(timeout_s):
                response = await self.client.reply(call)
        except TimeoutError:
            raise Transient(f"{self.service.name} gave no answer within {timeout_s:g} s", unheard=True) from None
        except ConnectionBroken as broken:
            raise connection_error(broken, self.service, self.cleaner) from None
        except UnicodeEncodeError:
            raise Rejected("the request holds half a surrogate pair, which is not valid Unicode") from None
        return self._read(response, self.clock() - started)

    def _read(self, response: httpx2.Response, latency_s: float) -> Completion:
        if not response.is_success:
            parts = (response.status_code, response.headers, response.content)
            raise classify_error(read_error(*parts, self.cleaner, self.wall_clock()), self.service)
        try:
            return self.reader(json_object(response.content), latency_s, self.cleaner, self.service.model)
        except Malformed as error:
            raise Transient(f"{self.service.name}: {error}", unheard=True) from None
        except TooLong as error:
            raise Rejected(f"{self.service.name}: {error}", unheard=True) from None
