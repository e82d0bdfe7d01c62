"""An HTTP server that sends exactly the bytes that a test defines."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tests.support.mcp_servers.odd import answer


@dataclass(frozen=True)
class Asked:
    """One request.

    Args:
        method: of HTTP.
        headers: names in lower case.
        message: what was posted; empty for none.
    """

    method: str
    headers: dict[str, str]
    message: dict[str, Any]

    @property
    def about(self) -> str:
        """The method of the message."""
        return str(self.message.get("method", ""))


Handler = Callable[[Asked, asyncio.StreamWriter], Awaitable[None]]


def response(body: bytes, status: str = "200 OK", kind: str = "application/json", **headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"content-type: {kind}", f"content-length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def fine(asked: Asked, **headers: str) -> bytes:
    """What a server does that does as it should."""
    if asked.method != "POST":
        return response(b"", "405 Method Not Allowed")
    if "id" not in asked.message:
        return response(b"", "202 Accepted")
    said = {
        "jsonrpc": "2.0",
        "id": asked.message["id"],
        **answer("fine", asked.about, asked.message.get("params", {})),
    }
    return response(json.dumps(said).encode(), **headers)


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[str]:
    """A server on loopback: its address."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while asked := await _asked(reader):
                await handler(asked, writer)
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"
    finally:
        server.close()


async def _asked(reader: asyncio.StreamReader) -> Asked | None:
    first = await reader.readline()
    if not first:
        return None
    headers: dict[str, str] = {}
    while (line := await reader.readline()).strip():
        name, _, value = line.decode().partition(":")
        headers[name.lower()] = value.strip()
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(first.split()[0].decode(), headers, json.loads(body) if body else {})
