"""Rate limits: one queue for each limit, a pace learnt from the replies, and one limit on all requests in flight."""

import asyncio
import heapq
import math
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from gate.calls.provider import Completion, Headroom, Provider, Transient
from gate.calls.retry import OutageBreaker, RetryPolicy, Timing
from gate.config.models import ModelRef

_SMALLEST_ROUND = 4
_RAREST = 32
"""Most rounds without a refusal that are needed before a request beyond the wall."""

_STRAY = 1 / 12
"""Refusals up to this share of a round are taken for chance: a busy service refuses some, whatever we send."""

_GENTLE_CUT = 0.9
_GENTLE_FLOOR = 0.25
"""Rising latency alone takes no lane below this share of the ceiling: slow is not broken."""

_ROUNDS_KNOWN = 4
"""The first replies to come are the quickest: so many rounds make a past to compare with."""
_MEMORY = 400
_ENOUGH = 16
_SLOWER = math.log(1.5)
_STANDARD_ERRORS = 4.0


@dataclass(slots=True)
class Latencies:
    """Compares the latency of a few recent replies with that of at least `known` earlier ones of their kind.

    Each kind of request (a model, say) is compared with its own past, on the log scale, so that neither a change of the
    mix nor one slow prompt looks like a slow service. The long-term mean follows within some hundred replies (as in
    Netflix's concurrency-limits, Gradient2).
    """

    known: int
    _past: dict[Hashable, tuple[int, float]] = field(default_factory=dict)
    _count: int = 0
    _sum: float = 0.0
    _squares: float = 0.0

    def add(self, kind: Hashable, latency_s: float) -> None:
        """Note one reply."""
        if not 0.0 < latency_s < math.inf:
            return
        log = math.log(latency_s)
        seen, mean = self._past.get(kind, (0, log))
        if seen >= self.known:
            rise = log - mean
            self._count += 1
            self._sum += rise
            self._squares += rise * rise
        seen = min(seen + 1, max(_MEMORY, self.known))
        self._past[kind] = (seen, mean + (log - mean) / seen)

    def rising(self) -> bool:
        """Are the replies since the last check clearly slower? Too few of them are kept for the next check."""
        if self._count < _ENOUGH:
            return False
        mean = self._sum / self._count
        variance = max(0.0, self._squares / self._count - mean * mean)
        noise = math.sqrt(variance / self._count)
        self._count, self._sum, self._squares = 0, 0.0, 0.0
        return mean > max(_SLOWER, _STANDARD_ERRORS * noise)


