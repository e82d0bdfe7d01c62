"""What targets and judges need of the calls layer, and what the calls layer needs of its memory."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from gate.domain.absence import Failed
from gate.domain.sample import Reply
from gate.domain.usage import Cost, Unpriced
from gate.providers.base import Request

Worth: TypeAlias = Callable[[Reply], bool]


def always(reply: Reply) -> bool:
    """Any reply is worth keeping."""
    return True


class Calls(Protocol):
    """Sends requests under one policy of memory, retries, limits and budgets."""

    async def call(self, request: Request, *, fresh: bool = False, worth: Worth = always) -> Reply | Failed:
        """Send one request, unless its answer is known; a failure after every retry is a value, not an exception.

        Args:
            request: what to send.
            fresh: ask even if an answer is known.
            worth: may a fresh reply take the place of the known one? If not, the known one stays known.
        """
        ...


@dataclass(slots=True)
class Bill:
    """What a message to an agent cost.

    Args:
        cost: of all calls that it took.
    """

    cost: Cost = Unpriced("unknown")


class Talking(Protocol):
    """A conversation with an agent that calls its models itself."""

    def message(self) -> AbstractAsyncContextManager[Bill]:
        """Room for one message, which is cut at the deadline.

        Returns:
            Where its price goes, if the agent tells one.

        Raises:
            NoCall: there is no room, or the time is up.
        """
        ...


class Outside(Protocol):
    """Keeps the budgets where somebody else calls the models."""

    def outside(self, messages: int) -> AbstractAsyncContextManager[Talking]:
        """Room for one conversation.

        Args:
            messages: that it will have at least.

        Returns:
            What each of its messages is sent through.

        Raises:
            NoCall: there is no room.
        """
        ...


class Asking(Calls, Outside, Protocol):
    """Sends requests, and keeps the budgets where somebody else sends them."""


class NotKept(Exception):
    """An answer could not be written down, so it must not count.

    Args:
        reason: one line, such as "the disk is full".
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Memory(Protocol):
    """Answers that were taken before, and the place where new ones are written down before they count."""

    @property
    def empty(self) -> bool:
        """Nothing is known, so that there is no need to look for anything."""
        ...

    def find(self, request: Request) -> Reply | None:
        """The answer to exactly this request, sample index included, marked as reused; None where there is none."""
        ...

    def earlier(self, request: Request) -> Reply | None:
        """As `find`, to look and not to use."""
        ...

    async def keep(self, request: Request, reply: Reply) -> Reply:
        """Write an answer down; returns when it is on disk.

        Returns:
            The answer with its origin.

        Raises:
            NotKept: it is not.
        """
        ...


class Forgetful:
    """A memory that keeps nothing, for tests and for calls that no journal is to see."""

    empty = True

    def find(self, request: Request) -> Reply | None:
        return None

    def earlier(self, request: Request) -> Reply | None:
        return None

    async def keep(self, request: Request, reply: Reply) -> Reply:
        return reply
