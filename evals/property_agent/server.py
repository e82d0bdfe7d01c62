"""The tools of the example as an MCP server with a database: a landlord's places, bookings, occupancy and revenue.

    python evals/property_agent/server.py                                  stdio
    python evals/property_agent/server.py streamable-http [--port 8765]    http://127.0.0.1:8765/mcp
    python evals/property_agent/server.py sse [--port 8765]                http://127.0.0.1:8765/sse

PROPERTY_DB names the database, which `seed.py` fills. Each tool needs the landlord's token and the id of the
conversation. Calls and results are written to the tables `conversations` and `messages`.
"""

import argparse
import functools
import json
import os
import socket
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import places
import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from seed import engine_of
from sqlalchemy import Connection, Engine, text

server = MCPServer("property", log_level="CRITICAL")


@server.tool(structured_output=False)
def get_listings(token: str, session_id: str) -> str:
    """All places of the landlord: name, city, how many guests each sleeps, and whether it can be booked."""
    return answered(token, session_id, places.listings)


@server.tool(structured_output=False)
def get_listing_details(listing: str, token: str, session_id: str) -> str:
    """Address, price of a night in euros, status and nights booked of one place, by its name."""
    return answered(token, session_id, places.details, listing=listing)


@server.tool(structured_output=False)
def get_bookings(token: str, session_id: str, listing: str = "", month: str = "") -> str:
    """Guests with arrival, departure and total in euros; of one place, or of one month (2026-10), where it is given."""
    return answered(token, session_id, places.bookings, listing=listing, month=month)


@server.tool(structured_output=False)
def get_occupancy(month: str, token: str, session_id: str, listing: str = "") -> str:
    """Nights booked in a month (2026-10) and their share of all its nights, of one place or by place."""
    return answered(token, session_id, places.occupancy, month=month, listing=listing)


@server.tool(structured_output=False)
def get_revenue(month: str, token: str, session_id: str, listing: str = "") -> str:
    """Euros of all bookings that arrive in a month (2026-10), of one place or by place and in all."""
    return answered(token, session_id, places.revenue, month=month, listing=listing)


def answered(token: str, session: str, work: Callable[..., Any], **arguments: str) -> str:
    """The result of a query as JSON. The call and its result are saved with the conversation."""
    with database().begin() as connection:
        landlord = places.landlord_of(connection, token)
        if landlord is None:
            raise ToolError("the token is nobody's")
        result, failed = "", ""
        try:
            result = json.dumps(work(connection, landlord, **arguments))
        except (LookupError, ValueError) as error:
            failed = str(error)
        call = json.dumps([work.__name__, arguments])
        keep(connection, landlord, session, {"call": call, "result": failed or result})
    if failed:
        raise ToolError(failed)
    return result


@functools.cache
def database() -> Engine:
    """The database engine, created with the first tool call."""
    return engine_of(os.environ["PROPERTY_DB"])


def keep(connection: Connection, landlord: int, session: str, said: dict[str, str]) -> None:
    """Save a call of a conversation and its result."""
    now = datetime.now(UTC).isoformat()
    began = "INSERT INTO conversations VALUES (:id, :landlord, :now) ON CONFLICT (id) DO NOTHING"
    connection.execute(text(began), {"id": session, "landlord": landlord, "now": now})
    for role, content in said.items():
        row = {"id": uuid.uuid4().hex, "session": session, "now": now, "role": role, "content": content}
        connection.execute(text("INSERT INTO messages VALUES (:id, :session, :now, :role, :content)"), row)


def main() -> None:
    """Serve over standard input and output, or on a local port."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("transport", nargs="?", default="stdio", choices=("stdio", "streamable-http", "sse"))
    parser.add_argument("--port", type=int, default=8765, help="0 for a free one; the port is printed")
    options = parser.parse_args()
    if options.transport == "stdio":
        return server.run("stdio")
    app = server.sse_app() if options.transport == "sse" else server.streamable_http_app()
    with socket.create_server(("127.0.0.1", options.port)) as listening:
        print(listening.getsockname()[1], flush=True)
        config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1)
        uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main()
