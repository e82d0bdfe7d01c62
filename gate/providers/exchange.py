"""One request through an official SDK's client: timed, bounded, its errors sorted.

Loaded only by the providers that need it, because it brings the HTTP libraries in.
"""

import asyncio
import gc
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
from gate.providers.untrusted import Cleaner, Malformed, json_object

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from openai import AsyncOpenAI

MAX_REPLY_BYTES = 16 * 2**20
MAX_RESULTS_BYTES = 4 * 2**30
"""The results of a batch, which are read line by line and never held."""
CONNECT_TIMEOUT_S = 15.0

BROKEN = (httpx2.HTTPError, aiohttp.ClientError)
"""Errors of a connection that pass the SDKs by."""

_SENT = "gate.sent"
_SECONDS = "gate.seconds"
_RESULTS = ("/content", "/results")

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


@dataclass(frozen=True, slots=True)
class Received:
    """A successful reply.

    Args:
        data: the JSON object in the body.
        latency_s: seconds from sending the request to the last byte of the reply.
    """

    data: dict[str, JsonValue]
    latency_s: float


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
        except (self.errors.status, self.errors.connection, *BROKEN, UnicodeEncodeError, Malformed) as error:
            raise self.explain(error, service) from None
        return Received(data, response.extensions[_SECONDS])

    def explain(self, error: Exception, service: Service) -> Exception:
        """The classified error that one of the SDK's, of a connection or of a reply stands for."""
        if isinstance(error, self.errors.status):
            return self._sorted(error, service)
        if isinstance(error, (self.errors.connection, *BROKEN)):
            return Transient(f"the connection to {service.name} failed: {self._cause(error)}")
        if isinstance(error, UnicodeEncodeError):
            return Rejected("the request holds half a surrogate pair, which is not valid Unicode")
        return Transient(f"{service.name}: {error}")

    def _sorted(self, error: Exception, service: Service) -> Exception:
        response = getattr(error, "response", None)
        if not isinstance(response, httpx2.Response):
            return Transient(f"{service.name} answered with an error: {self._cause(error)}")
        parts = (response.status_code, response.headers, response.content)
        return classify(read_error(*parts, self.cleaner, self.wall_clock()), service)

    def _cause(self, error: BaseException) -> str:
        """The innermost error's own words: the SDK says no more than "Connection error."."""
        while error.__cause__ is not None:
            error = error.__cause__
        return self.cleaner.line(str(error), 200) or type(error).__name__


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


def _holds_results(response: httpx2.Response) -> bool:
    return response.status_code == 200 and response.request.url.path.endswith(_RESULTS)


class _Watched(httpx2.AsyncByteStream):
    """Notes when a body ends, and stops reading one that has no end."""

    def __init__(self, response: httpx2.Response, inner: httpx2.AsyncByteStream, clock: Callable[[], float]) -> None:
        self._response = response
        self._inner = inner
        self._clock = clock

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = largest = MAX_RESULTS_BYTES if _holds_results(self._response) else MAX_REPLY_BYTES
        async for chunk in self._inner:
            left -= len(chunk)
            if left < 0:
                raise httpx2.ReadError(f"the reply is larger than {largest} bytes")
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
