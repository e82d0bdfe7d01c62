"""What the calls of a run came to."""

from dataclasses import dataclass

from gate.domain.usage import Cost, Dollars


@dataclass(slots=True)
class Counters:
    """What the calls came to so far.

    Args:
        made: calls that were answered.
        reused: answers that were known already.
        retried: requests that were sent again.
        failed: calls that were given up.
        usd: dollars of the answered calls whose price is known.
        priced, unknown: answered calls with a known price, and with one that exists but is not known.
    """

    made: int = 0
    reused: int = 0
    retried: int = 0
    failed: int = 0
    usd: float = 0.0
    priced: int = 0
    unknown: int = 0

    def answered(self, cost: Cost) -> None:
        """Count an answer.

        Args:
            cost: its price.
        """
        self.made += 1
        if isinstance(cost, Dollars):
            self.priced += 1
            self.usd += cost.amount
        elif cost.why == "unknown":
            self.unknown += 1
