"""The client of the `mcp` package, led to a server and asked for its tools; importing this takes a second or two."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
import httpx2
import mcp_types as types
from mcp import Client, MCPError
from mcp.client import Transport
from mcp.client.streamable_http import streamable_http_client

from gate.config.targets import Server
from gate.domain.jsonvalue import JsonValue
from gate.domain.tools import Tool
from gate.inputs.limits import TOOLS
from gate.inputs.problems import quoted
from gate.targets.tools import web
from gate.targets.tools.connection import Lost, Unfit, Unusable
from gate.targets.tools.content import given
from gate.targets.tools.limits import MESSAGE_BYTES, PAGES
from gate.targets.tools.port import Given
from gate.targets.tools.process import Kept, Place
from gate.targets.tools.sse import Events
from gate.targets.tools.stdio import Lines

# It would write what goes through it, tokens too, to whatever log there is, and complaints to standard error.
logging.getLogger("mcp").setLevel(logging.CRITICAL + 1)

_CLOSED = "Connection closed"
_STREAM = "SSE stream"
"""How the package begins what it says of an answer that broke off."""


@dataclass(frozen=True, slots=True)
class McpSession:
    """A server that answers; see `gate.targets.tools.connection.Session`.

    Args:
        client: of the `mcp` package, within its own task.
        tools: of the server.
    """

    client: Client
    tools: tuple[Tool, ...]

    async def call(self, name: str, arguments: dict[str, JsonValue]) -> Given:
        try:
            return given(await self.client.call_tool(name, arguments))
        except MCPError as error:
            if error.code == web.UNREACHABLE:
                raise Unusable(error.message) from None
            if error.code == types.CONNECTION_CLOSED and error.message.startswith(_STREAM):
                raise Unusable("broke off its answer") from None
            if error.code == types.CONNECTION_CLOSED and error.message == _CLOSED:
                raise Lost from None
            return Given(error.message, failed=True)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            raise Lost from None
        # Whatever else there is, is about what this one tool gave.
        except Exception as error:
            return Given(f"what the tool gave cannot be read ({type(error).__name__})", failed=True)


@dataclass(slots=True)
class Program:
    """A server over stdio; see `gate.targets.tools.connection.Way`.

    Args:
        server: which.
        place: where it runs.
        named: variables that it gets.
    """

    server: Server
    place: Place
    named: Mapping[str, str] = field(repr=False)
    _lines: Lines | None = field(default=None, init=False)

    @asynccontextmanager
    async def open(self, over: Callable[[str], None]) -> AsyncIterator[McpSession]:
        try:
            kept = await Kept.start(self.server.command, self.place, self.named)
        except (OSError, ValueError) as error:
            program, reason = self.server.command[0], getattr(error, "strerror", None) or error
            raise Unfit(f"cannot be started: {program}: {reason}") from None
        self._lines = lines = Lines(kept, over)
        try:
            async with _session(lines.transport()) as session:
                yield session
        finally:
            await _to_the_end(kept.end())

    def trouble(self) -> str:
        if self._lines is None:
            return ""
        stray, last = self._lines.stray, self._lines.kept.last_words()
        printed = f"; it printed {quoted(stray)} to its standard output, which is for messages" if stray else ""
        return printed + (f"; its last words: {last}" if last else "")


@dataclass(frozen=True, slots=True)
class Service:
    """A server over HTTP; see `gate.targets.tools.connection.Way`.

    Args:
        server: which.
        headers: of each request.
        read_s: seconds between two parts of an answer.
    """

    server: Server
    headers: Mapping[str, str] = field(repr=False)
    read_s: float

    @asynccontextmanager
    async def open(self, over: Callable[[str], None]) -> AsyncIterator[McpSession]:
        async with web.client(self.headers, self.read_s) as http:
            async with _session(self._transport(http, over)) as session:
                yield session

    def trouble(self) -> str:
        return ""

    def _transport(self, http: httpx2.AsyncClient, over: Callable[[str], None]) -> Transport:
        if self.server.transport == "sse":
            return Events(self.server.url, http, over).transport()
        return streamable_http_client(self.server.url, http_client=http, max_sse_event_size=MESSAGE_BYTES)


async def _to_the_end(ending: Coroutine[None, None, None]) -> None:
    """Wait for something bounded, and hear of a cancellation afterwards."""
    task = asyncio.create_task(ending)
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError
    await task


@asynccontextmanager
async def _session(transport: Transport) -> AsyncIterator[McpSession]:
    try:
        async with Client(transport, cache=None) as client:
            # A schema of the server's own could hold a pattern that takes for ever; what a tool gives is shown anyway.
            setattr(client.session, "validate_tool_result", _unchecked)  # noqa: B010
            yield McpSession(client, await _listed(client))
    except Exception as error:
        raise Unfit(_words(error)) from None


def _words(error: BaseException) -> str:
    """What went wrong; of a group of errors the first one says it."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, Unfit | web.Unreachable) or (isinstance(error, MCPError) and error.code == web.UNREACHABLE):
        return str(error)
    if isinstance(error, ValueError):
        return f"gave an answer that is none of the protocol's{_place(error)}"
    return f"cannot be used: {str(error) or type(error).__name__}"


def _place(error: ValueError) -> str:
    """Where an answer is not what it should be, as pydantic has it; what else it says is long."""
    errors = getattr(error, "errors", None)
    return f" (at {'.'.join(map(str, errors()[0]['loc']))})" if errors else ""


async def _unchecked(name: str, result: types.CallToolResult) -> None:
    return


async def _listed(client: Client) -> tuple[Tool, ...]:
    """All tools of a server.

    Raises:
        Unfit: there are none, too many, or one that cannot be told to a model.
    """
    found: list[types.Tool] = []
    cursor: str | None = None
    for _ in range(PAGES):
        try:
            page = await client.list_tools(cursor=cursor)
        except MCPError as error:
            if error.code == types.METHOD_NOT_FOUND:
                raise Unfit("has no tools") from None
            raise
        found += page.tools
        if len(found) > TOOLS:
            raise Unfit(f"lists more than {TOOLS} tools")
        cursor = page.next_cursor
        if not cursor:
            break
    else:
        raise Unfit("lists its tools without end")
    if not found:
        raise Unfit("lists no tools")
    return tuple(map(_tool, found))


def _tool(tool: types.Tool) -> Tool:
    schema = tool.input_schema
    if schema.get("type") != "object":
        raise Unfit(f"has a tool {quoted(tool.name)} whose schema is not that of an object")
    try:
        text = json.dumps(schema, ensure_ascii=False, allow_nan=False)
        text.encode()
    except ValueError:
        raise Unfit(f"has a tool {quoted(tool.name)} whose schema is no JSON") from None
    return Tool(tool.name, tool.description or tool.title or "", text)
