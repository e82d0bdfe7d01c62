"""Who may send: one queue for each rate limit, and one limit on everything together."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from gate.calls.lane import Lane, Sent
from gate.calls.retry import RetryPolicy
from gate.calls.timing import Timing
from gate.domain.model import ModelRef
from gate.providers.base import Completion, Provider, Transient


@dataclass(frozen=True, slots=True)
class Turn:
    """A slot that is held, and the way to say what became of the request.

    Args:
        lane: whose slot it is.
        sent: when.
        learns: the service is one that can be overloaded.
    """

    lane: Lane
    sent: Sent
    learns: bool

    def answered(self, model: ModelRef, completion: Completion) -> None:
        """The request was answered."""
        if self.learns:
            self.lane.answered(self.sent, model, completion.latency_s, completion.headroom)
        else:
            self.lane.alive()

    def rejected(self) -> None:
        """The service answered that this one request will never work."""
        self.lane.alive()

    def failed(self, failure: Transient) -> None:
        """The request failed, and may be sent again."""
        self.lane.failed(self.sent, failure)


class Limiter:
    """Slots for requests.

    A lane is what shares a rate limit: judges and targets that use one key at one address are in the same one. A lane
    that waits holds none of the slots that all lanes share.

    Args:
        overall: requests under way at once, 1 or more.
        retry: waits.
        timing: clock and sleep.
    """

    def __init__(self, overall: int, retry: RetryPolicy | None = None, timing: Timing | None = None) -> None:
        self._most = overall
        self._overall = asyncio.Semaphore(overall)
        self._retry = retry or RetryPolicy()
        self._timing = timing or Timing()
        self._lanes: dict[tuple[str, int | None], Lane] = {}

    def lane(self, provider: Provider) -> Lane:
        """The lane of a provider."""
        key = (provider.lane, provider.max_in_flight)
        lane = self._lanes.get(key)
        if lane is None:
            ceiling = min(self._most, provider.max_in_flight or self._most)
            lane = self._lanes[key] = Lane(ceiling, self._retry, self._timing)
        return lane

    def given_up(self) -> str | None:
        """Why a service is not asked any more; None while all answer."""
        return next((lane.given_up for lane in self._lanes.values() if lane.given_up is not None), None)

    @asynccontextmanager
    async def slot(self, provider: Provider, order: int = 0) -> AsyncIterator[Turn]:
        """Wait for a slot and hold it; a cancelled request gives it back.

        Args:
            provider: who is asked.
            order: number of the call; in a lane a lower one is served first.

        Raises:
            NoCall: the service is given up.
        """
        lane = self.lane(provider)
        sent = await lane.enter(order)
        try:
            # The lane first: what waits for a busy service must not keep others from theirs.
            async with self._overall:
                yield Turn(lane, sent, bool(provider.lane))
        finally:
            lane.leave()
