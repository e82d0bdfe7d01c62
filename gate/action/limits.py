"""What the inputs may do to the policy and the budget of the merge target: tighten them."""

from dataclasses import dataclass, replace

from gate.domain.suite import Budget, Limit, RunPolicy, Suite
from gate.settings.inputs import Inputs

READING_MINUTES = 5.0
"""For all that comes before the first call, unless max-minutes is set: no budget counts yet."""


_FIRST = "the files of both sides were read"


@dataclass(slots=True)
class Reading:
    """How long the change may be read, and how far that is.

    Args:
        minutes: it may take.
        doing: what is under way, after "while".
    """

    minutes: float
    doing: str = _FIRST

    def told(self) -> tuple[str, str]:
        """What to say when the time is over, and what helps."""
        limit = f"{self.minutes:g} minute{'' if self.minutes == 1 else 's'}"
        message = f"reading the change took longer than {limit}; the time ran out while {self.doing}"
        hint = (
            "look among what it brings for templates with long loops or very long tags, for JSON Schemas and patterns "
            "in many cases, and for large case files that several suites name; the input max-minutes gives it more time"
        )
        if self.doing == _FIRST:
            hint = "GitHub may be slow, or the repository very large: run the job again, or raise the input max-minutes"
        return message, hint


def reading(inputs: Inputs) -> Reading:
    """The time for reading: as the workflow says for the run, which no change from outside can touch."""
    return Reading(inputs.max_minutes or READING_MINUTES)


def tightened(policy: RunPolicy, inputs: Inputs) -> RunPolicy:
    """The policy with what the inputs add; they cannot take anything away."""
    return replace(policy, fail_on="hold") if inputs.fail_on == "hold" else policy


def limited(budget: Budget, inputs: Inputs) -> Budget:
    """The budget, where the inputs set one the smaller of the two."""
    wanted: dict[Limit, tuple[str, float | None]] = {
        "max_calls": ("max-calls", inputs.max_calls),
        "max_usd": ("max-cost-usd", inputs.max_cost_usd),
        "max_minutes": ("max-minutes", inputs.max_minutes),
        "max_output_tokens": ("max-output-tokens", inputs.max_output_tokens),
    }
    for limit, (name, number) in wanted.items():
        own: float | None = getattr(budget, limit)
        if number is not None and (own is None or number < own):
            budget = budget.lowered(limit, number, f"the input {name}")
    return budget


def sampled(suite: Suite, inputs: Inputs) -> Suite:
    """The suite with as many samples as the inputs ask for, and no fewer than it has."""
    return replace(suite, samples=max(suite.samples, inputs.samples or 0))
