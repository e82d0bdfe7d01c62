"""The totals of several runs under one budget."""

from dataclasses import dataclass
from typing import Any

from gate.config.policy import Budget, Limit
from gate.record.run import RunRecord
from gate.report import numbers
from gate.values import counted


@dataclass(slots=True)
class Session:
    """The totals of the runs of a session.

    Args:
        calls: requests, including retries.
        run_s: seconds of runs, without the time between them.
    """

    runs: int = 0
    calls: int = 0
    usd: float = 0.0
    run_s: float = 0.0

    def add(self, run: RunRecord) -> None:
        """Count what a run took."""
        self.calls += run.calls.made + run.calls.retried + run.calls.failed
        self.usd += run.spent_usd or 0.0
        self.run_s += run.duration_s

    def used_up(self, budget: Budget) -> str:
        """The first limit of which nothing is left, within a sentence; empty where something is left of all."""
        spent = (name for name, value in self._left(budget).items() if value is not None and value <= 0)
        return next((budget.setting(name) for name in spent), "")

    def rest(self, budget: Budget) -> Budget:
        """What the session leaves of a budget that is not used up."""
        return budget.model_copy(update={str(name): value for name, value in self._left(budget).items()})

    def _left(self, budget: Budget) -> dict[Limit, Any]:
        return {
            "max_calls": None if budget.max_calls is None else budget.max_calls - self.calls,
            "max_usd": None if budget.max_usd is None else budget.max_usd - self.usd,
            "max_minutes": None if budget.max_minutes is None else budget.max_minutes - self.run_s / 60.0,
        }

    def __str__(self) -> str:
        money = f", {numbers.dollars(self.usd)}" if self.usd else ""
        return f"{counted(self.runs, 'run')}, {counted(self.calls, 'call')}{money}"
