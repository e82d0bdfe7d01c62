"""What is to be evaluated: two arms, one exam, and the policy that judges the difference."""

from dataclasses import dataclass, field
from typing import Literal

from gate.domain.case import Case, ScorerSpec
from gate.domain.model import ModelRef, Params
from gate.domain.prompt import PromptVersion
from gate.domain.sample import ArmName

OVERALL = "overall"
"""The slice of all cases."""

MethodName = Literal["maxt", "percentile"]


@dataclass(frozen=True, slots=True)
class Arm:
    """Prompt, model and parameters, each read at its own ref."""

    version: PromptVersion
    model: ModelRef
    params: Params


@dataclass(frozen=True, slots=True)
class SuitePolicy:
    """What one suite tolerates.

    Args:
        max_cost_increase: allowance as a fraction; 0.10 is +10 %.
        max_latency_increase: allowance on the mean per-case log ratio, as a fraction.
        required: slices that must have enough cases.
        advisory: slices that are shown and never block.
    """

    max_cost_increase: float = 0.10
    max_latency_increase: float = 0.20
    required: tuple[str, ...] = ()
    advisory: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunPolicy:
    """What holds for the whole run.

    Args:
        confidence: two-sided; alpha = (1 - confidence) / 2, one-sided, for all slices of all suites together.
        fail_on: `hold` turns HOLD into exit 1.
        method: `maxt` (default) or `percentile`, the familiar unadjusted rule.
    """

    confidence: float = 0.95
    fail_on: Literal["block", "hold"] = "block"
    method: MethodName = "maxt"

    @property
    def alpha(self) -> float:
        return (1.0 - self.confidence) / 2.0


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits that are enforced before each call; None is no limit."""

    max_calls: int | None = None
    max_usd: float | None = None
    max_minutes: float | None = None


@dataclass(frozen=True, slots=True)
class Exam:
    """Cases, scorers and policy, pinned to one ref.

    Args:
        ref: where the exam was read.
        digest: SHA-256 of cases, scorers and policy.
        cases: in file order.
        scorers: the suite's scorers; a case may bring its own.
        dimensions: slice dimensions that are tested.
        policy: what the suite tolerates.
    """

    ref: str
    digest: str
    cases: tuple[Case, ...]
    scorers: tuple[ScorerSpec, ...]
    dimensions: tuple[str, ...] = ()
    policy: SuitePolicy = field(default_factory=SuitePolicy)


@dataclass(frozen=True, slots=True)
class Suite:
    """One prompt with its eval set, model, scorers and policy.

    Args:
        name: unique within a run.
        baseline, candidate: the two arms.
        exam: what both arms sit.
        samples: k, outputs per case and arm.
        trial: shown, but has no part in the verdict: its exam is the change's own.
    """

    name: str
    baseline: Arm
    candidate: Arm
    exam: Exam
    samples: int = 3
    trial: bool = False

    def arm(self, name: ArmName) -> Arm:
        return self.baseline if name is ArmName.BASELINE else self.candidate
