"""What the runs of a backtest leave of their budget."""

from math import isclose

from gate.backtest.budget_use import BudgetUse
from gate.config.policy import Budget
from tests.support.run_records import finished
from tests.support.runs import suite


def test_all_runs_share_one_budget() -> None:
    used = BudgetUse()
    run = finished([suite([{"g": "a"}])], lambda case, arm, index: 1.0)
    run = run.model_copy(
        update={
            "spent_usd": 0.75,
            "duration_s": 90.0,
            "calls": run.calls.model_copy(update={"made": 30, "cached": 50, "retried": 4, "failed": 2}),
        }
    )
    used.add(run)
    left = used.remaining(Budget(max_calls=100, max_usd=2.0, max_minutes=2.0, max_output_tokens=50))
    assert (left.max_calls, left.max_usd, left.max_minutes, left.max_output_tokens) == (64, 1.25, 0.5, 50)
    assert used.remaining(Budget()) == Budget()
    used.add(run)
    for limit, spent in (
        ("budget.max_calls", Budget(max_calls=72)),
        ("budget.max_usd", Budget(max_usd=1.5)),
        ("budget.max_minutes", Budget(max_minutes=3.0)),
    ):
        assert used.exhausted_limit(spent) == limit
    assert used.exhausted_limit(Budget(max_calls=73, max_output_tokens=1)) == ""
    assert isclose(used.usd, 1.5)