class Pace:
    """Learns how many requests may be under way: each refusal takes its slot away, rounds without one give some back.

    A round is as many finished requests as may be under way; only requests that were sent in a round count for it, so
    that one burst of refusals is answered once, and by no more than half. A server that takes 10 of 64 is found in
    three rounds. Where it refused is remembered as a wall: up to there the way back is short, as in CUBIC (Ha et al.,
    SIGOPS 2008), and each look beyond it that failed makes the next one rarer.

    It begins at the ceiling: limits are mostly per minute, and a slow start would delay every short run.
    """

    def __init__(self, ceiling: int) -> None:
        self._ceiling = self._limit = self._wall = self._begun = ceiling
        self._latencies = Latencies(_ROUNDS_KNOWN * ceiling)
        self._clean, self._needed = 0, 1
        self._finished = self._refused = 0
        self._full = False
        self.round = 0

    @property
    def allowed(self) -> int:
        """Requests that may be under way now, 1 or more."""
        return self._limit

    def answered(self, begun: int, full: bool, kind: Hashable, latency_s: float | None) -> None:
        """Note an answer.

        Args:
            begun: the round in which the request was sent.
            full: no further request could have been under way.
            latency_s: seconds, or None where time means nothing.
        """
        if latency_s is not None:
            self._latencies.add(kind, latency_s)
        self._full = self._full or full
        self._finish(begun)

    def refused(self, begun: int) -> None:
        """Note that a request was refused because there were too many."""
        if begun == self.round:
            self._refused += 1
            self._limit = max(1, (self._begun + 1) // 2, self._limit - 1)
        self._finish(begun)

    def halve(self) -> None:
        """Begin carefully after an outage."""
        self._limit = max(1, self._limit // 2)
        self._next()

    def _finish(self, begun: int) -> None:
        if begun != self.round:
            return
        self._finished += 1
        if self._finished >= max(self._begun, _SMALLEST_ROUND):
            self._decide()
            self._next()

    def _decide(self) -> None:
        slower = self._latencies.rising()
        if self._refused > _STRAY * self._finished:
            # A first refusal, or another failed attempt beyond the wall?
            self._needed = min(2 * self._needed, _RAREST) if self._begun == self._wall else 1
            self._wall, self._clean = self._begun, 0
        elif slower:
            floor = max(1, min(self._limit, math.ceil(_GENTLE_FLOOR * self._ceiling)))
            self._limit, self._clean = max(floor, math.floor(self._limit * _GENTLE_CUT)), 0
        elif self._full:
            self._clean = 0 if self._refused else self._clean + 1
            self._grow()

    def _grow(self) -> None:
        below = self._wall - 1 - self._limit
        if below > 0:
            self._limit += (below + 1) // 2
        elif self._clean and (self._limit >= self._wall or self._clean >= self._needed):
            # Beyond the wall: one more at first, then larger steps with every round without a refusal.
            self._limit += 1 if self._limit < self._wall else 1 + self._clean // 2
        self._limit = min(self._limit, self._ceiling)

    def _next(self) -> None:
        self.round += 1
        self._begun = self._limit
        self._finished = self._refused = 0
        self._full = False


class CallRefused(Exception):
    """The request must not be sent; the reason is one line."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class SendTime(NamedTuple):
    """When a request was sent: the round of the pace, and the time on the lane's clock."""

    round: int
    at: float


@dataclass(slots=True)
class _Claims:
    """What the server says of its headroom: believed until waiting for it proves to change nothing."""

    _until: float = 0.0
    _left_since: bool = True
    _doubted: bool = False

    def wait_s(self, claim: Headroom, sent_at: float, now: float, longest_s: float) -> float:
        """Seconds to wait because of a claim; a request sent before the last wait ended adds none."""
        if sent_at < self._until:
            return 0.0
        if not claim.used_up:
            self._left_since = True
            return 0.0
        # A server that always claims to have nothing left tells us nothing.
        self._doubted = self._doubted or not self._left_since
        if self._doubted:
            return 0.0
        self._left_since = False
        wait = min(claim.reset_s, longest_s)
        self._until = now + wait
        return wait


class Lane:
    """Slots that are given in order of arrival; a request that is sent again keeps its place. `retry` gives the longest
    wait that a server can ask for, and the first wait between two probes."""

    def __init__(self, ceiling: int, retry: RetryPolicy, timing: Timing) -> None:
        self._ceiling = ceiling
        self._pace = Pace(ceiling)
        self._breaker = OutageBreaker(retry.patience, retry.base_s)
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

    async def enter(self, order: int) -> SendTime:
        """Wait for a slot and take it.

        Args:
            order: number of the call; a lower one is served first.

        Raises:
            CallRefused: the service is given up.
        """
        if self.given_up is None and (self._waiting or self._in_use >= self.allowed or self._pause() > 0.0):
            await self._queue(order)
        else:
            self._in_use += 1
        if self.given_up is not None:
            self.leave()
            raise CallRefused(self.given_up)
        return SendTime(self._pace.round, self._timing.clock())

    def leave(self) -> None:
        """Give the slot back."""
        self._in_use -= 1
        self._admit()

    def answered(self, sent: SendTime, kind: Hashable, latency_s: float | None, claim: Headroom | None) -> None:
        """Note an answer, before the slot is given back.

        Args:
            latency_s: seconds, or None where time means nothing.
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

    def failed(self, sent: SendTime, failure: Transient) -> None:
        """Note a failure that may pass with another attempt, before the slot is given back."""
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


@dataclass(frozen=True, slots=True)
class Turn:
    """A held slot, told how the request ended; `learns` where the service can be overloaded."""

    lane: Lane
    sent: SendTime
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
            order: number of the call; in a lane a lower one is served first.

        Raises:
            CallRefused: the service is given up.
        """
        lane = self.lane(provider)
        sent = await lane.enter(order)
        try:
            # The lane first: what waits for a busy service must not keep others from theirs.
            async with self._overall:
                yield Turn(lane, sent, bool(provider.lane))
        finally:
            lane.leave()
