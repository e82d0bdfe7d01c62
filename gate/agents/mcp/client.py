"""The client of the `mcp` package: sessions, listed tools, and results as text; importing it takes a second or two."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import httpx2
import mcp_types as types
from mcp import Client, MCPError
from mcp.client import Transport
from mcp.client.streamable_http import streamable_http_client

from gate.agents.conversation_tools import ToolOutput
from gate.agents.interface import ConnectionLost, ServerUnfit, SessionLost, ToolCallFailed
from gate.agents.masks import cleaned
from gate.agents.mcp import transports
from gate.agents.mcp.transports import MESSAGE_BYTES, EventStream, ProgramLines
from gate.agents.processes import ProgramPlace, SupervisedProgram
from gate.config.documents import quoted
from gate.config.targets import Server
from gate.limits import IMAGES, TOOLS
from gate.messages import Image, Tool
from gate.prompts.images import image_of
from gate.values import JsonValue

NOTHING = "(nothing)"
KIND_CHARS = 60
PAGES = 50
"""Of a list of tools."""


def tool_output(result: types.CallToolResult) -> ToolOutput:
    """All texts and images, with a note for other content; structured content if no text contains it."""
    parts = [_said(part) for part in result.content]
    images: list[Image] = []
    unseen: dict[str, None] = {}
    for kind, data in filter(None, map(_binary, result.content)):
        try:
            image = image_of(data)
        except ValueError:
            unseen[kind] = None
            continue
        if len(images) < IMAGES:
            images.append(image)
        else:
            unseen[f"more than {IMAGES} images"] = None
    if result.structured_content is not None and not _told(result):
        parts.append(json.dumps(result.structured_content, ensure_ascii=False))
    return ToolOutput("\n".join(parts) or NOTHING, result.is_error, tuple(images), tuple(unseen))


def _binary(part: types.ContentBlock) -> tuple[str, str] | None:
    """What content that is no text is, and its base64 text."""
    match part:
        case types.ImageContent() | types.AudioContent():
            return cleaned(part.mime_type)[:KIND_CHARS] or part.type, part.data
        case types.EmbeddedResource(resource=types.BlobResourceContents() as inner):
            return cleaned(inner.mime_type or "")[:KIND_CHARS] or "a file", inner.blob
    return None


def _said(part: types.ContentBlock) -> str:
    match part:
        case types.TextContent():
            return part.text
        case types.ImageContent() | types.AudioContent():
            return f"[{part.type} {part.mime_type}, {_size(part.data)}]"
        case types.ResourceLink():
            return f"[resource {part.uri}]"
    inner = part.resource
    if isinstance(inner, types.TextResourceContents):
        return f"[resource {inner.uri}]\n{inner.text}"
    return f"[resource {inner.uri}, {_size(inner.blob)}]"


def _size(data: str) -> str:
    """Bytes of base64 content."""
    return f"{len(data) * 3 // 4:,} bytes"


def _told(result: types.CallToolResult) -> bool:
    """Do the texts say the same as the structured content? Servers send both for older clients."""
    texts = [part.text for part in result.content if isinstance(part, types.TextContent)]
    values = [_value(text) for text in texts]
    structured = result.structured_content
    # Where a tool returns no object, the `mcp` package wraps it, and a list becomes a text for each item.
    inner = structured["result"] if isinstance(structured, dict) and structured.keys() == {"result"} else structured
    said: list[Any] = [values, texts, *values, *texts, "\n".join(texts)]
    return structured in said or inner in said


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


# It would log its traffic, tokens too, to any log there is, and complaints to standard error.
logging.getLogger("mcp").setLevel(logging.CRITICAL + 1)

_CLOSED = "Connection closed"
_STREAM = "SSE stream"
"""The beginning of the package's message about an interrupted answer."""


@dataclass(frozen=True, slots=True)
class McpSession:
    """A server that answers; its client is used within one task."""

    client: Client
    tools: tuple[Tool, ...]
    unusable: tuple[tuple[str, str], ...]

    async def call(self, name: str, arguments: dict[str, JsonValue]) -> ToolOutput:
        """Call a tool.

        Raises:
            SessionLost: the server no longer knows the session, and has called nothing.
            ToolCallFailed: the server refused it.
            ConnectionLost: the connection is lost.
        """
        try:
            return tool_output(await self.client.call_tool(name, arguments))
        except MCPError as error:
            if error.code == transports.SESSION_ENDED:
                raise SessionLost(error.message) from None
            if error.code == transports.UNREACHABLE:
                raise ToolCallFailed(error.message) from None
            if error.code == types.CONNECTION_CLOSED and error.message.startswith(_STREAM):
                raise ToolCallFailed("closed the connection before its reply was complete") from None
            if error.code == types.CONNECTION_CLOSED and error.message == _CLOSED:
                raise ConnectionLost from None
            return ToolOutput(error.message, failed=True)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            raise ConnectionLost from None
        # Any other error concerns the result of this one tool.
        except Exception as error:
            return ToolOutput(f"the result of the tool cannot be read ({type(error).__name__})", failed=True)


