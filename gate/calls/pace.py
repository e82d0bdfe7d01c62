"""How many requests a service takes at once, learnt from what becomes of them."""

import math
from collections.abc import Hashable
from dataclasses import dataclass, field

_SMALLEST_ROUND = 4
_DEEPEST_CUT = 0.5
_GENTLE_CUT = 0.9
_GENTLE_FLOOR = 0.25
"""Rising latency alone takes no lane below this share of the ceiling: slow is not broken."""

_KNOWN = 20
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
    """

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
        if seen >= _KNOWN:
            rise = log - mean
            self._count += 1
            self._sum += rise
            self._squares += rise * rise
        seen = min(seen + 1, _MEMORY)
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
    """Additive increase, multiplicative decrease, decided once a round.

    A round is as many finished requests as may be under way; only requests that were sent in a round count for it, so
    that one burst of refusals is answered once. The share of refusals says how deep to cut, as in DCTCP (Alizadeh et
    al., SIGCOMM 2010): a server that takes 10 of 64 is found in three rounds, and one stray refusal costs one slot.

    It begins at the ceiling: a limit is per minute far more often than per moment, and feeling the way up would cost
    every short run.

    Args:
        ceiling: requests under way at once, at most.
    """

    def __init__(self, ceiling: int) -> None:
        self._ceiling = ceiling
        self._limit = float(ceiling)
        self._latencies = Latencies()
        self._clean = 0
        self._finished = self._refused = 0
        self._full = False
        self.round = 0

    @property
    def allowed(self) -> int:
        """Requests that may be under way now, 1 or more."""
        return max(1, int(self._limit))

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
        self._finish(begun)

    def halve(self) -> None:
        """Begin carefully after an outage."""
        self._cut(_DEEPEST_CUT)
        self._next()

    def _finish(self, begun: int) -> None:
        if begun != self.round:
            return
        self._finished += 1
        if self._finished >= max(self.allowed, _SMALLEST_ROUND):
            self._decide()
            self._next()

    def _decide(self) -> None:
        slower = self._latencies.rising()
        if self._refused:
            self._cut(max(_DEEPEST_CUT, 1.0 - self._refused / self._finished))
        elif slower:
            floor = min(self._limit, max(1.0, _GENTLE_FLOOR * self._ceiling))
            self._limit = max(floor, self._limit * _GENTLE_CUT)
            self._clean = 0
        elif self._full:
            # One more at first, and bolder with every round that went well.
            self._limit = min(float(self._ceiling), self._limit + 1.0 + self._clean / 2.0)
            self._clean += 1

    def _cut(self, factor: float) -> None:
        self._limit = max(1.0, self._limit * factor)
        self._clean = 0

    def _next(self) -> None:
        self.round += 1
        self._finished = self._refused = 0
        self._full = False
