"""MCP over the standard input and output of a program: one message a line, each of bounded length."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client import Transport
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from gate.targets.tools.limits import MESSAGE_BYTES
from gate.targets.tools.process import Kept

STRAY_LINES = 1_000
"""Lines of standard output that are no messages, after which a server is taken for broken."""
STRAY_CHARS = 100
"""Of the first such line, for a reason."""
CHUNK = 1 << 16

_Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]


@dataclass(slots=True)
class Lines:
    """Takes the output of a program apart.

    Args:
        kept: the program.
        over: is told why there are no more messages.
    """

    kept: Kept
    over: Callable[[str], None]
    stray: str = field(default="", init=False)
    _strays: int = field(default=0, init=False)

    def transport(self) -> Transport:
        """What the client of the `mcp` package takes."""
        return _streams(self)

    async def read(self, into: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        """Hand each message on, until there are no more."""
        async with into:
            with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                self.over(await self._read(into))

    async def write(self, out: MemoryObjectReceiveStream[SessionMessage]) -> None:
        """Write each message; who does not read them is found out by whoever waits for an answer."""
        with suppress(ConnectionError):
            async for one in out:
                text = one.message.model_dump_json(by_alias=True, exclude_unset=True)
                self.kept.stdin.write(text.encode() + b"\n")
                await self.kept.stdin.drain()

    async def _read(self, into: MemoryObjectSendStream[SessionMessage | Exception]) -> str:
        """Why there are no more messages."""
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
                return "prints without end to its standard output, which is for messages"
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


@asynccontextmanager
async def _streams(lines: Lines) -> AsyncIterator[_Streams]:
    heard_in, heard = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    said, said_out = anyio.create_memory_object_stream[SessionMessage](0)
    async with heard_in, heard, said, said_out, anyio.create_task_group() as tasks:
        tasks.start_soon(lines.read, heard_in)
        tasks.start_soon(lines.write, said_out)
        try:
            yield heard, said
        finally:
            tasks.cancel_scope.cancel()
