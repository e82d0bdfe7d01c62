"""What the action's inputs may do to the base's policy and budget: tighten."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.action.evaluation import limited_budget, tightened_policy
from gate.config.policy import Budget, Limit, RunPolicy
from gate.environment.action import Inputs

NUMBERS = st.none() | st.integers(1, 100)


@pytest.mark.parametrize(
    ("base", "wanted", "result"),
    [
        ("block", None, "block"),
        ("block", "block", "block"),
        ("block", "hold", "hold"),
        ("hold", None, "hold"),
        ("hold", "block", "hold"),
        ("hold", "hold", "hold"),
    ],
)
def test_fail_on_is_the_stricter_of_both(base: Any, wanted: Any, result: Any) -> None:
    policy = tightened_policy(RunPolicy(fail_on=base), Inputs(fail_on=wanted))
    assert policy == RunPolicy(fail_on=result)


@given(NUMBERS, NUMBERS)
def test_a_budget_is_the_smaller_of_both(base: int | None, wanted: int | None) -> None:
    wishes = Inputs(max_calls=wanted, max_cost_usd=wanted, max_minutes=wanted)
    limits: tuple[Limit, ...] = ("max_calls", "max_usd", "max_minutes")
    all_same: dict[str, Any] = dict.fromkeys(limits, base)
    budget = limited_budget(Budget(**all_same), wishes)
    smaller = min((number for number in (base, wanted) if number is not None), default=None)
    assert {getattr(budget, limit) for limit in limits} == {smaller}
    of_inputs = [f"the input {name}" for name in ("max-calls", "max-cost-usd", "max-minutes")]
    of_base = ["budget.max_calls", "budget.max_usd", "budget.max_minutes"]
    named = of_inputs if wanted is not None and (base is None or wanted < base) else of_base
    assert [budget.setting(limit) for limit in limits] == named
