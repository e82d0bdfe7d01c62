"""What the inputs may do to the policy and the budget of the merge target: tighten them."""

from dataclasses import replace
from typing import TypeVar

from gate.domain.suite import Budget, RunPolicy, Suite
from gate.settings.inputs import Inputs

Number = TypeVar("Number", int, float)


def tightened(policy: RunPolicy, inputs: Inputs) -> RunPolicy:
    """The policy with what the inputs add; they cannot take anything away."""
    return replace(policy, fail_on="hold") if inputs.fail_on == "hold" else policy


def limited(budget: Budget, inputs: Inputs) -> Budget:
    """The budget, where the inputs set one the smaller of the two."""
    return replace(
        budget,
        max_calls=_smaller(budget.max_calls, inputs.max_calls),
        max_usd=_smaller(budget.max_usd, inputs.max_cost_usd),
        max_minutes=_smaller(budget.max_minutes, inputs.max_minutes),
        max_output_tokens=_smaller(budget.max_output_tokens, inputs.max_output_tokens),
    )


def sampled(suite: Suite, inputs: Inputs) -> Suite:
    """The suite with as many samples as the inputs ask for, and no fewer than it has."""
    return replace(suite, samples=max(suite.samples, inputs.samples or 0))


def _smaller(one: Number | None, other: Number | None) -> Number | None:
    given = [number for number in (one, other) if number is not None]
    return min(given, default=None)
