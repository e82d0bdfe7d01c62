"""When a request is sent: one queue for each rate limit, a pace learnt from refusals, retries, and outages."""

import asyncio
import heapq
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from gate.calls.interface import CallRefused, Provider, Transient
from gate.record.findings.unfinished import ServiceFailed

_LARGEST_EXPONENT = 30


@dataclass(frozen=True, slots=True)
class OutagePatience:
    """How long a service may fail: `outage_s` of nothing but failures after it has answered, longer than the minute
    that many rate limits are counted in; `absent_s` before. `probe_s` is the longest wait between two attempts to find
    out."""

    outage_s: float = 90.0
    absent_s: float = 7.0
    probe_s: float = 8.0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The one policy for every provider; the SDKs' own retries are off.

    Args:
        max_attempts: requests sent at most, the first one included.
        base_s: longest wait after the first attempt, in seconds; doubles with each further one.
        cap_s: longest wait that the policy chooses.
        longest_retry_after_s: longest wait that a server can ask for.
    """

    max_attempts: int = 6
    base_s: float = 0.5
    cap_s: float = 30.0
    longest_retry_after_s: float = 60.0
    patience: OutagePatience = OutagePatience()

    def delay(self, attempt: int, retry_after_s: float | None, rng: random.Random) -> float:
        """Seconds to wait after failed attempt number `attempt`, from 1.

        Full jitter: uniform between 0 and an exponentially growing limit (Brooker, "Exponential Backoff And Jitter",
        AWS Architecture Blog, 2015). The wait that the server asks for is added, so that requests refused together are
        not sent again together.
        """
        limit = min(self.cap_s, self.base_s * 2.0 ** min(attempt - 1, _LARGEST_EXPONENT))
        asked = min(max(retry_after_s or 0.0, 0.0), self.longest_retry_after_s)
        return asked + rng.uniform(0.0, limit)


@dataclass(frozen=True, slots=True)
class Timing:
    """Clocks and sleep, in seconds; `clock` is monotonic, and `wall_clock` since the epoch."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    wall_clock: Callable[[], float] = time.time


_FEWEST = 5


class OutageBreaker:
    """Watches the outcomes of one lane.

    After as many failures in a row as there may be requests under way, only one request at a time is sent, with
    growing waits between them: the others keep their attempts for when the service is back.
    """

    def __init__(self, patience: OutagePatience, base_s: float) -> None:
        self._patience = patience
        self._base_s = base_s
        self.answered = self.probing = self.given_up = False
        self.last = ""
        self.since = self._next = 0.0
        self._row = self._probes = 0

    def works(self) -> bool:
        """Note a sign of life; True when the service was being probed, and is back."""
        back, self.probing = self.probing, False
        self.answered = True
        self._row = self._probes = 0
        self._next = 0.0
        return back

    def fails(self, now: float, failure: Transient, in_flight: int) -> float:
        """Note a failure that may pass with another attempt.

        Args:
            in_flight: requests that may be under way at best: so many can fail for one and the same reason.

        Returns:
            Seconds until the next request should be sent; 0 outside an outage, and while such a wait runs.
        """
        if self._row == 0:
            self.since = now
        self._row += 1
        self.last = failure.reason
        quick = not self.answered and not failure.throttled
        allowed_s = self._patience.absent_s if quick else self._patience.outage_s
        if self._row >= _FEWEST and now - self.since >= allowed_s:
            self.given_up = True
        self.probing = self.probing or self._row >= max(_FEWEST, in_flight)
        if not self.probing or now < self._next:
            return 0.0
        wait = min(self._patience.probe_s, self._base_s * 2.0 ** min(self._probes, _LARGEST_EXPONENT))
        self._probes += 1
        self._next = now + wait
        return wait


_SMALLEST_ROUND = 4
_CLEAN_ROUNDS = 16
"""Rounds without a refusal, before a request beyond what the server refused."""
_STRAY = 1 / 12
"""Refusals up to this share of a round are taken for chance: a busy service refuses some, whatever we send."""


