"""What the runs of a backtest use of their one budget."""

from dataclasses import dataclass
from typing import Any

from gate.config.policy import Budget, Limit
from gate.record.run import RunRecord


@dataclass(slots=True)
class BudgetUse:
    """The totals of several runs.

    Args:
        calls: requests, including retries.
        run_s: seconds of runs, without the time between them.
    """

    calls: int = 0
    usd: float = 0.0
    run_s: float = 0.0

    def add(self, run: RunRecord) -> None:
        """Count what a run took."""
        self.calls += run.calls.made + run.calls.retried + run.calls.failed
        self.usd += run.spent_usd or 0.0
        self.run_s += run.duration_s

    def exhausted_limit(self, budget: Budget) -> str:
        """The first limit of which nothing is left, within a sentence; empty where something is left of all."""
        exhausted = (name for name, value in self._left(budget).items() if value is not None and value <= 0)
        return next((budget.setting(name) for name in exhausted), "")

    def remaining(self, budget: Budget) -> Budget:
        """What is left of a budget that is not used up."""
        return budget.model_copy(update={str(name): value for name, value in self._left(budget).items()})

    def _left(self, budget: Budget) -> dict[Limit, Any]:
        return {
            "max_calls": None if budget.max_calls is None else budget.max_calls - self.calls,
            "max_usd": None if budget.max_usd is None else budget.max_usd - self.usd,
            "max_minutes": None if budget.max_minutes is None else budget.max_minutes - self.run_s / 60.0,
        }
