"""A connection in a task of its own, with ways that do as a test wants them to."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from gate.agents.interface import AgentFailed
from gate.agents.masks import Masks
from gate.agents.mcp.server import Connection, ConnectionLost, ServerUnfit, ToolCallFailed
from gate.agents.toolbox import ToolOutput
from gate.messages import Tool
from gate.values import JsonValue
from tests.agents.sources import tool


@dataclass
class Fake:
    """A way, and the session that it leads to."""

    unfit: str = ""
    slow_s: float = 0.0
    error: Exception | None = None
    tools: tuple[Tool, ...] = (tool("a"),)
    over: Callable[[str], None] = print
    seen: list[str] = field(default_factory=list)
    owners: set["asyncio.Task[object] | None"] = field(default_factory=set)

    @asynccontextmanager
    async def open(self, over: Callable[[str], None]) -> AsyncIterator["Fake"]:
        self.over = over
        self.owners.add(asyncio.current_task())
        try:
            await asyncio.sleep(self.slow_s)
            if self.unfit:
                raise ServerUnfit(self.unfit)
            yield self
        finally:
            self.owners.add(asyncio.current_task())
            self.seen.append("closed")

    async def call(self, name: str, arguments: dict[str, JsonValue]) -> ToolOutput:
        if self.error:
            raise self.error
        return ToolOutput(name)

    def trouble(self) -> str:
        return "; s3cr3t was its last word"


def connection(way: Fake, start_s: float = 5.0) -> Connection:
    return Connection("the shop", way, Masks(("s3cr3t",)), start_s)


async def reason(work: "asyncio.Future[object]") -> str:
    with pytest.raises(AgentFailed) as caught:
        await work
    return caught.value.reason


def test_the_client_is_left_by_the_task_that_entered_it() -> None:
    async def work() -> Fake:
        way = Fake()
        one = connection(way)
        await asyncio.create_task(one.start())
        assert one.tools == way.tools and not one.fault
        assert (await asyncio.create_task(one.call("a", {}))).text == "a"
        await asyncio.create_task(one.close())
        await one.close()
        return way

    way = asyncio.run(work())
    assert way.seen == ["closed"]
    assert len(way.owners) == 1


def test_a_way_that_leads_nowhere_is_told_and_closed() -> None:
    async def work() -> tuple[str, str, list[str]]:
        way = Fake(unfit="has no tools")
        one = connection(way)
        said = await reason(asyncio.ensure_future(one.start()))
        return said, one.fault, way.seen

    said = "the shop has no tools; [token] was its last word"
    assert asyncio.run(work()) == (said, said, ["closed"])


def test_a_start_has_a_bound() -> None:
    async def work() -> tuple[str, list[str]]:
        way = Fake(slow_s=600)
        return await reason(asyncio.ensure_future(connection(way, 0.05).start())), way.seen

    said = "the shop did not answer within 0.05 s; [token] was its last word"
    assert asyncio.run(work()) == (said, ["closed"])


def test_the_first_reason_counts() -> None:
    async def work() -> tuple[str, str]:
        way = Fake()
        one = connection(way)
        await one.start()
        way.over("ended (exit code 1)")
        way.over("closed its output")
        await one.close()
        return one.fault, await reason(asyncio.ensure_future(one.call("a", {})))

    said = "the shop ended (exit code 1); [token] was its last word"
    assert asyncio.run(work()) == (said, said)


def test_a_lost_connection_is_waited_on_until_it_is_known_why() -> None:
    async def work() -> str:
        way = Fake(error=ConnectionLost())
        one = connection(way)
        await one.start()
        waiting = asyncio.ensure_future(one.call("a", {}))
        await asyncio.sleep(0.05)
        way.over("ended (signal 9)")
        said = await reason(waiting)
        await one.close()
        return said

    assert asyncio.run(work()) == "the shop ended (signal 9); [token] was its last word"


def test_one_refused_call_does_not_end_the_connection_but_nobody_begins_with_it() -> None:
    async def work() -> tuple[str, str, str]:
        way = Fake(error=ToolCallFailed("answered s3cr3t with HTTP 500"))
        one = connection(way)
        await one.start()
        said = await reason(asyncio.ensure_future(one.call("a", {})))
        way.error = None
        found = (await one.call("a", {})).text
        fault = one.fault
        await one.close()
        return said, found, fault

    said = "the shop answered [token] with HTTP 500"
    assert asyncio.run(work()) == (said, "a", said)
