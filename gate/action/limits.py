"""What the inputs may do to the policy and the budget of the merge target: tighten them."""

from gate.config.policy import Budget, Limit, RunPolicy
from gate.settings.inputs import Inputs


def tightened(policy: RunPolicy, inputs: Inputs) -> RunPolicy:
    """The policy with what the inputs add; they cannot take anything away."""
    return policy.model_copy(update={"fail_on": "hold"}) if inputs.fail_on == "hold" else policy


def limited(budget: Budget, inputs: Inputs) -> Budget:
    """The budget, where the inputs set one the smaller of the two."""
    wanted: dict[Limit, tuple[str, float | None]] = {
        "max_calls": ("max-calls", inputs.max_calls),
        "max_usd": ("max-cost-usd", inputs.max_cost_usd),
        "max_minutes": ("max-minutes", inputs.max_minutes),
    }
    for limit, (name, number) in wanted.items():
        own: float | None = getattr(budget, limit)
        if number is not None and (own is None or number < own):
            budget = budget.lowered(limit, number, f"the input {name}")
    return budget