@dataclass(slots=True)
class Program:
    """A server over stdio."""

    server: Server
    place: ProgramPlace
    named: Mapping[str, str] = field(repr=False)
    _lines: ProgramLines | None = field(default=None, init=False)

    @asynccontextmanager
    async def open(self, over: Callable[[str], None]) -> AsyncIterator[McpSession]:
        """Connect, and disconnect afterwards.

        Args:
            over: called with the reason why the server ended, as the rest of a sentence after its name.

        Raises:
            ServerUnfit: it cannot be used, or no longer.
        """
        try:
            kept = await SupervisedProgram.start(self.server.command, self.place, self.named)
        except (OSError, ValueError) as error:
            program, reason = self.server.command[0], getattr(error, "strerror", None) or error
            raise ServerUnfit(f"cannot be started: {program}: {reason}") from None
        self._lines = lines = ProgramLines(kept, over)
        try:
            async with _session(lines.transport()) as session:
                yield session
        finally:
            await _to_the_end(kept.end())

    def trouble(self) -> str:
        """More about a server that failed, starting with `; `; empty where there is nothing."""
        if self._lines is None:
            return ""
        stray, last = self._lines.stray, self._lines.kept.last_words()
        printed = (
            f"; it printed {quoted(stray)} to standard output, which only takes protocol messages" if stray else ""
        )
        return printed + (f"; its last output: {last}" if last else "")


@dataclass(frozen=True, slots=True)
class Service:
    """A server over HTTP, to be used as a `Program`."""

    server: Server
    headers: Mapping[str, str] = field(repr=False)
    read_s: float

    @asynccontextmanager
    async def open(self, over: Callable[[str], None]) -> AsyncIterator[McpSession]:
        async with transports.http_client(self.headers, self.read_s) as http:
            async with _session(self._transport(http, over)) as session:
                yield session

    def trouble(self) -> str:
        return ""

    def _transport(self, http: httpx2.AsyncClient, over: Callable[[str], None]) -> Transport:
        if self.server.transport == "sse":
            return EventStream(self.server.url, http, over).transport()
        return streamable_http_client(self.server.url, http_client=http, max_sse_event_size=MESSAGE_BYTES)


async def _to_the_end(ending: Coroutine[None, None, None]) -> None:
    """Wait for something of limited duration, and raise a cancellation afterwards."""
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
            # A server's own schema could contain a pattern that never ends; a tool's result is shown anyway.
            setattr(client.session, "validate_tool_result", _unchecked)  # noqa: B010
            listed = await _listed(client)
            usable = tuple(tool for tool in listed if isinstance(tool, Tool))
            yield McpSession(client, usable, tuple(tool for tool in listed if not isinstance(tool, Tool)))
    except Exception as error:
        raise ServerUnfit(_words(error)) from None


def _words(error: BaseException) -> str:
    """The message of an error; of a group, that of the first error."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, ServerUnfit | transports.Unreachable) or (
        isinstance(error, MCPError) and error.code in (transports.UNREACHABLE, transports.SESSION_ENDED)
    ):
        return str(error)
    if isinstance(error, ValueError):
        return f"sent a reply that is not a valid protocol message{_place(error)}"
    return f"cannot be used: {str(error) or type(error).__name__}"


def _place(error: ValueError) -> str:
    """The place of an invalid field, as pydantic names it; the rest of its message is long."""
    errors = getattr(error, "errors", None)
    return f" (at {'.'.join(map(str, errors()[0]['loc']))})" if errors else ""


async def _unchecked(name: str, result: types.CallToolResult) -> None:
    return


async def _listed(client: Client) -> list[Tool | tuple[str, str]]:
    """All tools of a server; of one that no model can use, the name and the reason.

    Raises:
        ServerUnfit: there are none, or too many.
    """
    found: list[Tool | tuple[str, str]] = []
    cursor: str | None = None
    for _ in range(PAGES):
        try:
            page, cursor = await _page(client, cursor)
        except MCPError as error:
            if error.code == types.METHOD_NOT_FOUND:
                raise ServerUnfit("has no tools") from None
            raise
        found += map(_tool, page)
        if len(found) > TOOLS:
            raise ServerUnfit(f"lists more than {TOOLS} tools")
        if not cursor:
            break
    else:
        raise ServerUnfit("sends an endless list of tools")
    if not found:
        raise ServerUnfit("lists no tools")
    return found


async def _page(client: Client, cursor: str | None) -> tuple[list[Any], str | None]:
    """The tools of one page, and the cursor of the next; the package refuses a page with one tool that is invalid."""
    try:
        page = await client.list_tools(cursor=cursor)
        return list(page.tools), page.next_cursor
    except ValueError as error:
        session, method = client.session, "tools/list"
        asked: dict[str, Any] = {"method": method, "params": {} if cursor is None else {"cursor": cursor}}
        options: Any = {}
        session._stamp(asked, options)
        raw = await session._dispatcher.send_raw_request(method, asked["params"], options)
        tools, later = raw.get("tools"), raw.get("nextCursor")
        if not isinstance(tools, list) or not isinstance(later, str | None):
            raise error from None
        return tools, later


def _tool(listed: Any) -> Tool | tuple[str, str]:
    """A tool, or its name and why no model can use it."""
    name = listed.get("name") if isinstance(listed, dict) else getattr(listed, "name", None)
    name = name if isinstance(name, str) else ""
    try:
        tool = types.Tool.model_validate(listed, by_name=False)
    except ValueError as error:
        return name, f"is not valid{_place(error)}"
    schema = tool.input_schema
    if schema.get("type") != "object":
        return name, "has a schema that does not describe an object"
    try:
        text = json.dumps(schema, ensure_ascii=False, allow_nan=False)
        text.encode()
    except ValueError:
        return name, "has a schema that is not valid JSON"
    return Tool(name, tool.description or tool.title or "", text)
