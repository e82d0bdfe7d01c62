"""Tells an outage from bad luck: waits through a short one, and gives a long one up."""

from dataclasses import dataclass

_FEWEST = 5
_EXPONENT = 20


@dataclass(frozen=True, slots=True)
class Patience:
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
class Breaker:
    """Watches the outcomes of one lane.

    After as many failures in a row as there may be requests under way, only one request at a time is sent, with
    growing waits between them: the others keep their attempts for when the service is back.

    Args:
        patience: how long a service may fail.
        base_s: the first wait between two probes, in seconds.
    """

    patience: Patience
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
        """Note a sign of life.

        Returns:
            The service was being probed, and is back.
        """
        back, self.probing = self.probing, False
        self._answered = True
        self._row = self._probes = 0
        self._next = 0.0
        return back

    def fails(self, now: float, reason: str, *, throttled: bool, in_flight: int) -> float:
        """Note a failure that another try may mend.

        Args:
            now: seconds on a clock that only grows.
            reason: one line.
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
