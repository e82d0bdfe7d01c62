"""What the action's inputs may do to the base's policy and budget: tighten."""

from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.action.limits import limited, tightened
from gate.domain.suite import Budget, RunPolicy
from gate.settings.inputs import Inputs

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
    policy = tightened(RunPolicy(fail_on=base), Inputs(fail_on=wanted))
    assert policy == RunPolicy(fail_on=result)


@given(NUMBERS, NUMBERS)
def test_a_budget_is_the_smaller_of_both(base: int | None, wanted: int | None) -> None:
    wishes = Inputs(max_calls=wanted, max_cost_usd=wanted, max_minutes=wanted, max_output_tokens=wanted)
    limits = [field.name for field in fields(Budget)]
    budget = limited(Budget(**dict.fromkeys(limits, base)), wishes)
    smaller = min((number for number in (base, wanted) if number is not None), default=None)
    # The cap on the month is the base's alone.
    assert budget == Budget(**dict.fromkeys(limits, smaller) | {"max_usd_per_month": base, "rest_of_month": base})


def test_a_budget_of_nothing_is_a_budget() -> None:
    assert limited(Budget(max_usd=5.0), Inputs(max_cost_usd=0.0)) == Budget(max_usd=0.0)
    assert limited(Budget(max_usd=0.0), Inputs(max_cost_usd=5.0)) == Budget(max_usd=0.0)


def test_each_limit_is_taken_by_itself() -> None:
    both = limited(Budget(10, 1.0, None), Inputs(max_calls=20, max_cost_usd=0.5, max_minutes=3.0))
    assert both == Budget(10, 0.5, 3.0)
