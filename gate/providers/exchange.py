"""One request through an official SDK's client: timed, bounded, its errors sorted.

Loaded only by the providers that need it, because it brings the HTTP libraries in.
"""

import asyncio
import gc
import hashlib
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import aiohttp
import httpx2

from gate.domain.jsonvalue import JsonValue
from gate.providers.base import Rejected, Transient
from gate.providers.failures import Service, classify, read_error
from gate.providers.headroom import Headroom, headroom
from gate.providers.untrusted import Cleaner, Malformed, json_object

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from openai import AsyncOpenAI

MAX_REPLY_BYTES = 8 * 2**20
"""The longest text that is kept, should every character of it be written as an escape."""
CONNECT_TIMEOUT_S = 15.0

_SENT = "gate.sent"
_SECONDS = "gate.seconds"


_HEADERS = frozenset(
    {
        "host",
        "connection",
        "accept",
        "accept-encoding",
        "authorization",
        "x-api-key",
        "content-type",
        "content-length",
        "transfer-encoding",
        "user-agent",
        "idempotency-key",
    }
)
"""Headers that are sent."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where an interface is reached.

    Args:
        api_key: sent with each request, never shown.
        base_url: of the interface, without the path of a call.
        connections: requests that may be under way at once.
    """

    api_key: str
    base_url: str
    connections: int

    def __repr__(self) -> str:
        return f"Endpoint({self.base_url!r}, connections={self.connections})"


def lane_of(provider: str, endpoint: Endpoint) -> str:
    """What shares a rate limit: interface, address and key, of which a digest is enough to tell two apart."""
    digest = hashlib.sha256(endpoint.api_key.encode()).hexdigest()[:8]
    return f"{provider} {endpoint.base_url} {digest}"


@dataclass(frozen=True, slots=True)
class Received:
    """A successful reply.

    Args:
        data: the JSON object in the body.
        latency_s: seconds from sending the request to the last byte of the reply.
        headroom: what the server said of its rate limit.
    """

    data: dict[str, JsonValue]
    latency_s: float
    headroom: Headroom | None = None


@dataclass(frozen=True, slots=True)
class SdkErrors:
    """The error classes of one SDK: a reply with an error status, and everything below HTTP."""

    status: type[Exception]
    connection: type[Exception]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A client of an official SDK, with its retries off.

    Args:
        client: the SDK's asynchronous client.
        errors: its error classes.
        cleaner: removes secrets from what the server says.
        wall_clock: seconds since the epoch.
    """

    client: "AsyncOpenAI | AsyncAnthropic"
    errors: SdkErrors
    cleaner: Cleaner
    wall_clock: Callable[[], float] = time.time

    async def post(self, path: str, body: dict[str, JsonValue], service: Service, timeout_s: float) -> Received:
        """Send one request, once.

        Args:
            path: below the client's base URL.
            body: the request.
            service: who is asked, for messages.
            timeout_s: seconds for the whole exchange, connecting included.

        Raises:
            Transient, Rejected, Misconfigured: sorted by `classify`.
        """
        try:
            async with asyncio.timeout(timeout_s):
                response = await self.client.post(path, body=body, cast_to=httpx2.Response)
            data = json_object(response.content)
        except TimeoutError:
            raise Transient(f"{service.name} gave no answer within {timeout_s:g} s") from None
        except self.errors.status as error:
            raise self._sorted(error, service) from None
        except (self.errors.connection, httpx2.HTTPError, aiohttp.ClientError) as error:
            raise self._dropped(error, service) from None
        except UnicodeEncodeError:
            raise Rejected("the request holds half a surrogate pair, which is not valid Unicode") from None
        except Malformed as error:
            raise Transient(f"{service.name}: {error}") from None
        return Received(data, response.extensions[_SECONDS], headroom(response.headers, self.wall_clock()))

    def _sorted(self, error: Exception, service: Service) -> Exception:
        response = getattr(error, "response", None)
        if not isinstance(response, httpx2.Response):
            return Transient(f"{service.name} answered with an error: {self._cause(error)}")
        parts = (response.status_code, response.headers, response.content)
        return classify(read_error(*parts, self.cleaner, self.wall_clock()), service)

    def _dropped(self, error: Exception, service: Service) -> Exception:
        if isinstance(_innermost(error), _TooLarge):
            # It would be as large the next time.
            return Rejected(f"{service.name}: {_innermost(error)}")
        return Transient(f"the connection to {service.name} failed: {self._cause(error)}")

    def _cause(self, error: BaseException) -> str:
        """The innermost error's own words: the SDK says no more than "Connection error."."""
        error = _innermost(error)
        return self.cleaner.line(str(error), 200) or type(error).__name__


class _TooLarge(httpx2.ReadError):
    """A reply that is not read to its end."""


def _innermost(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def client_settings(connections: int, clock: Callable[[], float] = time.perf_counter) -> dict[str, object]:
    """Arguments of an SDK's HTTP client: as many connections as requests, timed and bounded replies, no time-out.

    Args:
        connections: requests that may be under way at once.
        clock: seconds, for latency.
    """

    async def sent(request: httpx2.Request) -> None:
        # The SDKs put the environment's custom headers and account names in; none of them is the address's business.
        for name in [name for name in request.headers if not _wanted(name)]:
            del request.headers[name]
        request.extensions[_SENT] = clock()

    async def answered(response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity") != "identity":
            # A small compressed body may be a very large one.
            raise httpx2.ReadError("the reply is compressed, which was not asked for")
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Watched(response, response.stream, clock)

    return {
        "limits": httpx2.Limits(max_connections=connections, max_keepalive_connections=connections),
        "timeout": httpx2.Timeout(None, connect=CONNECT_TIMEOUT_S),
        "headers": {"accept-encoding": "identity"},
        "follow_redirects": False,
        "event_hooks": {"request": [sent], "response": [answered]},
    }


def _wanted(header: str) -> bool:
    return header.lower() in _HEADERS or header.lower().startswith(("x-stainless-", "anthropic-version"))


class _Watched(httpx2.AsyncByteStream):
    """Notes when a body ends, and stops reading one that has no end."""

    def __init__(self, response: httpx2.Response, inner: httpx2.AsyncByteStream, clock: Callable[[], float]) -> None:
        self._response = response
        self._inner = inner
        self._clock = clock

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MAX_REPLY_BYTES
        async for chunk in self._inner:
            left -= len(chunk)
            if left < 0:
                raise _TooLarge(f"the reply is larger than {MAX_REPLY_BYTES:,} bytes")
            yield chunk
        self._response.extensions[_SECONDS] = self._clock() - self._response.request.extensions[_SENT]

    async def aclose(self) -> None:
        await self._inner.aclose()


@contextmanager
def quick_import() -> Iterator[None]:
    """Import a large SDK with the garbage collector off: it would look at each of the new types in vain."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
