"""Servers over HTTP that do not do as they should: each is told by what it did, within a bound."""

import asyncio
import gzip
from asyncio import StreamWriter
from collections.abc import Callable
from pathlib import Path

import pytest

from gate.config.targets import Server
from tests.e2e.agent_tools.kits import called, failure, kit, opened, reached, reason, service
from tests.support.mcp_servers.web import Asked, Handler, fine, response, serving

AUTH = "Bearer k3y-0f-the-house"
Answer = Callable[[Asked], bytes]


def always(answer: Answer) -> Handler:
    async def handle(asked: Asked, writer: StreamWriter) -> None:
        writer.write(answer(asked))

    return handle


def http(url: str, transport: str = "streamable-http") -> dict[str, Server]:
    return {"shop": Server(url=url, transport=transport)}


async def why(handler: Handler, scratch: Path, transport: str = "streamable-http", start_s: float = 20.0) -> str:
    async with serving(handler) as url, kit(scratch, http(url, transport), start_s=start_s) as made:
        return await reason(made)


@pytest.mark.threat("agent-endless")
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda _: response(b"<html>", kind="text/html"), "cannot be used: Unexpected content type: text/html"),
        (lambda _: response(b"oops", "500 Internal Server Error"), "answered with HTTP 500 Internal Server Error"),
        (
            lambda _: response(gzip.compress(b"{}"), content_encoding="gzip"),
            "replied in an encoding that the request does not accept",
        ),
        (lambda _: b"SSH-2.0-OpenSSH_9.6\r\n\r\n", "closed the connection: "),
    ],
)
def test_what_is_wrong_with_a_service_is_said(answer: Answer, said: str, tmp_path: Path) -> None:
    assert asyncio.run(why(always(answer), tmp_path)).startswith(f"the MCP server shop {said}")


def test_a_service_that_never_answers_is_waited_for_a_bounded_time(tmp_path: Path) -> None:
    async def silent(asked: Asked, writer: StreamWriter) -> None:
        await asyncio.sleep(600)

    for transport in ("streamable-http", "sse"):
        said = asyncio.run(why(silent, tmp_path, transport, start_s=0.2))
        assert said == "the MCP server shop did not answer within 0.2 s"


def test_a_service_that_is_not_there_is_reported(tmp_path: Path) -> None:
    async def told() -> str:
        async with kit(tmp_path, http("http://127.0.0.1:9/mcp")) as made:
            return await reason(made)

    assert asyncio.run(told()).startswith("the MCP server shop cannot be reached at http://127.0.0.1:9/mcp: ")


def test_one_failed_request_costs_one_conversation(tmp_path: Path) -> None:
    lost = 0

    def answer(asked: Asked) -> bytes:
        nonlocal lost
        if asked.about == "tools/call" and lost:
            lost -= 1
            return response(b"oops", "500 Internal Server Error")
        return fine(asked)

    async def told() -> list[str]:
        nonlocal lost
        found: list[str] = []
        async with serving(always(answer)) as url, kit(tmp_path, http(url)) as made:
            bystander = await opened(made)
            # More often than a program would be started again.
            for _ in range(3):
                box = await opened(made)
                lost = 1
                found.append(await failure(box, do="x"))
                found.append((await called(bystander, do="y")).result)
            return found

    said = "the MCP server shop answered with HTTP 500 Internal Server Error"
    assert asyncio.run(told()) == [said, '["y", null]'] * 3


def test_a_service_that_is_busy_is_asked_again(tmp_path: Path) -> None:
    busy = 2

    def answer(asked: Asked) -> bytes:
        nonlocal busy
        if asked.about == "tools/call" and busy:
            busy -= 1
            return response(b"", "503 Service Unavailable")
        return fine(asked)

    async def told() -> str:
        async with serving(always(answer)) as url, kit(tmp_path, http(url)) as made:
            return (await called(await opened(made), do="x")).result

    assert asyncio.run(told()) == '["x", null]'


def test_an_answer_that_breaks_off_ends_its_conversation(tmp_path: Path) -> None:
    async def handle(asked: Asked, writer: StreamWriter) -> None:
        if asked.about != "tools/call":
            return writer.write(fine(asked))
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n: wait\n\n")
        writer.close()

    async def told() -> str:
        async with serving(handle) as url, kit(tmp_path, http(url)) as made:
            return await failure(await opened(made), do="x")

    assert asyncio.run(told()) == "the MCP server shop closed the connection before its reply was complete"


EVENTS = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


def test_what_is_wrong_with_a_stream_of_events_is_said(tmp_path: Path) -> None:
    events = b"event: endpoint\ndata: http://127.0.0.1:9/take\n\n"
    said = "redirects messages to another server, which is not allowed"

    async def handle(asked: Asked, writer: StreamWriter) -> None:
        if asked.method == "GET":
            writer.write(EVENTS + events)
            if b"/mcp" not in events:
                await writer.drain()
                writer.close()
        else:
            writer.write(response(b"oops", "500 Internal Server Error"))

    said = f"the MCP server shop {said}"
    assert asyncio.run(why(handle, tmp_path, "sse")).startswith(said)


def test_headers_come_from_the_environment_and_are_seen_by_nobody_else(tmp_path: Path) -> None:
    kind = "streamable-http"

    async def told(url: str) -> tuple[str, str]:
        server = reached(kind, url, headers={"Authorization": "HOUSE_AUTH"})
        loop = {"inject": {"token": "HOUSE_AUTH", "session_id": "$session"}}
        async with kit(tmp_path, server, values={"HOUSE_AUTH": f"{AUTH}\n"}, **loop) as made:
            result = (await called(await opened(made), "echo", text="hi")).result
        async with kit(tmp_path, server, values={"HOUSE_AUTH": "Bearer wrong-wrong"}) as made:
            return result, await reason(made)

    with service(kind, LISTINGS_AUTH=AUTH) as (url, _):
        result, said = asyncio.run(told(url))
    assert AUTH.split()[1] not in result
    assert result.split() == ["hi", "[token]", "[session]"]
    assert said == "the MCP server listings answered with HTTP 401 Unauthorized"
