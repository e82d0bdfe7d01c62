"""How many requests a service takes at once, learnt from what becomes of them."""

import math
from collections.abc import Hashable
from dataclasses import dataclass, field

_SMALLEST_ROUND = 4
_RAREST = 32
"""Rounds without a refusal that a look beyond the wall can come to need."""

_STRAY = 1 / 12
"""Up to this share of a round, refusals are taken for bad luck: a service that is busy for everybody says no to some,
whatever we send."""

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
    """Compares the latency of a few recent replies with that of many.

    Each kind of request (a model, say) is compared with its own past, on the log scale, so that neither a change of
    the mix nor one slow prompt looks like a slow service. The long-term mean follows, so that a service that stays
    slower is taken as it is after some hundred replies (as in Netflix's concurrency-limits, Gradient2).

    Args:
        known: replies of a kind that make a past to compare with.
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
        """Are the replies since the last answer to this question clearly slower? Too few of them are kept for later."""
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

    It begins at the ceiling: limits are per minute far more often than per moment, and feeling the way up would cost
    every short run.

    Args:
        ceiling: requests under way at once, at most.
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
            kind: what its latency is compared with.
            latency_s: seconds, or None where time means nothing.
        """
        if latency_s is not None:
            self._latencies.add(kind, latency_s)
        self._full = self._full or full
        self._finish(begun)

    def refused(self, begun: int) -> None:
        """Note that a request was turned away because there were too many."""
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
            # A first surprise, or a look beyond the wall that failed once more?
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
            # Beyond the wall: one more at first, and bolder with every round that goes well.
            self._limit += 1 if self._limit < self._wall else 1 + self._clean // 2
        self._limit = min(self._limit, self._ceiling)

    def _next(self) -> None:
        self.round += 1
        self._begun = self._limit
        self._finished = self._refused = 0
        self._full = False