class RequestRate:
    """Learns how many requests may run at once: each refusal removes its slot, rounds without one return some.

    A round is as many finished requests as may run at once; only requests that were sent in a round count for it, so
    that one burst of refusals is answered once, and by no more than half. The number at which the service refused is
    remembered: up to it, growth is fast, as in CUBIC (Ha et al., SIGOPS 2008).

    It starts at the maximum: limits are mostly per minute, and a slow start would delay every short run.
    """

    def __init__(self, ceiling: int) -> None:
        self._ceiling = self._wall = self._begun = self.allowed = ceiling
        self._clean = self._finished = self._refused = 0
        self._full = False
        self.round = 0

    def answered(self, begun: int, full: bool) -> None:
        """Note an answer.

        Args:
            begun: the round in which the request was sent.
            full: no further request could have been under way.
        """
        self._full = self._full or full
        self._finish(begun)

    def refused(self, begun: int) -> None:
        """Note that a request was refused because there were too many."""
        if begun == self.round:
            self._refused += 1
            self.allowed = max(1, (self._begun + 1) // 2, self.allowed - 1)
        self._finish(begun)

    def halve(self) -> None:
        """Begin carefully after an outage."""
        self.allowed = max(1, self.allowed // 2)
        self._next()

    def _finish(self, begun: int) -> None:
        if begun != self.round:
            return
        self._finished += 1
        if self._finished < max(self._begun, _SMALLEST_ROUND):
            return
        if self._refused > _STRAY * self._finished:
            self._wall, self._clean = self._begun, 0
        elif self._full:
            self._clean = 0 if self._refused else self._clean + 1
            self._grow()
        self._next()

    def _grow(self) -> None:
        below = self._wall - 1 - self.allowed
        if below > 0:
            self.allowed += (below + 1) // 2
        elif self.allowed >= self._wall or self._clean >= _CLEAN_ROUNDS:
            # Beyond the wall: one more at first, then larger steps with every round without a refusal.
            self.allowed += 1 if self.allowed < self._wall else 1 + self._clean // 2
        self.allowed = min(self.allowed, self._ceiling)

    def _next(self) -> None:
        self.round += 1
        self._begun = self.allowed
        self._finished = self._refused = 0
        self._full = False


class HeldSlot(NamedTuple):
    """A held slot: its lane, and the round of the pace in which the request was sent."""

    lane: "Lane"
    round: int

    def answered(self) -> None:
        """The request was answered."""
        self.lane.answered(self.round)

    def rejected(self) -> None:
        """The service answered that this one request will never work."""
        self.lane.alive()

    def failed(self, failure: Transient) -> None:
        """The request failed, and may be sent again."""
        self.lane.failed(self.round, failure)


class Lane:
    """Slots in order of arrival; a request that is sent again keeps its place."""

    def __init__(self, ceiling: int, retry: RetryPolicy, timing: Timing) -> None:
        self._ceiling = ceiling
        self._pace = RequestRate(ceiling)
        self._breaker = OutageBreaker(retry.patience, retry.base_s)
        self._retry = retry
        self._timing = timing
        self._in_use = 0
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._paused_until = self._probe_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._naps: set[asyncio.Future[None]] = set()
        self.given_up: ServiceFailed | None = None

    @property
    def allowed(self) -> int:
        """Requests that may be under way now."""
        return 1 if self._breaker.probing else self._pace.allowed

    async def enter(self, order: int) -> HeldSlot:
        """Wait for a slot and take it; the lowest `order` is served first. Raises `CallRefused` when the service is
        given up."""
        if self.given_up is None and (self._waiting or self._in_use >= self.allowed or self._pause() > 0.0):
            await self._queue(order)
        else:
            self._in_use += 1
        if self.given_up is not None:
            self.leave()
            raise CallRefused(self.given_up.phrase)
        return HeldSlot(self, self._pace.round)

    def leave(self) -> None:
        """Give the slot back."""
        self._in_use -= 1
        self._admit()

    def answered(self, begun: int) -> None:
        """Note an answer, before the slot is given back."""
        self.alive()
        self._pace.answered(begun, self._in_use >= self.allowed)

    def alive(self) -> None:
        """Note that the service answered, if only to reject this one request."""
        if self._breaker.works():
            self._pace.halve()
            self._probe_at = 0.0

    def failed(self, begun: int, failure: Transient) -> None:
        """Note a failure that may pass with another attempt, before the slot is given back."""
        now = self._timing.clock()
        if failure.throttled:
            self._pace.refused(begun)
            asked = min(failure.retry_after_s or 0.0, self._retry.longest_retry_after_s)
            self._paused_until = max(self._paused_until, now + asked)
        self._probe_at = max(self._probe_at, now + self._breaker.fails(now, failure, self._ceiling))
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
                    if self._timer is None:
                        self._timer = asyncio.get_running_loop().call_later(wait, self._woken)
                    return
            turn = heapq.heappop(self._waiting)[-1]
            if not turn.done():
                self._in_use += 1
                turn.set_result(None)

    def _pause(self) -> float:
        until = max(self._paused_until, self._probe_at)
        return until - self._timing.clock() if until else 0.0

    def _woken(self) -> None:
        self._timer = None
        self._admit()

    def _give_up(self, now: float) -> None:
        seconds = now - self._breaker.since
        since = ""
        if self._breaker.answered:
            since = f"{datetime.fromtimestamp(self._timing.wall_clock() - seconds, UTC):%H:%M:%S} UTC"
        self.given_up = ServiceFailed(seconds=round(seconds, 1), since=since, error=self._breaker.last)
        for nap in self._naps:
            nap.cancel()
        self._admit()


class Limiter:
    """Slots for requests.

    A lane is what shares a rate limit: judges and targets with one key at one address are in the same one. A waiting
    lane holds none of the slots that all lanes share.
    """

    def __init__(self, overall: int, retry: RetryPolicy | None = None, timing: Timing | None = None) -> None:
        self._most = overall
        self._overall = asyncio.Semaphore(overall)
        self._retry = retry or RetryPolicy()
        self._timing = timing or Timing()
        self._lanes: dict[tuple[str, int | None], Lane] = {}

    def lane(self, provider: Provider) -> Lane:
        key = (provider.lane, provider.max_in_flight)
        lane = self._lanes.get(key)
        if lane is None:
            ceiling = min(self._most, provider.max_in_flight or self._most)
            lane = self._lanes[key] = Lane(ceiling, self._retry, self._timing)
        return lane

    def given_up(self) -> ServiceFailed | None:
        """Why a service gets no more requests; None while all respond."""
        return next((lane.given_up for lane in self._lanes.values() if lane.given_up is not None), None)

    @asynccontextmanager
    async def slot(self, provider: Provider, order: int = 0) -> AsyncIterator[HeldSlot]:
        """Wait for a slot and hold it; a cancelled request gives it back. Raises `CallRefused` when the service is
        given up."""
        lane = self.lane(provider)
        sent = await lane.enter(order)
        try:
            # The lane first: what waits for a busy service must not keep others from theirs.
            async with self._overall:
                yield sent
        finally:
            lane.leave()
