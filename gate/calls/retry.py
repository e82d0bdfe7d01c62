"""When a request is sent again, how long that waits, and when an outage is given up."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

_FEWEST = 5
_EXPONENT = 20


@dataclass(frozen=True, slots=True)
class OutagePatience:
    """How long a service may fail.

    Args:
        outage_s: seconds of nothing but failures, after which a service that has answered before is given up; longer
            than the minute that many rate limits are counted in.
        absent_s: the same for one that has never answered.
        probe_s: longest wait between two attempts to find out.
    """

    outage_s: float = 90.0
    absent_s: float = 7.0
    probe_s: float = 8.0


@dataclass(slots=True)
class OutageBreaker:
    """Watches the outcomes of one lane.

    After as many failures in a row as there may be requests under way, only one request at a time is sent, with
    growing waits between them: the others keep their attempts for when the service is back.
    """

    patience: OutagePatience
    base_s: float
    probing: bool = False
    given_up: bool = False
    last: str = ""
    since: float = 0.0
    _row: int = 0
    _probes: int = 0
    _answered: bool = False
    _next: float = 0.0

    @property
    def answered(self) -> bool:
        """Has the service ever answered?"""
        return self._answered

    def works(self) -> bool:
        """Note a sign of life; True when the service was being probed, and is back."""
        back, self.probing = self.probing, False
        self._answered = True
        self._row = self._probes = 0
        self._next = 0.0
        return back

    def fails(self, now: float, reason: str, *, throttled: bool, in_flight: int) -> float:
        """Note a failure that may pass with another attempt.

        Args:
            now: seconds on a clock that only grows.
            throttled: the service is there, and busy.
            in_flight: requests that may be under way at best: so many can fail for one and the same reason.

        Returns:
            Seconds until the next request should be sent; 0 outside an outage, and while such a wait runs.
        """
        if self._row == 0:
            self.since = now
        self._row += 1
        self.last = reason
        quick = not self._answered and not throttled
        allowed_s = self.patience.absent_s if quick else self.patience.outage_s
        if self._row >= _FEWEST and now - self.since >= allowed_s:
            self.given_up = True
        if not self.probing:
            self.probing = self._row >= max(_FEWEST, in_flight)
        if not self.probing or now < self._next:
            return 0.0
        self._probes += 1
        wait = min(self.patience.probe_s, self.base_s * 2.0 ** min(self._probes - 1, _EXPONENT))
        self._next = now + wait
        return wait


_LARGEST_EXPONENT = 30


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The one policy for every provider; the SDKs' own retries are off.

    Args:
        max_attempts: requests sent at most, the first one included.
        base_s: longest wait after the first attempt, in seconds; doubles with each further one.
        cap_s: longest wait of ours.
        longest_retry_after_s: longest wait that a server can make us take.
    """

    max_attempts: int = 6
    base_s: float = 0.5
    cap_s: float = 30.0
    longest_retry_after_s: float = 60.0
    patience: OutagePatience = OutagePatience()

    def again(self, attempt: int) -> bool:
        """May another request follow attempt number `attempt` (the first is 1)?"""
        return attempt < self.max_attempts

    def delay(self, attempt: int, retry_after_s: float | None, rng: random.Random) -> float:
        """Seconds to wait after a failed attempt.

        Full jitter: uniform between 0 and an exponentially growing limit (Brooker, "Exponential Backoff And Jitter",
        AWS Architecture Blog, 2015). What the server asked for is added, so that requests refused together do not come
        back together.

        Args:
            attempt: number of the attempt that failed, from 1.
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
