"""MCP over HTTP with server-sent events, as servers up to protocol version 2024-11-05 speak it.

The client of the `mcp` package takes no event of more than 1 MiB, and is silent about a message that does not arrive.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client import Transport
from mcp.shared.message import SessionMessage
from mcp_types import ErrorData, JSONRPCError, JSONRPCRequest, jsonrpc_message_adapter

from gate.targets.tools.limits import MESSAGE_BYTES
from gate.targets.tools.web import UNREACHABLE, Unreachable, unreachable

_Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]


@dataclass(slots=True)
class Events:
    """One connection.

    Args:
        url: where the events come from.
        http: a guarded client.
        over: is told why there are no more messages.
    """

    url: str
    http: httpx2.AsyncClient
    over: Callable[[str], None]
    _endpoint: str = field(default="", init=False)
    _ready: anyio.Event = field(default_factory=anyio.Event, init=False)

    def transport(self) -> Transport:
        """What the client of the `mcp` package takes."""
        return _streams(self)

    async def read(self, into: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        """Hand each message on, until there are no more."""
        async with into:
            with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                try:
                    self.over(await self._read(into))
                except httpx2.TransportError as error:
                    words = str(error) if isinstance(error, Unreachable) else f"broke the connection off: {error}"
                    self.over(words)

    async def write(
        self,
        out: MemoryObjectReceiveStream[SessionMessage],
        into: MemoryObjectSendStream[SessionMessage | Exception],
    ) -> None:
        """Post each message, and answer in the server's place what does not arrive."""
        async with into, anyio.create_task_group() as tasks:
            await self._ready.wait()
            async for one in out:
                tasks.start_soon(self._post, one, into)

    async def _read(self, into: MemoryObjectSendStream[SessionMessage | Exception]) -> str:
        headers = {"accept": "text/event-stream", "cache-control": "no-store"}
        async with self.http.stream("GET", self.url, headers=headers) as response:
            if response.status_code != 200:
                return f"answered with HTTP {response.status_code} {response.reason_phrase}"
            async for event in httpx2.EventSource(response, max_event_size=MESSAGE_BYTES):
                if event.event == "endpoint":
                    endpoint = urljoin(self.url, event.data)
                    if urlsplit(endpoint)[:2] != urlsplit(self.url)[:2]:
                        return "wants its messages sent to another server"
                    self._endpoint = endpoint
                    self._ready.set()
                elif event.event == "message" and event.data:
                    with suppress(ValueError):
                        message = jsonrpc_message_adapter.validate_json(event.data, by_name=False)
                        await into.send(SessionMessage(message))
        return "closed the connection"

    async def _post(self, one: SessionMessage, into: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        said = one.message.model_dump(by_alias=True, mode="json", exclude_unset=True)
        response = await self.http.post(self._endpoint, json=said)
        if response.status_code < 300 or not isinstance(one.message, JSONRPCRequest):
            return
        reason = unreachable(response.content) or f"answered with HTTP {response.status_code}"
        error = ErrorData(code=UNREACHABLE, message=reason)
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            await into.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=one.message.id, error=error)))


@asynccontextmanager
async def _streams(events: Events) -> AsyncIterator[_Streams]:
    heard_in, heard = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    said, said_out = anyio.create_memory_object_stream[SessionMessage](0)
    async with heard_in, heard, said, said_out, anyio.create_task_group() as tasks:
        tasks.start_soon(events.read, heard_in)
        tasks.start_soon(events.write, said_out, heard_in.clone())
        try:
            yield heard, said
        finally:
            tasks.cancel_scope.cancel()
