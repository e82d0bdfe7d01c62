"""The interface of a model provider: one request in, one completion or one classified error out."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Protocol

from gate.config.models import ModelRef, Params
from gate.errors import GateError
from gate.messages import Message, Tool, ToolCall
from gate.record.usage import Usage
from gate.values import JsonValue

_LONGEST = 64
_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)", re.ASCII)
_NAME = re.compile(r"x-ratelimit-remaining-(.+)|anthropic-ratelimit-(.+)-remaining")


@dataclass(frozen=True, slots=True)
class Headroom:
    """What is left of a rate limit, as the server claims it.

    Args:
        used_up: nothing is left of some kind (requests, tokens).
        reset_s: seconds until it comes back; 0 where nothing is used up.
    """

    used_up: bool = False
    reset_s: float = 0.0


def read_headroom(headers: Mapping[str, str], now: float) -> Headroom | None:
    """Read `x-ratelimit-remaining-KIND` with `x-ratelimit-reset-KIND` (OpenAI and many others; a reset is a duration
    such as `6m0s` or `20ms`), and `anthropic-ratelimit-KIND-remaining` with `-reset` (a date of RFC 3339).

    Args:
        headers: every value may be missing or hostile.
        now: seconds since the epoch, where the reply has no `date`.

    Returns:
        None when nothing usable is said. A kind that is used up without a usable reset is left out.
    """
    # One pass: a reply has some thirty headers, and few of them are about this.
    claims = {name.lower(): value for name, value in headers.items() if "ratelimit" in name.lower()}
    left = False
    resets: list[float] = []
    for name, value in claims.items():
        named = _NAME.fullmatch(name)
        if named is None or (remaining := _number(value)) is None:
            continue
        if remaining > 0:
            left = True
            continue
        reset = f"x-ratelimit-reset-{named[1]}" if named[1] else f"anthropic-ratelimit-{named[2]}-reset"
        wait = _wait(claims.get(reset, ""), headers, now)
        if wait is not None:
            resets.append(wait)
    if resets:
        return Headroom(True, max(resets))
    return Headroom() if left else None


def server_time(headers: Mapping[str, str], now: float) -> float:
    """The server's clock, in seconds since the epoch (ours where the reply has no date), with which its dates are
    compared, since ours may be wrong."""
    value = headers.get("date", "")
    try:
        date = parsedate_to_datetime(value[:_LONGEST])
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError):
        return now


def _wait(text: str, headers: Mapping[str, str], now: float) -> float | None:
    text = text.strip()
    if len(text) > _LONGEST:
        return None
    seconds = _number(text)
    if seconds is None:
        seconds = _duration(text)
    if seconds is not None:
        return seconds
    try:
        date = datetime.fromisoformat(text)
        moment = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
    return max(0.0, moment - server_time(headers, now))


def _duration(text: str) -> float | None:
    """Seconds of a duration as Go writes it."""
    parts = _PART.findall(text)
    if not parts or "".join(f"{number}{unit}" for number, unit in parts) != text:
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def _number(text: str) -> float | None:
    try:
        number = float(text[:_LONGEST])
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0.0 else None


@dataclass(frozen=True, slots=True)
class Request:
    """One call of a model.

    Args:
        index: sample index, 0 to k - 1, so that k samples stay different.
        schema: JSON Schema of the reply (structured output), or None for free text.
        about: suite and case, so that equal questions of two cases stay two samples; not sent.
        tools: what the model may call instead of answering.
    """

    messages: tuple[Message, ...]
    model: ModelRef
    params: Params
    index: int = 0
    schema: Mapping[str, JsonValue] | None = None
    about: str = ""
    tools: tuple[Tool, ...] = ()


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer, parsed.

    Args:
        latency_s: seconds of this one request; None where time means nothing.
        stop_reason: the provider's word.
        tool_calls: what the model wants to be called before it goes on.
    """

    text: str
    model_id: str
    usage: Usage
    latency_s: float | None
    stop_reason: str = ""
    headroom: Headroom | None = None
    tool_calls: tuple[ToolCall, ...] = ()


class Transient(Exception):
    """Worth another try: 429, 5xx, a dropped connection, a time-out, a malformed reply.

    Args:
        reason: one line without keys.
        retry_after_s: what the server asked for.
        throttled: too many requests (429), or more than the server can take (503, 529).
        unheard: the request may have been answered, and charged for, though no answer is used.
    """

    def __init__(  # noqa: PLR0913
        self,
        reason: str,
        retry_after_s: float | None = None,
        *,
        throttled: bool = False,
        headroom: Headroom | None = None,
        unheard: bool = False,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after_s = retry_after_s
        self.throttled = throttled
        self.headroom = headroom
        self.unheard = unheard


class Rejected(Exception):
    """This one request will never work (content filter, context too long); others may.

    Args:
        reason: one line without keys.
        unheard: see `Transient`.
    """

    def __init__(self, reason: str, *, unheard: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.unheard = unheard


class Misconfigured(GateError):
    """No request of this arm can work: wrong key, unknown model, a parameter that the interface does not take."""


class Provider(Protocol):
    """One service. Implementations are owned by `gate.app` and closed by it."""

    @property
    def max_in_flight(self) -> int | None:
        """Requests at once that make sense (1 for an embedded model), or None for no limit of its own."""
        ...

    @property
    def lane(self) -> str:
        """What shares a rate limit has the same one: provider, address and key, the key unrecognisable. Empty where
        there is no service that could be overloaded."""
        ...

    @property
    def priced(self) -> bool:
        """False where a price does not exist (local models, recorded answers)."""
        ...

    def check(self, params: Params) -> None:
        """Raise `Misconfigured` for a parameter that this interface does not take, before anything is spent."""
        ...

    async def complete(self, request: Request) -> Completion:
        """Send one request, once.

        Raises:
            Transient: worth another try.
            Rejected: this request will never work.
            Misconfigured: no request will work.
        """
        ...

    async def close(self) -> None:
        """Free connections, threads, models."""
        ...


class Executor(Protocol):
    """Sends requests from other processes, with keys of their own. Journal, limits, budget and retries stay here."""

    async def complete(self, request: Request) -> Completion:
        """Send one request, once; a cancelled one is given up, by the worker too where possible.

        Raises:
            Transient: worth another try; so is a request whose worker died.
            Rejected: this request will never work.
            GateError: no request will work: `Misconfigured`, `MissingKey`, no scheduler.
        """
        ...

    async def close(self) -> None:
        """Close connections; a second call does nothing."""
        ...


class RemoteProvider:
    """A model that is asked by an executor; what can be known without asking is answered here."""

    max_in_flight: int | None = None
    priced = True

    def __init__(self, executor: Executor, check: Callable[[Params], None], lane: str) -> None:
        self._executor = executor
        self._check = check
        self.lane = lane

    def check(self, params: Params) -> None:
        """Raise `Misconfigured` for a parameter that the interface does not take."""
        self._check(params)

    async def complete(self, request: Request) -> Completion:
        """Send one request, once."""
        return await self._executor.complete(request)

    async def close(self) -> None:
        """Does nothing: the executor belongs to the factory."""
