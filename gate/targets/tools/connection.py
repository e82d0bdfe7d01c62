"""One server, connected once: a task of its own owns the client, so that any other task can call it.

The client of the `mcp` package lives in cancel scopes of anyio, which have to be left by the task that entered them.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field
from typing import Protocol

from gate.domain.jsonvalue import JsonValue
from gate.domain.tools import Tool
from gate.targets.port import AgentFailed
from gate.targets.tools.limits import CLOSING_S, START_S
from gate.targets.tools.masks import Masks
from gate.targets.tools.port import Given

SEEN_S = 5.0
"""Seconds until it is seen why a connection was lost."""


class Unfit(Exception):
    """A server cannot be used; the message goes on after its name."""


class Unusable(Exception):
    """A server did not take one call; the message goes on after its name."""


class Lost(Exception):
    """The connection is gone."""


class Session(Protocol):
    """A server that answers."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Of the server."""
        ...

    async def call(self, name: str, arguments: dict[str, JsonValue]) -> Given:
        """Call a tool.

        Raises:
            Unusable: the server did not take it.
            Lost: the connection is gone.
        """
        ...


class Way(Protocol):
    """How a server is reached."""

    def open(self, over: Callable[[str], None]) -> AbstractAsyncContextManager[Session]:
        """Connect, and disconnect again.

        Args:
            over: is told why the server is gone, in words that go on after its name.

        Raises:
            Unfit: it cannot be used, or could not be any more.
        """
        ...

    def trouble(self) -> str:
        """What else there is to say of a server that failed, from `; ` on; empty where there is nothing."""
        ...


@dataclass(slots=True)
class Connection:
    """See `gate.targets.tools.port.Opened`.

    Args:
        label: of the server.
        way: how it is reached.
        masks: secrets.
        start_s: seconds until it has to be there.
    """

    label: str
    way: Way
    masks: Masks
    start_s: float = START_S
    _doubt: str = field(default="", init=False)
    _reason: str = field(default="", init=False)
    _session: Session | None = field(default=None, init=False)
    _task: "asyncio.Task[None] | None" = field(default=None, init=False)
    _ready: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _over: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    @property
    def fault(self) -> str:
        """Why no other conversation should begin with it; empty where one may."""
        return self._reason or self._doubt

    @property
    def tools(self) -> tuple[Tool, ...]:
        return self._session.tools if self._session else ()

    async def start(self) -> None:
        """Connect.

        Raises:
            AgentFailed: the server cannot be had; the connection is closed then.
        """
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

    async def call(self, name: str, arguments: dict[str, JsonValue]) -> Given:
        if self._session is None or self._reason:
            raise AgentFailed(self._reason or f"{self.label} is not there", attempts=0)
        try:
            return await self._session.call(name, arguments)
        except Unusable as error:
            self._doubt = self._said(str(error))
            raise AgentFailed(self._doubt, attempts=0) from None
        except Lost:
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
        except Unfit as error:
            self._end(str(error))
        finally:
            self._end("ended")

    def _end(self, words: str) -> None:
        """The first reason is the one that counts: what comes later follows from it."""
        if not self._reason:
            self._reason = self._said(words + self.way.trouble())
        self._over.set()
        self._ready.set()

    def _said(self, words: str) -> str:
        return self.masks.reason(f"{self.label} {words}")
