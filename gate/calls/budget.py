"""Limits on calls, dollars and minutes, looked at before each request."""

from collections.abc import Callable

from gate.domain.suite import Budget
from gate.domain.usage import Cost, Dollars


class BudgetGuard:
    """Counts what is spent and says when to stop.

    Requests that are under way when the limit is reached are finished, so dollars may exceed their limit by what
    those cost. A call whose price is unknown counts as a call, and cannot count as dollars.

    Args:
        budget: the limits; the minutes run from now.
        clock: seconds that only grow.
    """

    def __init__(self, budget: Budget, clock: Callable[[], float]) -> None:
        self._budget = budget
        self._clock = clock
        self._started = clock()
        self._sent = 0
        self._usd = 0.0
        self._refused: str | None = None

    @property
    def refused(self) -> str | None:
        """Why a request was refused, or None when none was."""
        return self._refused

    def take(self) -> str | None:
        """Ask to send one request.

        Returns:
            None, and the request is counted; or why it must not be sent.
        """
        reason = self._used_up()
        if reason is None:
            self._sent += 1
        self._refused = self._refused or reason
        return reason

    def spend(self, cost: Cost) -> None:
        """Count the price of a reply."""
        if isinstance(cost, Dollars):
            self._usd += cost.amount

    def _used_up(self) -> str | None:
        limits = self._budget
        if limits.max_calls is not None and self._sent >= limits.max_calls:
            return f"the budget of {limits.max_calls} calls is used up"
        if limits.max_usd is not None and self._usd >= limits.max_usd:
            return f"the budget of ${limits.max_usd:g} is used up"
        if limits.max_minutes is not None and self._clock() - self._started >= limits.max_minutes * 60.0:
            return f"the budget of {limits.max_minutes:g} minutes is used up"
        return None
