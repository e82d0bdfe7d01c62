"""One worker process: asks what it is told to ask, until the main process is gone."""

import asyncio
import gc
import signal
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from gate.domain.jsonvalue import JsonValue
from gate.providers.elsewhere.answering import Unpriced, answer, no_files
from gate.providers.elsewhere.frames import Frames
from gate.providers.elsewhere.wire import Item
from gate.providers.endpoints import Keys
from gate.providers.factory import Factory

WINDOW_S = 0.002
"""Answers wait so long for company. It is no part of a call's latency, which is taken before."""

_CLOSING_S = 1.0


@dataclass(frozen=True, slots=True)
class Setup:
    """What a worker must know; it goes through the socket, for keys have no place in arguments or environment.

    Args:
        keys: keys and addresses.
        connections: requests that may be under way at once.
    """

    keys: Keys
    connections: int

    def pack(self) -> Item:
        """The first item that a worker hears."""
        keys: dict[str, JsonValue] = {name: getattr(self.keys, name) for name in Keys.__slots__}
        return ["setup", keys, self.connections]


class Worker:
    """The state of a worker process.

    Args:
        sock: connected to the main process.
    """

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._gone = asyncio.Event()
        self._frames = Frames(self._heard, self._gone.set, WINDOW_S)
        self._factory: Factory | None = None
        self._tasks: dict[int, asyncio.Task[None]] = {}

    async def serve(self) -> None:
        """Work until the main process closes the connection or dies."""
        await asyncio.get_running_loop().create_connection(lambda: self._frames, sock=self._sock)
        await self._gone.wait()
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        if self._factory is not None:
            async with asyncio.timeout(_CLOSING_S):
                await self._factory.close()

    def _heard(self, items: list[Item]) -> None:
        for kind, *rest in items:
            if kind == "setup":
                keys, connections = cast("tuple[dict[str, Any], int]", rest)
                self._factory = Factory(Keys(**keys), Path(), connections, no_files, Unpriced())
            elif kind == "ask":
                number, packed = cast("tuple[int, Item]", rest)
                self._tasks[number] = asyncio.get_running_loop().create_task(self._ask(number, packed))
            elif task := self._tasks.get(cast(int, rest[0])):
                task.cancel()

    async def _ask(self, number: int, packed: Item) -> None:
        assert self._factory is not None  # noqa: S101 the setup comes first
        try:
            self._frames.say([number, await answer(self._factory, packed)])
        finally:
            del self._tasks[number]


def main(descriptor: int) -> None:
    """Serve on an inherited socket.

    Ctrl-C and a runner's SIGTERM may go to every process of a job. When to end is the main process's decision, which
    this one learns from the connection.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    gc.freeze()
    with socket.socket(fileno=descriptor) as sock:
        asyncio.run(Worker(sock).serve())
