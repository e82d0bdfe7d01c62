"""MCP transports with bounds: HTTP, server-sent events, and the standard streams of a program."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from urllib.parse import urljoin, urlsplit

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client import Transport
from mcp.shared.message import SessionMessage
from mcp_types import ErrorData, JSONRPCError, JSONRPCRequest, jsonrpc_message_adapter

from gate.agents.processes import SupervisedProgram

MESSAGE_BYTES = 16 * 1024 * 1024
"""Of one message of a server."""
UNREACHABLE = -59_900
"""Code of JSON-RPC errors that come from here and not from a server."""
SESSION_ENDED = -59_901
"""Code of such an error where the server no longer knows the session."""
TRIES = 3
"""Of a request that was not accepted: refused connections, and the statuses below."""
NOT_TAKEN = (429, 503)
PAUSE_S = 0.3
"""Seconds before the second try; twice that before the third."""
CONNECT_S = 10.0
WRITE_S = 30.0
EVENTS = "text/event-stream"


class Unreachable(httpx2.TransportError):
    """A server that cannot be reached, or does not respond as an MCP server."""


class SessionUnknown(Unreachable):
    """A server that no longer knows the session."""


class BoundedTransport(httpx2.AsyncBaseTransport):
    """A transport with limits."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, read_s: float) -> None:
        self._inner, self._read_s = inner, read_s

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        # Events come at any time.
        read = None if request.method == "GET" else self._read_s
        request.extensions["timeout"] = {"connect": CONNECT_S, "read": read, "write": WRITE_S, "pool": None}
        try:
            return await self._answer(request)
        except httpx2.TransportError as error:
            reason = str(error) if isinstance(error, Unreachable) else _plain(error, request.url)
            if request.method != "POST":
                raise Unreachable(reason) from None
            return _told(reason, SESSION_ENDED if isinstance(error, SessionUnknown) else UNREACHABLE)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _answer(self, request: httpx2.Request) -> httpx2.Response:
        """An answer that a client can use."""
        response = await self._sent(request)
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        try:
            if response.headers.get("content-encoding", "identity").lower() != "identity":
                raise Unreachable("replied in an encoding that the request does not accept")
            if kind == EVENTS and response.status_code < 400:
                return response
            body = await _body(response)
        except BaseException:
            await response.aclose()
            raise
        lost = response.status_code == 404 and "mcp-session-id" in request.headers
        status = f"HTTP {response.status_code} {response.reason_phrase}"
        if lost:
            raise SessionUnknown(f"no longer knows the session: {status}")
        if response.status_code >= 400 and not _is_error(body):
            raise Unreachable(f"answered with {status}")
        headers = [(key, value) for key, value in response.headers.multi_items() if key != "transfer-encoding"]
        return httpx2.Response(response.status_code, headers=headers, content=body)

    async def _sent(self, request: httpx2.Request) -> httpx2.Response:
        """The first answer that accepts the request, or the last one that does not."""
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


def http_client(headers: Mapping[str, str], read_s: float) -> httpx2.AsyncClient:
    """A client for one server."""
    transport = BoundedTransport(httpx2.AsyncHTTPTransport(), read_s)
    return httpx2.AsyncClient(transport=transport, trust_env=False, headers={"accept-encoding": "identity", **headers})


def unreachable(body: bytes) -> str:
    """Why a message did not arrive, where `BoundedTransport` wrote the answer."""
    try:
        error = json.loads(body)["error"]
        return str(error["message"]) if error["code"] in (UNREACHABLE, SESSION_ENDED) else ""
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
    """Is it a JSON-RPC error, which is more specific than a status?"""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and isinstance(found.get("error"), dict) and found.get("jsonrpc") == "2.0"


def _told(reason: str, code: int) -> httpx2.Response:
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": reason}}
    return httpx2.Response(502, json=error)


def _plain(error: httpx2.TransportError, url: httpx2.URL) -> str:
    match error:
        case httpx2.ConnectError() | httpx2.ConnectTimeout():
            return f"cannot be reached at {url}: {error or type(error).__name__}"
        case httpx2.TimeoutException():
            return "did not answer in time"
    return f"closed the connection: {error or type(error).__name__}"


_Received: TypeAlias = MemoryObjectSendStream[SessionMessage | Exception]
_Sent: TypeAlias = MemoryObjectReceiveStream[SessionMessage]
_Ends: TypeAlias = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]


@asynccontextmanager
async def _streams(
    read: Callable[[_Received], Coroutine[Any, Any, None]],
    write: Callable[[_Sent, _Received], Coroutine[Any, Any, None]],
) -> AsyncIterator[_Ends]:
    """The two ends that the client of the `mcp` package has, with tasks at the others."""
    heard_in, heard = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    said, said_out = anyio.create_memory_object_stream[SessionMessage](0)
    async with heard_in, heard, said, said_out, anyio.create_task_group() as tasks:
        tasks.start_soon(read, heard_in)
        tasks.start_soon(write, said_out, heard_in.clone())
        try:
            yield heard, said
        finally:
            tasks.cancel_scope.cancel()


