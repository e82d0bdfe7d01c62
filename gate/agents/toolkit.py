"""The tools of one arm, shared by its conversations and closed at the end."""

import asyncio
import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gate.agents.masks import Masks
from gate.agents.mcp.server import START_S, McpSource, ServerPatience
from gate.agents.processes import ProgramPlace
from gate.agents.toolbox import SESSION, ConversationToolbox, Injection, RecordedTools, ToolRules, ToolSource
from gate.config.targets import ToolLoop
from gate.errors import GateError, MissingKey, with_extra

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
        patience = ServerPatience(self.start_s, loop.timeout_s + READING_S)
        self._servers = tuple(
            McpSource(name, server, self.values, self.place, masks, patience)
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
                raise GateError(f"the MCP server {label} is a program, and none is run here")
            for header, name in server.headers.items():
                if not (self.values[name].strip().isascii() and self.values[name].strip().isprintable()):
                    said = f"the value of {name} cannot be sent as the header {header} of the MCP server {label}"
                    raise GateError(said, "it may hold printable ASCII characters alone")
