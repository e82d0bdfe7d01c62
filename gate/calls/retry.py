"""When a request is sent again, and how long that waits."""

import random
from dataclasses import dataclass

from gate.calls.breaker import Patience

_LARGEST_EXPONENT = 30


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The one policy for every provider; the SDKs' own retries are off.

    Args:
        max_attempts: requests sent at most, the first one included.
        base_s: longest wait after the first attempt, in seconds; it doubles with each further one.
        cap_s: longest wait of ours.
        longest_retry_after_s: longest wait that a server can make us take.
        patience: how long a service may give nothing but failures.
    """

    max_attempts: int = 6
    base_s: float = 0.5
    cap_s: float = 30.0
    longest_retry_after_s: float = 60.0
    patience: Patience = Patience()

    def again(self, attempt: int) -> bool:
        """May another request follow attempt number `attempt` (the first is 1)?"""
        return attempt < self.max_attempts

    def delay(self, attempt: int, retry_after_s: float | None, rng: random.Random) -> float:
        """Seconds to wait after a failed attempt.

        Full jitter: uniform between 0 and an exponentially growing limit (Brooker, "Exponential Backoff And Jitter",
        AWS Architecture Blog, 2015). What the server asked for comes before that, so that requests which were turned
        away together do not come back together.

        Args:
            attempt: number of the attempt that failed, from 1.
            retry_after_s: what the server asked for.
            rng: source of the jitter.
        """
        limit = min(self.cap_s, self.base_s * 2.0 ** min(attempt - 1, _LARGEST_EXPONENT))
        asked = min(max(retry_after_s or 0.0, 0.0), self.longest_retry_after_s)
        return asked + rng.uniform(0.0, limit)
