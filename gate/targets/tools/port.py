"""Where tools come from, and what the toolbox of a conversation asks of it."""

from dataclasses import dataclass
from typing import Protocol

from gate.domain.jsonvalue import JsonValue
from gate.domain.tools import Tool


@dataclass(frozen=True, slots=True)
class Given:
    """What a tool gave.

    Args:
        text: as it came: neither cleaned nor cut.
        failed: the tool says that it failed.
    """

    text: str
    failed: bool = False


class Opened(Protocol):
    """A source that can be asked."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What it has, under names of its own, which need not be such as providers take."""
        ...

    async def call(self, name: str, arguments: dict[str, JsonValue]) -> Given:
        """Call a tool; whoever waits for it ends that when it takes too long.

        Args:
            name: of one of `tools`.
            arguments: all of them.

        Raises:
            AgentFailed: the source is gone.
        """
        ...


class Source(Protocol):
    """A server, or a file of recorded tools."""

    @property
    def label(self) -> str:
        """What a reader knows it by: `the MCP server weather`."""
        ...

    async def open(self) -> Opened:
        """Get it ready for one conversation, a bounded time.

        Raises:
            AgentFailed: it cannot be had, or has no tools.
        """
        ...
