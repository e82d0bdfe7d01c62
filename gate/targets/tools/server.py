"""An MCP server for all conversations of an arm: started when the first one needs it, and once more if it was lost."""

import asyncio
import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from gate.config.targets import Server
from gate.targets.port import AgentFailed
from gate.targets.tools.connection import Connection, Way
from gate.targets.tools.limits import START_S
from gate.targets.tools.masks import Masks
from gate.targets.tools.process import Place

STARTS = 2
"""Of one program."""
CONNECTIONS = 10
"""To one service, which may be away for a moment."""
FAILURES = 2
"""Starts one after the other that came to nothing; there is no further one."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a server is waited for.

    Args:
        start_s: seconds until it has to be there.
        read_s: seconds between two parts of an answer over HTTP.
    """

    start_s: float = START_S
    read_s: float = 60.0


@dataclass(slots=True)
class McpSource:
    """See `gate.targets.tools.port.Source`.

    Args:
        name: unique within the suite.
        server: which.
        values: environment variable to its value.
        place: where its program runs; None where it has none.
        masks: secrets.
        patience: how long it is waited for.
    """

    name: str
    server: Server
    values: Mapping[str, str] = field(repr=False)
    place: Place | None
    masks: Masks
    patience: Patience = Patience()
    _connections: list[Connection] = field(default_factory=list, init=False)
    _failures: int = field(default=0, init=False)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    _closed: bool = field(default=False, init=False)

    @property
    def label(self) -> str:
        return f"the MCP server {self.name}"

    async def open(self) -> Connection:
        async with self._lock:
            last = self._connections[-1] if self._connections else None
            if last is not None and not last.fault:
                return last
            most = STARTS if self.server.command else CONNECTIONS
            if last is not None and (self._failures >= FAILURES or len(self._connections) >= most):
                raise AgentFailed(last.fault, attempts=0)
            way = await self._way()
            if self._closed:
                raise AgentFailed(f"{self.label} was closed", attempts=0)
            connection = Connection(self.label, way, self.masks, self.patience.start_s)
            self._connections.append(connection)
            self._failures += 1
            await connection.start()
            self._failures = 0
            return connection

    async def close(self) -> None:
        """End it, and all that was started for it."""
        self._closed = True
        await asyncio.gather(*(connection.close() for connection in self._connections))

    async def _way(self) -> Way:
        # Few suites have tools, and the package takes a second or two.
        client = await asyncio.to_thread(importlib.import_module, "gate.targets.tools.client")
        if self.server.command:
            assert self.place  # noqa: S101 the kit has seen to it
            named = {name: self.values[name] for name in self.server.env}
            program: Way = client.Program(self.server, self.place, named)
            return program
        headers = {name: self.values[variable].strip() for name, variable in self.server.headers.items()}
        service: Way = client.Service(self.server, headers, self.patience.read_s)
        return service