@dataclass(slots=True)
class EventStream:
    """One connection for server-sent events."""

    url: str
    http: httpx2.AsyncClient
    over: Callable[[str], None]
    _endpoint: str = field(default="", init=False)
    _ready: anyio.Event = field(default_factory=anyio.Event, init=False)

    def transport(self) -> Transport:
        """The transport for the client of the `mcp` package."""
        return _streams(self.read, self.write)

    async def read(self, into: _Received) -> None:
        """Pass each message on, until no more come."""
        async with into:
            with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                try:
                    self.over(await self._read(into))
                except httpx2.TransportError as error:
                    words = str(error) if isinstance(error, Unreachable) else f"closed the connection: {error}"
                    self.over(words)

    async def write(self, out: _Sent, into: _Received) -> None:
        """Post each message, and reply in the server's place to one that does not arrive."""
        async with into, anyio.create_task_group() as tasks:
            await self._ready.wait()
            async for one in out:
                tasks.start_soon(self._post, one, into)

    async def _read(self, into: _Received) -> str:
        headers = {"accept": "text/event-stream", "cache-control": "no-store"}
        async with self.http.stream("GET", self.url, headers=headers) as response:
            if response.status_code != 200:
                return f"answered with HTTP {response.status_code} {response.reason_phrase}"
            async for event in httpx2.EventSource(response, max_event_size=MESSAGE_BYTES):
                if event.event == "endpoint":
                    endpoint = urljoin(self.url, event.data)
                    if urlsplit(endpoint)[:2] != urlsplit(self.url)[:2]:
                        return "redirects messages to another server, which is not allowed"
                    self._endpoint = endpoint
                    self._ready.set()
                elif event.event == "message" and event.data:
                    with suppress(ValueError):
                        message = jsonrpc_message_adapter.validate_json(event.data, by_name=False)
                        await into.send(SessionMessage(message))
        return "closed the connection"

    async def _post(self, one: SessionMessage, into: _Received) -> None:
        said = one.message.model_dump(by_alias=True, mode="json", exclude_unset=True)
        response = await self.http.post(self._endpoint, json=said)
        if response.status_code < 300 or not isinstance(one.message, JSONRPCRequest):
            return
        reason = unreachable(response.content) or f"answered with HTTP {response.status_code}"
        error = ErrorData(code=UNREACHABLE, message=reason)
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            await into.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=one.message.id, error=error)))


STRAY_LINES = 1_000
"""Lines of standard output that are no messages, after which a server counts as broken."""
STRAY_CHARS = 100
"""Of the first such line, for a reason."""
CHUNK = 1 << 16


@dataclass(slots=True)
class ProgramLines:
    """Reads and writes the messages of a program."""

    kept: SupervisedProgram
    over: Callable[[str], None]
    stray: str = field(default="", init=False)
    _strays: int = field(default=0, init=False)

    def transport(self) -> Transport:
        """The transport for the client of the `mcp` package."""
        return _streams(self.read, self.write)

    async def read(self, into: _Received) -> None:
        """Pass each message on, until no more come."""
        async with into:
            with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                self.over(await self._read(into))

    async def write(self, out: _Sent, into: _Received) -> None:
        """Write each message; a program that does not read is found by the caller's time limit."""
        into.close()
        with suppress(ConnectionError):
            async for one in out:
                text = one.message.model_dump_json(by_alias=True, exclude_unset=True)
                self.kept.stdin.write(text.encode() + b"\n")
                await self.kept.stdin.drain()

    async def _read(self, into: _Received) -> str:
        """Read until no more messages come; returns why."""
        parts: list[bytes] = []
        length = 0
        while chunk := await self.kept.stdout.read(CHUNK):
            first, *lines = chunk.split(b"\n")
            parts.append(first)
            length += len(first)
            if length > MESSAGE_BYTES:
                return f"wrote a message of more than {MESSAGE_BYTES // 2**20} MiB"
            for line in lines:
                if message := self._message(b"".join(parts)):
                    await into.send(message)
                parts, length = [line], len(line)
            if self._strays > STRAY_LINES:
                return "prints without end to standard output, which only takes protocol messages"
        return await self.kept.fate()

    def _message(self, line: bytes) -> SessionMessage | None:
        if not line.strip():
            return None
        try:
            return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
        except ValueError:
            self._strays += 1
            self.stray = self.stray or line[:STRAY_CHARS].decode(errors="replace")
            return None
