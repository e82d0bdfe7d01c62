"""Toolboxes over real servers."""

import json
import os
import sys
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from subprocess import PIPE, Popen
from tempfile import TemporaryDirectory
from typing import Any

from gate.agents.conversation_tools import ConversationToolbox
from gate.agents.interface import AgentFailed
from gate.agents.mcp_servers import START_S, ToolKit
from gate.agents.processes import ProgramPlace
from gate.config.targets import Server, ToolLoop
from gate.record.transcript import ToolUse
from tests.support import forked

SERVERS = Path(__file__).parents[2] / "support" / "mcp_servers"
TOKEN = "tok-5up3rs3cret"
SESSION = "session-0123456789"
VALUES = {"PROPERTY_TOKEN": TOKEN}
WEB = ("streamable-http", "streamable-http-json", "sse")


def odd(kind: str, name: str = "odd", **more: Any) -> dict[str, Server]:
    """A server of `odd.py`, by its name."""
    return {name: Server(command=(sys.executable, "-S", "odd.py", kind), **more)}


def listings(pythons: Path, **more: Any) -> dict[str, Server]:
    """The server of `listings.py`, over stdio, as a fork.

    Args:
        pythons: a folder for the `python` that runs it.
    """
    return {"listings": Server(command=(str(forked.python(pythons)), "listings.py"), **more)}


@asynccontextmanager
async def kit(
    scratch: Path,
    *servers: dict[str, Server],
    values: Mapping[str, str] = VALUES,
    root: Path = SERVERS,
    start_s: float = START_S,
    **loop: Any,
) -> AsyncIterator[ToolKit]:
    """A kit whose programs run where the servers lie, and which is closed at the end."""
    place = ProgramPlace(root, scratch, os.environ["PATH"])
    named = {name: server for one in servers for name, server in one.items()}
    made = ToolKit(ToolLoop(servers=named, **loop), place, values, start_s)
    try:
        yield made
    finally:
        await made.close()


async def opened(made: ToolKit) -> ConversationToolbox:
    """The toolbox of a conversation that has begun."""
    box = made.toolbox()
    await box.tools()
    return box


async def reason(made: ToolKit) -> str:
    """Why there is no toolbox."""
    try:
        await made.toolbox().tools()
    except AgentFailed as failure:
        return failure.reason
    raise AssertionError("the tools are there")


async def called(box: ConversationToolbox, name: str = "say", /, **arguments: Any) -> ToolUse:
    return await box.call(name, json.dumps(arguments), SESSION)


async def failure(box: ConversationToolbox, name: str = "say", /, **arguments: Any) -> str:
    """Why a call ends its conversation."""
    try:
        use = await called(box, name, **arguments)
    except AgentFailed as failed:
        return failed.reason
    raise AssertionError(f"the call came to something: {use}")


@contextmanager
def service(kind: str, **variables: str) -> Iterator[tuple[str, "Popen[bytes]"]]:
    """The server of `listings.py` over HTTP, in a process of its own: its address."""
    with TemporaryDirectory() as folder:
        command = [str(forked.python(Path(folder))), str(SERVERS / "listings.py"), kind]
        with Popen(command, stdout=PIPE, env={**os.environ, **variables}) as process:
            try:
                assert process.stdout
                port = int(process.stdout.readline())
                yield f"http://127.0.0.1:{port}/{'sse' if kind == 'sse' else 'mcp'}", process
            finally:
                process.kill()


def reached(kind: str, url: str, **more: Any) -> dict[str, Server]:
    """That server, as the configuration names it."""
    return {"listings": Server(url=url, transport="sse" if kind == "sse" else "streamable-http", **more)}


def alive(pid: int) -> bool:
    """Is a process there, and no zombie?"""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def marked(scratch: Path) -> list[int]:
    """Processes that have something of a kit's scratch folder in their environment."""
    wanted = f"HOME={scratch / 'home'}".encode()
    found = []
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and wanted in Path(f"/proc/{name}/environ").read_bytes().split(b"\0"):
                found.append(int(name))
        except OSError:
            continue
    return [pid for pid in found if alive(pid)]


def left(scratch: Path, count: int, patience_s: float = 20.0) -> bool:
    """Are there so many of them, sooner or later?"""
    end = time.monotonic() + patience_s
    while len(marked(scratch)) != count:
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def gone(scratch: Path) -> bool:
    """Do all of them end, sooner or later?"""
    return left(scratch, 0)
