"""One MCP server for all conversations of an arm: started when first needed, and once more if it was lost."""

import asyncio
import importlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gate.agents.interface import AgentFailed, ConnectionLost, ServerUnfit, ToolCallFailed
from gate.agents.masks import Masks
from gate.agents.processes import ProgramPlace
from gate.agents.toolbox import ToolOutput
from gate.config.targets import Server
from gate.messages import Tool
from gate.values import JsonValue

if TYPE_CHECKING:
    from gate.agents.mcp.client import McpSession, Program, Service

START_S = 30.0
"""Seconds from the start of a server to the list of its tools."""

CLOSING_S = 15.0
"""Seconds for a server to end."""

SEEN_S = 5.0
"""Seconds to find why a connection was lost."""


@dataclass(slots=True)
class Connection:
    """See `gate.agents.toolbox.OpenToolSource`."""

    label: str
    way: "Program | Service"
    masks: Masks
    start_s: float = START_S
    _doubt: str = field(default="", init=False)
    _reason: str = field(default="", init=False)
    _session: "McpSession | None" = field(default=None, init=False)
    _task: "asyncio.Task[None] | None" = field(default=None, init=False)
    _ready: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _over: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    @property
    def fault(self) -> str:
        """Why no new conversation may use it; empty where one may."""
        return self._reason or self._doubt

    @property
    def tools(self) -> tuple[Tool, ...]:
        return self._session.tools if self._session else ()

    async def start(self) -> None:
        """Connect. Raises AgentFailed: the server is not available; the connection is then closed."""
        self._task = asyncio.create_task(self._live())
        try:
            async with asyncio.timeout(self.start_s):
                await self._ready.wait()
        except TimeoutError:
            self._end(f"did not answer within {self.start_s:g} s")
        except asyncio.CancelledError:
            self._end("was not waited for")
            self._task.cancel()
            raise
        if self._reason:
            await self.close()
            raise AgentFailed(self._reason, attempts=0)

    async def call(self, name: str, arguments: dict[str, JsonValue]) -> ToolOutput:
        if self._session is None or self._reason:
            raise AgentFailed(self._reason or f"{self.label} is not there", attempts=0)
        try:
            return await self._session.call(name, arguments)
        except ToolCallFailed as error:
            self._doubt = self._said(str(error))
            raise AgentFailed(self._doubt, attempts=0) from None
        except ConnectionLost:
            with suppress(TimeoutError):
                async with asyncio.timeout(SEEN_S):
                    await self._over.wait()
            self._end("ended")
            raise AgentFailed(self._reason, attempts=0) from None

    async def close(self) -> None:
        """Disconnect, and end what was started for it."""
        self._end("was closed")
        task = self._task
        if task is None:
            return
        if self._session is None:
            task.cancel()
        await asyncio.wait([task], timeout=CLOSING_S)
        if not task.done():
            task.cancel()
            await asyncio.wait([task], timeout=CLOSING_S)

    async def _live(self) -> None:
        try:
            async with self.way.open(self._end) as session:
                self._session = session
                self._ready.set()
                await self._over.wait()
        except ServerUnfit as error:
            self._end(str(error))
        finally:
            self._end("ended")

    def _end(self, words: str) -> None:
        """Only the first reason counts: later ones follow from it."""
        if not self._reason:
            self._reason = self._said(words + self.way.trouble())
        self._over.set()
        self._ready.set()

    def _said(self, words: str) -> str:
        return self.masks.reason(f"{self.label} {words}")


STARTS = 2
"""Of one program."""
CONNECTIONS = 10
"""To one service, which may be unavailable for a moment."""
FAILURES = 2
"""Failed starts in a row, after which there is no other."""


@dataclass(frozen=True, slots=True)
class ServerPatience:
    """Time limits for a server."""

    start_s: float = START_S
    read_s: float = 60.0


@dataclass(slots=True)
class McpSource:
    """See `gate.agents.toolbox.ToolSource`."""

    name: str
    server: Server
    values: Mapping[str, str] = field(repr=False)
    place: ProgramPlace | None
    masks: Masks
    patience: ServerPatience = ServerPatience()
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
        """End it, and everything that was started for it."""
        self._closed = True
        await asyncio.gather(*(connection.close() for connection in self._connections))

    async def _way(self) -> "Program | Service":
        # Few suites have tools, and the package takes a second or two.
        client = await asyncio.to_thread(importlib.import_module, "gate.agents.mcp.client")
        if self.server.command:
            assert self.place  # noqa: S101 the kit has seen to it
            named = {name: self.values[name] for name in self.server.env}
            program: Program = client.Program(self.server, self.place, named)
            return program
        headers = {name: self.values[variable].strip() for name, variable in self.server.headers.items()}
        service: Service = client.Service(self.server, headers, self.patience.read_s)
        return service
