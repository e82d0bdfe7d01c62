"""Requests through an official SDK's client, its retries off, on the aiohttp transport that it ships.

Batches always go this way, single requests where `GATE_SDK=1` asks for it. Loaded only then, as it brings the SDK in.
"""

import gc
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import aiohttp
import httpx2

from gate.providers.base import Rejected, Transient
from gate.providers.failures import Service, classify, read_error
from gate.providers.untrusted import Cleaner
from gate.providers.wire import CONNECT_TIMEOUT_S, MAX_REPLY_BYTES, Broken, Endpoint, Raw, compressed, too_large

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from openai import AsyncOpenAI

MAX_RESULTS_BYTES = 4 * 2**30
"""The results of a batch, which are read line by line and never held."""

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
class SdkErrors:
    """The error classes of one SDK: a reply with an error status, and everything below HTTP."""

    status: type[Exception]
    connection: type[Exception]


@dataclass(frozen=True, slots=True)
class Official:
    """A client of an official SDK.

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
        return self.cleaner.line(_words(error), 200) or type(error).__name__


@dataclass(frozen=True, slots=True)
class SdkWire:
    """One path of one SDK's client.

    Args:
        official: the client.
        path: of the call, below the client's base URL.
    """

    official: Official
    path: str

    async def post(self, body: bytes) -> Raw:
        """Send one JSON text; see `Wire`."""
        errors = self.official.errors
        try:
            response = await self.official.client.post(self.path, body=json.loads(body), cast_to=httpx2.Response)
        except errors.status as error:
            refused = getattr(error, "response", None)
            if not isinstance(refused, httpx2.Response):
                raise Broken(_words(error)) from None
            response = refused
        except (errors.connection, *BROKEN) as error:
            raise Broken(_words(error)) from None
        seconds = response.extensions.get(_SECONDS, 0.0)
        return Raw(response.status_code, response.headers, response.content, seconds)

    async def close(self) -> None:
        """Close the connections."""
        await self.official.client.close()


def official_openai(endpoint: Endpoint, cleaner: Cleaner) -> Official:
    """OpenAI's SDK."""
    with _quick_import():
        import openai as sdk
    client = sdk.AsyncOpenAI(
        api_key=endpoint.api_key,
        base_url=endpoint.base_url,
        max_retries=0,
        http_client=sdk.DefaultAioHttpClient(**_client_settings(endpoint.connections)),  # type: ignore[arg-type]
    )
    return Official(client, SdkErrors(sdk.APIStatusError, sdk.APIConnectionError), cleaner)


def official_anthropic(endpoint: Endpoint, cleaner: Cleaner) -> Official:
    """Anthropic's SDK."""
    with _quick_import():
        import anthropic as sdk
    client = sdk.AsyncAnthropic(
        api_key=endpoint.api_key,
        base_url=endpoint.base_url,
        max_retries=0,
        http_client=sdk.DefaultAioHttpClient(**_client_settings(endpoint.connections)),  # type: ignore[arg-type]
    )
    return Official(client, SdkErrors(sdk.APIStatusError, sdk.APIConnectionError), cleaner)


def _client_settings(connections: int, clock: Callable[[], float] = time.perf_counter) -> dict[str, object]:
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
            raise httpx2.ReadError(compressed().reason)
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
        left = MAX_RESULTS_BYTES if _holds_results(self._response) else MAX_REPLY_BYTES
        async for chunk in self._inner:
            left -= len(chunk)
            if left < 0:
                raise httpx2.ReadError(too_large().reason)
            yield chunk
        self._response.extensions[_SECONDS] = self._clock() - self._response.request.extensions[_SENT]

    async def aclose(self) -> None:
        await self._inner.aclose()


def _words(error: BaseException) -> str:
    """The innermost error's own words: the SDK says no more than "Connection error."."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error) or type(error).__name__


@contextmanager
def _quick_import() -> Iterator[None]:
    """Import a large SDK with the garbage collector off: it would look at each of the new types in vain."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
