"""A real MCP server for any transport, with working and failing tools; run it by its path.

    python listings.py                        stdio
    python listings.py streamable-http      prints its port first; so do those that follow
    python listings.py streamable-http-json
    python listings.py sse

Where the environment has `LISTINGS_AUTH`, HTTP requests need it as their `Authorization`. With `LISTINGS_LEGACY` the
server knows no protocol without sessions.
"""

import asyncio
import base64
import os
import socket
import subprocess
import sys
import time
from typing import Any

import uvicorn
from mcp.server.mcpserver import Image, MCPServer
from mcp_types import AudioContent, BlobResourceContents, EmbeddedResource
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.types import ASGIApp, Receive, Scope, Send

server = MCPServer("listings", log_level="CRITICAL")
PNG = b"\x89PNG\r\n\x1a\n and the rest"
calls = 0


@server.tool()
def get_listings(token: str, city: str = "any") -> list[dict[str, str]]:
    """The flats of the landlord whom the token belongs to."""
    return [{"name": "Beach House", "city": city}, {"name": "City Flat", "city": city}]


@server.tool()
def echo(text: str, token: str, session_id: str) -> str:
    """Say all that came."""
    return f"{text} {token} {session_id}"


@server.tool()
def count() -> int:
    """How often this was called, by whomever."""
    global calls
    calls += 1
    return calls


@server.tool()
def forget() -> str:
    """Ends all sessions."""
    server.session_manager._server_instances.clear()
    return "forgotten"


@server.tool()
async def slow(seconds: float) -> str:
    """Takes its time."""
    await asyncio.sleep(seconds)
    return "done"


@server.tool()
def stuck() -> str:
    """Lets nobody else have a turn."""
    time.sleep(3600)
    return "never"


@server.tool()
def broken(secret: str = "") -> str:
    """Raises."""
    raise ValueError(f"no such flat {os.environ.get('PROPERTY_TOKEN', '')}")


@server.tool()
def long(size: int) -> str:
    """As many characters as one likes."""
    return "x" * size


@server.tool()
def ugly() -> str:
    """Characters that a terminal obeys."""
    return "red \x1b[31mred\x1b[0m \x00\x07 fine\r\nnext"


@server.tool(structured_output=False)
def picture() -> list[Any]:
    """A picture, with words."""
    return ["a house", Image(data=b"\x89PNG" * 10, format="png")]


@server.tool(structured_output=False)
def photo() -> list[Any]:
    """A picture that can be seen, the same within a resource, and a sound."""
    data = base64.b64encode(PNG).decode()
    inner = BlobResourceContents(uri="file:///house.png", mime_type="image/png", blob=data)
    sound = AudioContent(type="audio", data="UklGRg==", mime_type="audio/wav")
    return ["a house", Image(data=PNG, format="png"), EmbeddedResource(type="resource", resource=inner), sound]


@server.tool()
def environment() -> dict[str, str]:
    """All variables of this process, and where it is."""
    return {**os.environ, "cwd": os.getcwd()}


@server.tool()
def die(code: int = 3) -> str:
    """Ends the process."""
    print("the database is gone", os.environ.get("PROPERTY_TOKEN", ""), file=sys.stderr, flush=True)
    os._exit(code)


@server.tool()
def spawn(script: str) -> int:
    """Starts a process that is nobody's concern, with a session of its own."""
    child = subprocess.Popen([sys.executable, "-c", script], start_new_session=True)
    return child.pid


def guarded(app: ASGIApp) -> ASGIApp:
    """Only for those who have the key."""
    key = os.environ.get("LISTINGS_AUTH", "")

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        strange = key and dict(scope.get("headers", ())).get(b"authorization") != key.encode()
        if scope["type"] != "http" or not strange:
            return await app(scope, receive, send)
        await send({"type": "http.response.start", "status": 401, "headers": []})
        await send({"type": "http.response.body", "body": b"no"})

    return answer


def with_sessions(app: ASGIApp) -> ASGIApp:
    """As servers were before 2026."""
    said = b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32601, "message": "Method not found"}}'

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        version = dict(scope.get("headers", ())).get(b"mcp-protocol-version", b"").decode()
        if version not in MODERN_PROTOCOL_VERSIONS or "LISTINGS_LEGACY" not in os.environ:
            return await app(scope, receive, send)
        kind = (b"content-type", b"application/json")
        await send({"type": "http.response.start", "status": 400, "headers": [kind]})
        await send({"type": "http.response.body", "body": said})

    return answer


def main() -> None:
    transport = sys.argv[1] if len(sys.argv) > 1 else "stdio"
    if transport == "stdio":
        return server.run("stdio")
    app = server.sse_app() if transport == "sse" else server.streamable_http_app(json_response="json" in transport)
    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    # It closes the streams that clients keep open, whoever asks it to end.
    config = uvicorn.Config(guarded(with_sessions(app)), log_level="critical", timeout_graceful_shutdown=1)
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main()
