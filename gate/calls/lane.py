"""A queue for everything that shares one rate limit: who may send now, who waits, and until when nobody may."""

import asyncio
import heapq
from collections.abc import Hashable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from gate.calls.breaker import Breaker
from gate.calls.pace import Pace
from gate.calls.retry import RetryPolicy
from gate.calls.timing import Timing
from gate.providers.base import Transient
from gate.providers.headroom import Headroom


class NoCall(Exception):
    """The request must not be sent.

    Args:
        reason: one line.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Sent(NamedTuple):
    """When a request was sent.

    Args:
        round: of the pace.
        at: on the lane's clock.
    """

    round: int
    at: float


@dataclass(slots=True)
class _Claims:
    """What the server says of its headroom: believed until waiting for it proves to change nothing."""

    _until: float = 0.0
    _left_since: bool = True
    _doubted: bool = False

    def wait_s(self, claim: Headroom, sent_at: float, now: float, longest_s: float) -> float:
        """Seconds to wait because of a claim; what was sent before the last wait was over is old news."""
        if sent_at < self._until:
            return 0.0
        if not claim.used_up:
            self._left_since = True
            return 0.0
        # A server that never has anything left says nothing at all.
        self._doubted = self._doubted or not self._left_since
        if self._doubted:
            return 0.0
        self._left_since = False
        wait = min(claim.reset_s, longest_s)
        self._until = now + wait
        return wait


class Lane:
    """Slots that are given in order of arrival; a request that is sent again keeps its place.

    Args:
        ceiling: requests under way at once, at most.
        retry: the longest wait that a server can make us take, and the first wait between two probes.
        timing: clock and sleep.
    """

    def __init__(self, ceiling: int, retry: RetryPolicy, timing: Timing) -> None:
        self._ceiling = ceiling
        self._pace = Pace(ceiling)
        self._breaker = Breaker(retry.patience, retry.base_s)
        self._retry = retry
        self._timing = timing
        self._claims = _Claims()
        self._in_use = 0
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._paused_until = self._probe_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._naps: set[asyncio.Future[None]] = set()
        self.given_up: str | None = None

    @property
    def allowed(self) -> int:
        """Requests that may be under way now."""
        return 1 if self._breaker.probing else self._pace.allowed

    async def enter(self, order: int) -> Sent:
        """Wait for a slot and take it.

        Args:
            order: number of the call; a lower one is served first.

        Returns:
            What `answered` and `failed` want to know about when the request was sent.

        Raises:
            NoCall: the service is given up.
        """
        if self.given_up is None and (self._waiting or self._in_use >= self.allowed or self._pause() > 0.0):
            await self._queue(order)
        else:
            self._in_use += 1
        if self.given_up is not None:
            self.leave()
            raise NoCall(self.given_up)
        return Sent(self._pace.round, self._timing.clock())

    def leave(self) -> None:
        """Give the slot back."""
        self._in_use -= 1
        self._admit()

    def answered(self, sent: Sent, kind: Hashable, latency_s: float | None, claim: Headroom | None) -> None:
        """Note an answer, before the slot is given back.

        Args:
            sent: from `enter`.
            kind: requests whose latency is comparable.
            latency_s: seconds, or None where time means nothing.
            claim: what the server said of its rate limit.
        """
        self.alive()
        self._pace.answered(sent.round, self._in_use >= self.allowed, kind, latency_s)
        if claim is not None:
            longest_s = self._retry.longest_retry_after_s
            self._pause_for(self._claims.wait_s(claim, sent.at, self._timing.clock(), longest_s))

    def alive(self) -> None:
        """Note that the service answered, if only to reject this one request."""
        if self._breaker.works():
            self._pace.halve()
            self._probe_at = 0.0

    def failed(self, sent: Sent, failure: Transient) -> None:
        """Note a failure that another try may mend, before the slot is given back."""
        if failure.throttled:
            self._pace.refused(sent.round)
            asked = failure.retry_after_s
            if asked is None and failure.headroom is not None and failure.headroom.used_up:
                asked = failure.headroom.reset_s
            self._pause_for(asked or 0.0)
        now = self._timing.clock()
        wait = self._breaker.fails(now, failure.reason, throttled=failure.throttled, in_flight=self._ceiling)
        self._probe_at = max(self._probe_at, now + wait)
        if self._breaker.given_up and self.given_up is None:
            self._give_up(now)

    async def rest(self, seconds: float) -> None:
        """Wait between two attempts, or less when the service is given up."""
        if self.given_up is not None:
            return
        nap = asyncio.ensure_future(self._timing.sleep(seconds))
        self._naps.add(nap)
        try:
            await asyncio.wait((nap,))
        finally:
            self._naps.discard(nap)
            nap.cancel()

    async def _queue(self, order: int) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (order, id(turn), turn))
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave()
            raise

    def _admit(self) -> None:
        """Give free slots to those who wait; a cancelled one is passed over."""
        while self._waiting:
            if self.given_up is None:
                if self._in_use >= self.allowed:
                    return
                if (wait := self._pause()) > 0.0:
                    self._wake_in(wait)
                    return
            turn = heapq.heappop(self._waiting)[-1]
            if not turn.done():
                self._in_use += 1
                turn.set_result(None)

    def _pause(self) -> float:
        until = max(self._paused_until, self._probe_at)
        return until - self._timing.clock() if until else 0.0

    def _pause_for(self, seconds: float) -> None:
        if seconds > 0.0:
            bounded = min(seconds, self._retry.longest_retry_after_s)
            self._paused_until = max(self._paused_until, self._timing.clock() + bounded)

    def _wake_in(self, seconds: float) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._woken)

    def _woken(self) -> None:
        self._timer = None
        self._admit()

    def _give_up(self, now: float) -> None:
        seconds = now - self._breaker.since
        if self._breaker.answered:
            at = datetime.fromtimestamp(self._timing.wall_clock() - seconds, UTC)
            said = f"the service stopped answering at {at:%H:%M:%S} UTC, and {seconds:.0f} s of trying changed nothing"
        else:
            said = f"the service has not answered once in {seconds:.0f} s"
        self.given_up = f"{said}; the last error: {self._breaker.last}"
        for nap in self._naps:
            nap.cancel()
        self._admit()
