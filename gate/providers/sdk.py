"""Requests through an official SDK's client, its retries off, on the aiohttp transport that it ships.

Loaded only where it is asked for, because it brings the SDK in.
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

from gate.providers.wire import CONNECT_TIMEOUT_S, MAX_REPLY_BYTES, Broken, Endpoint, Raw, compressed, too_large

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from openai import AsyncOpenAI

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
class SdkErrors:
    """The error classes of one SDK: a reply with an error status, and everything below HTTP."""

    status: type[Exception]
    connection: type[Exception]


class SdkWire:
    """One path of one SDK's client.

    Args:
        client: the SDK's asynchronous client.
        errors: its error classes.
        path: of the call, below the client's base URL.
    """

    def __init__(self, client: "AsyncOpenAI | AsyncAnthropic", errors: SdkErrors, path: str) -> None:
        self._client = client
        self._errors = errors
        self._path = path

    async def post(self, body: bytes) -> Raw:
        """Send one JSON text; see `Wire`."""
        try:
            response = await self._client.post(self._path, body=json.loads(body), cast_to=httpx2.Response)
        except self._errors.status as error:
            refused = getattr(error, "response", None)
            if not isinstance(refused, httpx2.Response):
                raise Broken(_words(error)) from None
            response = refused
        except (self._errors.connection, httpx2.HTTPError, aiohttp.ClientError) as error:
            raise Broken(_words(error)) from None
        seconds = response.extensions.get(_SECONDS, 0.0)
        return Raw(response.status_code, response.headers, response.content, seconds)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def openai_wire(endpoint: Endpoint) -> SdkWire:
    """Chat completions by OpenAI's SDK."""
    with _quick_import():
        import openai as sdk
    client = sdk.AsyncOpenAI(
        api_key=endpoint.api_key,
        base_url=endpoint.base_url,
        max_retries=0,
        http_client=sdk.DefaultAioHttpClient(**_client_settings(endpoint.connections)),  # type: ignore[arg-type]
    )
    return SdkWire(client, SdkErrors(sdk.APIStatusError, sdk.APIConnectionError), "/chat/completions")


def anthropic_wire(endpoint: Endpoint) -> SdkWire:
    """Messages by Anthropic's SDK."""
    with _quick_import():
        import anthropic as sdk
    client = sdk.AsyncAnthropic(
        api_key=endpoint.api_key,
        base_url=endpoint.base_url,
        max_retries=0,
        http_client=sdk.DefaultAioHttpClient(**_client_settings(endpoint.connections)),  # type: ignore[arg-type]
    )
    return SdkWire(client, SdkErrors(sdk.APIStatusError, sdk.APIConnectionError), "/v1/messages")


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
