"""The monthly cap on dollars: what was spent this month, what is left, and what is kept for later runs.

Runs on pull requests keep their spending in the pull request's comment, other runs in a ledger file. Two runs that
begin at the same time see the same rest, so that a month can end above its cap by what such runs spend.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from math import fsum

from gate.domain.absence import Failed
from gate.domain.spending import Ledger
from gate.domain.suite import MONTHLY, Budget
from gate.domain.usage import about_dollars, exact_dollars
from gate.errors import CannotEvaluate

_DUST = 1e-9
"""Dollars that sums of floats may be off by."""
_TOLD = 3
"""Pull requests that a refusal names."""


def month_of(now: datetime) -> str:
    """The month in UTC, `2026-11`; `now` has a time zone."""
    return f"{now.astimezone(UTC):%Y-%m}"


@dataclass(frozen=True, slots=True)
class Spent:
    """What was spent this month.

    Args:
        pulls: number of a pull request to the dollars that the gate's comments there tell of.
        others: dollars of runs without a pull request.
        sealed: the comments' word is that of runs with this run's secret; otherwise anybody may have made them up who
            can have a workflow post a comment.
    """

    pulls: Mapping[int, float]
    others: float = 0.0
    sealed: bool = False

    @property
    def dollars(self) -> float:
        return fsum([*self.pulls.values(), self.others])


def noted(ledger: Ledger, now: datetime) -> float:
    """Dollars that runs without a pull request have spent this month; `now` has a time zone."""
    month = month_of(now)
    return fsum(outlay.usd for outlay in ledger.values() if outlay.month == month)


def within(budget: Budget, already: Spent | Failed, now: datetime) -> Budget:
    """The run's budget, where the month leaves less the smaller of the two.

    Args:
        budget: of the base, tightened by the inputs; without a monthly cap it stays as it is.
        already: what was spent this month; `Failed` where that could not be read.
        now: with a time zone.

    Raises:
        CannotEvaluate: nothing is left, or nobody can tell what is.
    """
    cap = budget.max_usd_per_month
    if cap is None:
        return budget
    if isinstance(already, Failed):
        hint = "run again; to go on without a cap, take it out of the base's gate.yaml"
        raise CannotEvaluate(f"budget.max_usd_per_month cannot be kept: {already.reason}", hint)
    left = cap - already.dollars
    if left <= _DUST:
        raise CannotEvaluate(
            f"the cap of {exact_dollars(cap)} per month is used up: {about_dollars(already.dollars)} was spent in "
            f"{month_of(now)}, and the next month begins on {_next_month(now)} (UTC)",
            f"wait until then, or raise budget.max_usd_per_month on the base{_holders(already)}",
        )
    if budget.max_usd is not None and budget.max_usd <= left:
        return budget
    return budget.lowered("max_usd", left, MONTHLY)


def _holders(already: Spent) -> str:
    """Which pull requests hold the most, and what to do where that may be made up."""
    largest = sorted((item for item in already.pulls.items() if item[1] > 0), key=lambda item: (-item[1], item[0]))
    if not largest:
        return ""
    told = ", ".join(f"#{number} ({about_dollars(dollars)})" for number, dollars in largest[:_TOLD])
    forged = "" if already.sealed else "; delete what no run of the gate wrote, since without a secret none is sealed"
    return f"; the comments that count the most are on {told}{forged}"


def _next_month(now: datetime) -> str:
    here = now.astimezone(UTC)
    year, month = (here.year + 1, 1) if here.month == 12 else (here.year, here.month + 1)
    return f"{year}-{month:02}-01"
