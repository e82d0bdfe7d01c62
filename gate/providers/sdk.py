"""Requests through an official SDK's client, its retries off, on the aiohttp transport that it ships.

Batches always go this way, single requests where `GATE_SDK=1` asks for it. Loaded only then, as it brings the SDK in.
"""

import gc
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import aiohttp
import httpx2

from gate.providers.wire import (
    CONNECT_TIMEOUT_S,
    MAX_REPLY_BYTES,
    Broken,
    Endpoint,
    Raw,
    TooLarge,
    compressed,
    too_large,
)

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from openai import AsyncOpenAI

T = TypeVar("T")

MAX_RESULTS_BYTES = 4 * 2**30
"""The results of a batch, which are read line by line and never held."""

_RESULTS = ("/content", "/results")
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
class Client:
    """An official SDK's client.

    Args:
        sdk: the asynchronous client.
        refused: what it raises for a reply with an error status.
        unreachable: what it raises for everything below HTTP.
    """

    sdk: "AsyncOpenAI | AsyncAnthropic"
    refused: type[Exception]
    unreachable: type[Exception]

    async def reply(self, call: Awaitable[httpx2.Response]) -> httpx2.Response:
        """The reply to a call of the client, whatever its status.

        Raises:
            Broken: there is no reply.
        """
        try:
            return await unbroken(call)
        except self.refused as error:
            response = getattr(error, "response", None)
            if not isinstance(response, httpx2.Response):
                raise _broken(error) from None
            return response
        except self.unreachable as error:
            raise _broken(error) from None

    async def close(self) -> None:
        """Close the connections."""
        await self.sdk.close()


class SdkWire:
    """One path of one SDK's client.

    Args:
        client: owned by this.
        path: of the call, below the client's base URL.
    """

    def __init__(self, client: Client, path: str) -> None:
        self._client = client
        self._path = path

    async def post(self, body: bytes) -> Raw:
        """Send one JSON text; see `Wire`."""
        call = self._client.sdk.post(self._path, body=json.loads(body), cast_to=httpx2.Response)
        response = await self._client.reply(call)
        seconds = response.extensions.get(_SECONDS, 0.0)
        return Raw(response.status_code, response.headers, response.content, seconds)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def openai_wire(endpoint: Endpoint) -> SdkWire:
    """Chat completions by OpenAI's SDK."""
    return SdkWire(openai_client(endpoint), "/chat/completions")


def anthropic_wire(endpoint: Endpoint) -> SdkWire:
    """Messages by Anthropic's SDK."""
    return SdkWire(anthropic_client(endpoint), "/v1/messages")


def openai_client(endpoint: Endpoint) -> Client:
    """A client of OpenAI's SDK."""
    with _quick_import():
        import openai as sdk
    client = sdk.AsyncOpenAI(
        api_key=endpoint.api_key,
        base_url=endpoint.base_url,
        max_retries=0,
        http_client=sdk.DefaultAioHttpClient(**_client_settings(endpoint.connections)),
    )
    return Client(client, sdk.APIStatusError, sdk.APIConnectionError)


def anthropic_client(endpoint: Endpoint) -> Client:
    """A client of Anthropic's SDK."""
    with _quick_import():
        import anthropic as sdk
    client = sdk.AsyncAnthropic(
        api_key=endpoint.api_key,
        base_url=endpoint.base_url,
        max_retries=0,
        http_client=sdk.DefaultAioHttpClient(**_client_settings(endpoint.connections)),
    )
    return Client(client, sdk.APIStatusError, sdk.APIConnectionError)


async def unbroken(reading: Awaitable[T]) -> T:
    """What was to be read.

    Raises:
        Broken: the connection ended; the SDKs let such errors of the libraries below pass.
    """
    try:
        return await reading
    except (httpx2.HTTPError, aiohttp.ClientError) as error:
        raise _broken(error) from None


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
            kind = _Begun if response.is_success else httpx2.ReadError
            raise kind(compressed(answered=response.is_success).reason)
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


class _Begun(httpx2.ReadError):
    """A reply to a request that was accepted, which ended too early or cannot be read."""


class _Endless(httpx2.ReadError):
    """A reply that is not read to its end."""


class _Watched(httpx2.AsyncByteStream):
    """Notes when a body ends, and stops reading one that has no end."""

    def __init__(self, response: httpx2.Response, inner: httpx2.AsyncByteStream, clock: Callable[[], float]) -> None:
        self._response = response
        self._inner = inner
        self._clock = clock

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = largest = MAX_RESULTS_BYTES if _holds_results(self._response) else MAX_REPLY_BYTES
        try:
            async for chunk in self._inner:
                left -= len(chunk)
                if left < 0:
                    raise _Endless(too_large(largest).reason)
                yield chunk
        except httpx2.TransportError as error:
            if isinstance(error, _Endless) or not self._response.is_success:
                raise
            raise _Begun(str(error) or type(error).__name__) from None
        self._response.extensions[_SECONDS] = self._clock() - self._response.request.extensions[_SENT]

    async def aclose(self) -> None:
        await self._inner.aclose()


def _holds_results(response: httpx2.Response) -> bool:
    return response.status_code == 200 and response.request.url.path.endswith(_RESULTS)


def _broken(error: BaseException) -> Broken:
    """The innermost error's own words: the SDK says no more than "Connection error."."""
    while error.__cause__ is not None:
        error = error.__cause__
    kind = TooLarge if isinstance(error, _Endless) else Broken
    return kind(str(error) or type(error).__name__, answered=isinstance(error, (_Begun, _Endless)))


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
