"""What several runs leave of their budget."""

from math import isclose

from gate.app.session import Session
from gate.config.policy import Budget
from tests.support.run_records import finished
from tests.support.runs import suite


def test_a_budget_is_that_of_the_session() -> None:
    session = Session()
    run = finished([suite([{"g": "a"}])], lambda case, arm, index: 1.0)
    run = run.model_copy(
        update={
            "spent_usd": 0.75,
            "duration_s": 90.0,
            "calls": run.calls.model_copy(update={"made": 30, "cached": 50, "retried": 4, "failed": 2}),
        }
    )
    session.add(run)
    left = session.rest(Budget(max_calls=100, max_usd=2.0, max_minutes=2.0, max_output_tokens=50))
    assert (left.max_calls, left.max_usd, left.max_minutes, left.max_output_tokens) == (64, 1.25, 0.5, 50)
    assert session.rest(Budget()) == Budget()
    session.add(run)
    for limit, spent in (
        ("budget.max_calls", Budget(max_calls=72)),
        ("budget.max_usd", Budget(max_usd=1.5)),
        ("budget.max_minutes", Budget(max_minutes=3.0)),
    ):
        assert session.used_up(spent) == limit
    assert session.used_up(Budget(max_calls=73, max_output_tokens=1)) == ""
    assert isclose(session.usd, 1.5)
