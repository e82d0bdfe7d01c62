"""What agents and judges need of calls, what calls need of a memory, and how a run is stopped."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from gate.calls.provider import Request
from gate.record.sample import Reply
from gate.record.transcript import Failed
from gate.record.usage import Cost, Unpriced

WorthKeeping: TypeAlias = Callable[[Reply], bool]


def any_reply(reply: Reply) -> bool:
    """Any reply is worth keeping."""
    return True


class Calls(Protocol):
    """Sends requests under one policy of memory, retries, limits and budgets."""

    async def call(self, request: Request, *, fresh: bool = False, worth: WorthKeeping = any_reply) -> Reply | Failed:
        """Send one request, unless its answer is known; a failure after every retry is a value, not an exception.

        Args:
            fresh: ask even if an answer is known.
            worth: may a fresh reply take the place of the known one? If not, the known one stays known.
        """
        ...


@dataclass(slots=True)
class Bill:
    """What a message to an agent cost, over all calls that it took."""

    cost: Cost = Unpriced("unknown")


class ExternalConversation(Protocol):
    """A conversation with an agent that calls its models itself."""

    def message(self) -> AbstractAsyncContextManager[Bill]:
        """Room for one message, which is cut at the deadline; the bill takes its price, if the agent gives one.

        Raises:
            CallRefused: there is no room, or the time is up.
        """
        ...


class ExternalBudgets(Protocol):
    """Keeps the budgets where somebody else calls the models."""

    def outside(self, messages: int) -> AbstractAsyncContextManager[ExternalConversation]:
        """Room for one conversation of at least so many messages.

        Raises:
            CallRefused: there is no room.
        """
        ...


class BudgetedCalls(Calls, ExternalBudgets, Protocol):
    """Sends requests, and keeps the budgets where somebody else sends them."""


class AnswerNotSaved(Exception):
    """An answer could not be written down, so it must not count; the reason is one line, such as "the disk is full"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Memory(Protocol):
    """Answers that were taken before, and the place where new ones are written down before they count."""

    @property
    def empty(self) -> bool:
        """Nothing is known, so nothing needs to be looked up."""
        ...

    def find(self, request: Request) -> Reply | None:
        """The answer to exactly this request, sample index included, marked as reused; None where there is none."""
        ...

    def earlier(self, request: Request) -> Reply | None:
        """As `find`, without counting it as a use."""
        ...

    async def keep(self, request: Request, reply: Reply) -> Reply:
        """Write an answer down; returns it with its origin when it is on disk.

        Raises:
            AnswerNotSaved: it is not on disk.
        """
        ...


class NoMemory:
    """A memory that keeps nothing, for tests and for calls that no journal is to see."""

    empty = True

    def find(self, request: Request) -> Reply | None:
        return None

    def earlier(self, request: Request) -> Reply | None:
        return None

    async def keep(self, request: Request, reply: Reply) -> Reply:
        return reply


Found = TypeVar("Found")


async def together(asked: Iterable[Coroutine[Any, Any, Found]]) -> list[Found]:
    """Start all of them in order and wait; results are in the same order. The first exception cancels the others."""
    tasks = [asyncio.ensure_future(one) for one in asked]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@dataclass(slots=True)
class Stop:
    """A switch that ends a run early; the first reason stays. It is `interrupted` where a user pressed Ctrl-C."""

    reason: str | None = None
    interrupted: bool = False
    _abandon: Callable[[], object] | None = None

    def drain(self, reason: str) -> None:
        """Take no more work; what is under way is finished."""
        self.reason = self.reason or reason

    def now(self, reason: str) -> None:
        """Take no more work and give up what is under way."""
        self.drain(reason)
        if self._abandon is not None:
            self._abandon()

    def abandon_with(self, abandon: Callable[[], object]) -> None:
        """Set what `now` calls to give up what is under way."""
        self._abandon = abandon
