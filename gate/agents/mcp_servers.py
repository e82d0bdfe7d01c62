"""The tools of one arm, shared by its conversations and closed at the end: its MCP servers, and recorded ones."""

import asyncio
import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gate.agents.conversation_tools import (
    SESSION,
    ConversationToolbox,
    Injection,
    RecordedTools,
    ToolOutput,
    ToolRules,
    ToolSource,
)
from gate.agents.interface import (
    AgentFailed,
    ConnectionLost,
    ServerUnfit,
    SessionEnded,
    SessionLost,
    ToolCallFailed,
)
from gate.agents.masks import Masks
from gate.agents.processes import ProgramPlace
from gate.config.targets import Server, ToolLoop
from gate.errors import GateError, MissingKey, with_extra
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
    """See `gate.agents.conversation_tools.OpenToolSource`."""

    label: str
    way: "Program | Service"
    masks: Masks
    start_s: float = START_S
    _doubt: str = field(default="", init=False)
    _reason: str = field(default="", init=False)
    _ended: bool = field(default=False, init=False)
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

    @property
    def unusable(self) -> tuple[tuple[str, str], ...]:
        return self._session.unusable if self._session else ()

    @property
    def ended(self) -> bool:
        """Has the server ended the session?"""
        return self._ended

    async def start(self) -> None:
        """Connect. Raises AgentFailed: the server is not available; the connection is then closed."""
        self._task = asyncio.create_task(self._live())
        try:
            async with asyncio.timeout(self.start_s):
                await self._ready.wait()
        except TimeoutError:
            self._end(f"did not answer within {self.start_s:g} s")
        except asyncio.CancelledError:
            self._end("was canceled while it started")
            self._task.cancel()
            raise
        if self._reason:
            await self.close()
            raise AgentFailed(self._reason, attempts=0)

    async def call(self, name: str, arguments: dict[str, JsonValue]) -> ToolOutput:
        if self._session is None or self._reason:
            raise AgentFailed(self._reason or f"{self.label} is not running", attempts=0)
        try:
            return await self._session.call(name, arguments)
        except SessionLost as error:
            self._doubt, self._ended = self._said(str(error)), True
            raise SessionEnded(self._doubt, attempts=0) from None
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


@dataclass(slots=True)
class McpSource:
    """See `gate.agents.conversation_tools.ToolSource`."""

    name: str
    server: Server
    values: Mapping[str, str] = field(repr=False)
    place: ProgramPlace | None
    masks: Masks
    start_s: float
    read_s: float
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
            # A server may end sessions as often as it likes.
            opened = sum(not connection.ended for connection in self._connections)
            if last is not None and (self._failures >= FAILURES or opened >= most):
                raise AgentFailed(last.fault, attempts=0)
            way = await self._way()
            if self._closed:
                raise AgentFailed(f"{self.label} was closed", attempts=0)
            connection = Connection(self.label, way, self.masks, self.start_s)
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
        service: Service = client.Service(self.server, headers, self.read_s)
        return service


READING_S = 30.0
"""Seconds beyond a tool's time limit after which a silent connection counts as broken."""


def needed_variables(loop: ToolLoop) -> tuple[str, ...]:
    """The environment variables that the tools of an arm need, each once."""
    injected = [name for name in loop.inject.values() if name != SESSION]
    of_servers = [name for server in loop.servers.values() for name in (*server.env, *server.headers.values())]
    return tuple(dict.fromkeys([*injected, *of_servers]))


def check_mcp(loop: ToolLoop) -> None:
    """Check that the package for MCP servers is installed, before the environment is read.

    Raises:
        GateError: the `mcp` package is not installed.
    """
    if loop.servers and importlib.util.find_spec("mcp") is None:
        raise GateError(f"MCP servers need the mcp package: {', '.join(loop.servers)}", with_extra("agents"))


@dataclass(slots=True)
class ToolKit:
    """Makes the toolbox of each conversation. Servers are started when the first conversation needs them.

    It belongs to the event loop in which its toolboxes are used.

    Args:
        place: where programs run; None where none may run.
        values: of `needed_variables`, by name.
        start_s: seconds until a server must be ready.

    Raises:
        GateError: a program has no place to run, or a header cannot be sent.
        MissingKey: a variable is not set.
    """

    loop: ToolLoop
    place: ProgramPlace | None = None
    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    start_s: float = START_S
    _servers: tuple[McpSource, ...] = field(default=(), init=False)
    _sources: tuple[ToolSource, ...] = field(default=(), init=False)
    _rules: ToolRules = field(default=ToolRules(), init=False)

    def __post_init__(self) -> None:
        loop = self.loop
        self._check()
        folder = str(self.place.root) if self.place else ""
        masks = Masks(tuple(self.values[name] for name in needed_variables(loop)), folder)
        self._servers = tuple(
            McpSource(name, server, self.values, self.place, masks, self.start_s, loop.timeout_s + READING_S)
            for name, server in sorted(loop.servers.items())
        )
        recorded = (RecordedTools.of(loop.recorded),) if loop.recorded else ()
        self._sources = (*self._servers, *recorded)
        self._rules = ToolRules(loop.only, self._injection(), masks, loop.timeout_s)

    def toolbox(self) -> ConversationToolbox:
        """The toolbox of one conversation."""
        return ConversationToolbox(self._sources, self._rules)

    async def close(self) -> None:
        """End all servers and their child processes."""
        await asyncio.gather(*(server.close() for server in self._servers))

    def _injection(self) -> Injection:
        """`token` is for tools of any source, `shop.token` for those of the server `shop`."""
        put: dict[str, list[tuple[str, str]]] = {}
        for key, name in self.loop.inject.items():
            named = [one for one in self._servers if key.startswith(f"{one.name}.")]
            source = max(named, key=lambda one: len(one.name), default=None)
            argument = key.removeprefix(f"{source.name}.") if source else key
            put.setdefault(source.label if source else "", []).append((argument, name))
        made = {label: self._put(pairs) for label, pairs in put.items()}
        general = made.pop("", Injection())
        return Injection(general.values, general.sessions, made)

    def _put(self, pairs: Sequence[tuple[str, str]]) -> Injection:
        fixed = {argument: self.values[name] for argument, name in pairs if name != SESSION}
        return Injection(fixed, frozenset(argument for argument, name in pairs if name == SESSION))

    def _check(self) -> None:
        loop = self.loop
        if missing := [name for name in needed_variables(loop) if not self.values.get(name)]:
            hint = "export them, or set them under 'env' of the workflow's step"
            raise MissingKey(f"tools need environment variables that are not set: {', '.join(missing)}", hint)
        for label, server in loop.servers.items():
            if server.command and self.place is None:
                raise GateError(f"the MCP server {label} is a program, and programs do not run here")
            for header, name in server.headers.items():
                if not (self.values[name].strip().isascii() and self.values[name].strip().isprintable()):
                    said = f"the value of {name} cannot be sent as the header {header} of the MCP server {label}"
                    raise GateError(said, "it may only contain printable ASCII characters")
