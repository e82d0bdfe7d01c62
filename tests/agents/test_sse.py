"""Where messages go that are answered by server-sent events."""

import anyio
import httpx2
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification

from gate.agents.mcp.transports import EventStream

STREAM = "event: endpoint\ndata: /take\n\nevent: endpoint\ndata: http://elsewhere.example/take\n\n"


def test_no_message_goes_to_a_server_that_is_named_later() -> None:
    posted: list[str] = []
    over: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        if request.method == "GET":
            return httpx2.Response(200, headers={"content-type": "text/event-stream"}, text=STREAM)
        posted.append(str(request.url))
        return httpx2.Response(202)

    async def work() -> None:
        async with httpx2.AsyncClient(transport=httpx2.MockTransport(answer)) as http:
            events = EventStream("http://shop.example/sse", http, over.append)
            heard_in, heard = anyio.create_memory_object_stream[SessionMessage | Exception](1)
            said, said_out = anyio.create_memory_object_stream[SessionMessage](1)
            async with heard, said_out:
                await events.read(heard_in.clone())
                await said.send(SessionMessage(JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized")))
                said.close()
                await events.write(said_out, heard_in)

    anyio.run(work)
    assert over == ["wants its messages sent to another server"]
    assert posted == ["http://shop.example/take"]
