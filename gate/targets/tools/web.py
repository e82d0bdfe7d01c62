"""HTTP for MCP: bounded answers, and every failure an error of the one message that it is about.

The client of the `mcp` package lets a dropped connection end all conversations that share it, and says of a refused
request only that there was an error; so what comes from the network is looked at before it gets there.
"""

import asyncio
import json
from collections.abc import Mapping

import httpx2

from gate.targets.tools.limits import MESSAGE_BYTES

UNREACHABLE = -59_900
"""Code of the JSON-RPC errors that are written here and not by a server."""
TRIES = 3
"""Of a request that was not taken: refused connections, and the statuses below."""
NOT_TAKEN = (429, 503)
PAUSE_S = 0.3
"""Seconds before the second try, and twice that before the third."""
CONNECT_S = 10.0
WRITE_S = 30.0
EVENTS = "text/event-stream"


class Unreachable(httpx2.TransportError):
    """A server that cannot be reached, or does not answer as one; the message says which."""


class Guarded(httpx2.AsyncBaseTransport):
    """A transport that keeps to bounds.

    Args:
        inner: reaches the network.
        read_s: seconds between two parts of an answer to a message.
    """

    def __init__(self, inner: httpx2.AsyncBaseTransport, read_s: float) -> None:
        self._inner, self._read_s = inner, read_s

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        # Events come whenever there are any.
        read = None if request.method == "GET" else self._read_s
        request.extensions["timeout"] = {"connect": CONNECT_S, "read": read, "write": WRITE_S, "pool": None}
        try:
            return await self._answer(request)
        except httpx2.TransportError as error:
            reason = str(error) if isinstance(error, Unreachable) else _plain(error, request.url)
            if request.method != "POST":
                raise Unreachable(reason) from None
            return _told(reason)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _answer(self, request: httpx2.Request) -> httpx2.Response:
        """An answer that a client can make something of.

        Raises:
            httpx2.TransportError: there is none.
        """
        response = await self._sent(request)
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        try:
            if response.headers.get("content-encoding", "identity").lower() != "identity":
                raise Unreachable("answered in an encoding that was not asked for")
            if kind == EVENTS and response.status_code < 400:
                return response
            body = await _body(response)
        except BaseException:
            await response.aclose()
            raise
        lost = response.status_code == 404 and "mcp-session-id" in request.headers
        if response.status_code >= 400 and (lost or not _is_error(body)):
            words = "does not know the session any more:" if lost else "answered with"
            raise Unreachable(f"{words} HTTP {response.status_code} {response.reason_phrase}")
        headers = [(key, value) for key, value in response.headers.multi_items() if key != "transfer-encoding"]
        return httpx2.Response(response.status_code, headers=headers, content=body)

    async def _sent(self, request: httpx2.Request) -> httpx2.Response:
        """The first answer of a server that took the request, or the last one of a server that did not."""
        for attempt in range(1, TRIES):
            try:
                response = await self._inner.handle_async_request(request)
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                response = None
            if response is not None and response.status_code not in NOT_TAKEN:
                return response
            if response is not None:
                await response.aclose()
            await asyncio.sleep(PAUSE_S * attempt)
        return await self._inner.handle_async_request(request)


def client(headers: Mapping[str, str], read_s: float) -> httpx2.AsyncClient:
    """A client for one server.

    Args:
        headers: of each request.
        read_s: seconds between two parts of an answer to a message.
    """
    transport = Guarded(httpx2.AsyncHTTPTransport(), read_s)
    return httpx2.AsyncClient(transport=transport, trust_env=False, headers={"accept-encoding": "identity", **headers})


def unreachable(body: bytes) -> str:
    """Why a message did not arrive, where `Guarded` wrote the answer."""
    try:
        error = json.loads(body)["error"]
        return str(error["message"]) if error["code"] == UNREACHABLE else ""
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""


async def _body(response: httpx2.Response) -> bytes:
    parts: list[bytes] = []
    length = 0
    async for part in response.aiter_raw():
        parts.append(part)
        length += len(part)
        if length > MESSAGE_BYTES:
            raise Unreachable(f"answered with more than {MESSAGE_BYTES // 2**20} MiB")
    await response.aclose()
    return b"".join(parts)


def _is_error(body: bytes) -> bool:
    """Is it a JSON-RPC error, which says more than a status?"""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and isinstance(found.get("error"), dict) and found.get("jsonrpc") == "2.0"


def _told(reason: str) -> httpx2.Response:
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": UNREACHABLE, "message": reason}}
    return httpx2.Response(502, json=error)


def _plain(error: httpx2.TransportError, url: httpx2.URL) -> str:
    match error:
        case httpx2.ConnectError() | httpx2.ConnectTimeout():
            return f"cannot be reached at {url}: {error or type(error).__name__}"
        case httpx2.TimeoutException():
            return "did not answer in time"
    return f"broke the connection off: {error or type(error).__name__}"
