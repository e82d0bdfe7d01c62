"""Whatever a server starts ends with it: children, sessions of their own, processes that ignore SIGTERM."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from gate.agents.conversation_tools import ConversationToolbox
from tests.e2e.agent_tools.kits import (
    called,
    failure,
    gone,
    kit,
    left,
    marked,
    odd,
    opened,
)
from tests.support import forked

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are told by /proc")
MESS = ("child", "stray", "daemon", "deaf")
ALL = 5
"""Keeper, server, child, stray and daemon."""


async def mess(box: ConversationToolbox) -> None:
    """Start all that may be left over."""
    for deed in MESS:
        assert not (await called(box, do=deed)).failed


def during(scratch: Path, work: Callable[[ConversationToolbox], Awaitable[object]], kind: str = "fine") -> list[int]:
    """What is left after work with a server."""

    async def working() -> list[int]:
        async with kit(scratch, odd(kind)) as made:
            box = await opened(made)
            await work(box)
            assert marked(scratch)
        return marked(scratch)

    return asyncio.run(working())


@pytest.mark.threat("agent-left-over")
def test_the_end_of_a_kit_is_the_end_of_all(tmp_path: Path) -> None:
    async def work(box: ConversationToolbox) -> None:
        await mess(box)
        assert await asyncio.to_thread(left, tmp_path, ALL)

    assert during(tmp_path, work) == []


@pytest.mark.parametrize("deed", ["exit", "close"])
def test_a_server_that_dies_leaves_nothing(deed: str, tmp_path: Path) -> None:
    async def working() -> bool:
        async with kit(tmp_path, odd("fine")) as made:
            box = await opened(made)
            await mess(box)
            await failure(box, do=deed)
            # Without waiting for the end of the kit.
            return await asyncio.to_thread(gone, tmp_path)

    assert asyncio.run(working())


@pytest.mark.threat("agent-left-over")
def test_a_server_that_kills_its_keeper_leaves_nothing(tmp_path: Path) -> None:
    async def working() -> tuple[str, bool]:
        async with kit(tmp_path, odd("fine")) as made:
            box = await opened(made)
            await mess(box)
            said = await failure(box, do="kill keeper")
            return said, await asyncio.to_thread(gone, tmp_path)

    said, ended = asyncio.run(working())
    assert said == "the MCP server odd ended (the process that supervises it was killed)"
    assert ended


GATE = """
import asyncio, pathlib, sys
from tests.e2e.agent_tools.kits import called, kit, odd, opened

async def main():
    async with kit(pathlib.Path(sys.argv[1]), odd("fine")) as made:
        box = await opened(made)
        for deed in ("child", "stray", "daemon", "deaf"):
            await called(box, do=deed)
        pathlib.Path(sys.argv[1], "ready").touch()
        await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.mark.threat("agent-left-over")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_gate_that_is_killed_leaves_nothing(number: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "gate.py").write_text(GATE)
    with forked.start(["gate.py", str(tmp_path)], tmp_path, os.environ, module=None) as gate:
        try:
            while not (tmp_path / "ready").exists():
                assert gate.running
                time.sleep(0.02)
            assert left(tmp_path, ALL)
            gate.send_signal(number)
            gate.wait(60)
        finally:
            gate.kill()
    assert gone(tmp_path)
