"""`run.json`, schema `prompt-gate/run/1`: the whole record of one evaluation, from which every report is rendered.

A bound of `null` beside a mean is infinite. Costs are dollars, or null with the reason in the axis.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from gate.domain.caching import Obstacle
from gate.domain.passrate import PassState
from gate.domain.verdict import State, Verdict

SCHEMA = "prompt-gate/run/1"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class ArmRecord(_Model):
    """One arm: prompt version, model, parameters."""

    ref: str
    sha: str | None
    path: str
    digest: str
    model: str
    returned_models: list[str]
    params: dict[str, JsonValue]


class ExamRecord(_Model):
    """The exam and how the candidate's side changed it."""

    ref: str
    digest: str
    cases: int
    scorers: list[str]
    added: list[str] = []
    removed: list[str] = []
    edited: list[str] = []


class ComparisonRecord(_Model):
    """See `gate.domain.comparison.Comparison`."""

    slice: str
    n: int
    units: int
    baseline: float | None
    candidate: float | None
    mean: float | None
    lower: float | None
    upper: float | None
    p: float | None
    state: State
    method: str
    blocking: bool
    advisory: bool
    familiar_fail: bool
    mde: float | None
    cases_needed: int | None
    moved: int
    margin: float = 0.0


class QualityRecord(_Model):
    """Quality of one suite: all cases, then its slices."""

    overall: ComparisonRecord
    slices: list[ComparisonRecord]


class UsageRecord(_Model):
    """Tokens, summed over an arm's replies."""

    input_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    output_tokens: int


class EstimateRecord(_Model):
    """See `gate.domain.comparison.Estimate`."""

    value: float
    lower: float | None
    upper: float | None


class ArmAxisRecord(_Model):
    """See `gate.domain.comparison.ArmAxis`."""

    mean: float | None
    p50: float | None
    p95: float | None
    usage: UsageRecord | None
    calls: int = 0


class AxisRecord(_Model):
    """See `gate.domain.comparison.AxisComparison`."""

    axis: Literal["cost", "latency"]
    compared: bool
    reason: str
    applicable: bool
    n: int
    baseline: ArmAxisRecord
    candidate: ArmAxisRecord
    change: float | None
    lower: float | None
    upper: float | None
    allowance: float
    exceeded: bool
    p50_change: EstimateRecord | None = None
    p95_change: EstimateRecord | None = None


class PlaceRecord(_Model):
    """See `gate.domain.caching.Place`."""

    message: int
    line: int
    variable: str


class ArmPrefixRecord(_Model):
    """See `gate.domain.caching.ArmPrefix`."""

    requests: int
    tokens: int
    request_tokens: int
    measured: bool
    place: PlaceRecord | None
    minimum: int | None
    obstacle: Obstacle


class CacheRecord(_Model):
    """See `gate.domain.caching.CacheComparison`."""

    baseline: ArmPrefixRecord
    candidate: ArmPrefixRecord
    shrank: bool
    moved: bool
    fresh_tokens: int
    fresh_usd: float | None
    baseline_share: EstimateRecord | None
    candidate_share: EstimateRecord | None
    share_change: EstimateRecord | None


class OutputRecord(_Model):
    """One output of one arm, kept for the informative cases only."""

    index: int
    text: str | None
    failure: str | None
    score: float | None
    reasons: list[str]


class CaseRecord(_Model):
    """Both arms' scores on one case; outputs only where they differ most."""

    id: str
    where: str
    slices: dict[str, str]
    baseline: list[float | None]
    candidate: list[float | None]
    delta: float | None
    cluster: str | None = None
    input: str | None = None
    expected: JsonValue = None
    baseline_outputs: list[OutputRecord] = []
    candidate_outputs: list[OutputRecord] = []


class CallsRecord(_Model):
    """Model calls: answered (judges included), read from a cache, sent again, given up."""

    made: int
    cached: int
    retried: int
    failed: int


class SuiteRecord(_Model):
    """One suite of the run."""

    name: str
    samples: int
    baseline: ArmRecord
    candidate: ArmRecord
    exam: ExamRecord
    quality: QualityRecord
    cost: AxisRecord
    latency: AxisRecord
    cases: list[CaseRecord]
    calls: CallsRecord
    spent_usd: float | None
    cost_note: str = ""
    cache: CacheRecord | None = None


class PassRateRecord(_Model):
    """See `gate.domain.passrate.PassRate`."""

    slice: str
    n: int
    units: int
    passed: float
    rate: float | None
    lower: float | None
    upper: float | None
    wanted: float | None
    state: PassState
    doubtful: bool
    blocking: bool
    advisory: bool


class NewCaseRecord(_Model):
    """One case of a prompt that stands alone: scores, and which samples pass; outputs of failing cases only."""

    id: str
    where: str
    slices: dict[str, str]
    scores: list[float | None]
    passed: list[bool | None]
    input: str | None = None
    expected: JsonValue = None
    outputs: list[OutputRecord] = []


class NewSuiteRecord(_Model):
    """One suite whose prompt the change brings: there is no baseline, so its own pass rate is judged.

    `level` is the one-sided level of its bounds; `threshold` is the score at which a sample passes, or null where each
    scorer has its own mark; `priced` is false where money means nothing, as with a local model.
    """

    name: str
    samples: int
    candidate: ArmRecord
    exam: ExamRecord
    threshold: float | None
    overall: PassRateRecord
    slices: list[PassRateRecord]
    level: float = 0.025
    cost: ArmAxisRecord
    latency: ArmAxisRecord
    priced: bool
    cases: list[NewCaseRecord]
    calls: CallsRecord
    spent_usd: float | None
    cost_note: str = ""


class MethodRecord(_Model):
    """How the verdict was reached; `rates_judged` are slices of new prompts that can block."""

    name: str
    alpha: float
    slices_tested: int
    flips: int | None
    fail_on: Literal["block", "hold"]
    correction: Literal["none", "bonferroni", "holm"] = "none"
    breakage: bool = False
    rates_judged: int = 0


class MissingRecord(_Model):
    """Samples without a score, and the verdicts had they gone best and worst for the candidate.

    `cases` names the cases that have to be asked again, `suite/id` in a run over several suites.
    """

    samples: int
    total: int
    best: Verdict | None
    worst: Verdict | None
    reasons: list[str]
    cases: list[str] = []


class OverrideRecord(_Model):
    """The label that set the gate aside: who set it and when (null where GitHub did not say), on which commit."""

    label: str
    by: str | None
    at: str | None
    commit: str


class RunRecord(_Model):
    """The whole run: `suites` were compared, `new` ones stand alone; in a run that evaluated nothing both are empty."""

    # The key in the file is `schema`; pydantic keeps that name for itself.
    schema_id: Literal["prompt-gate/run/1"] = Field(default="prompt-gate/run/1", alias="schema")
    tool_version: str
    created: str
    duration_s: float
    verdict: Verdict
    exit_code: int
    reasons: list[str]
    seed: int
    commit: str | None
    method: MethodRecord
    missing: MissingRecord
    suites: list[SuiteRecord]
    new: list[NewSuiteRecord] = []
    calls: CallsRecord
    spent_usd: float | None
    override: OverrideRecord | None = None
    config: str = ""
    notes: list[str] = []

    @property
    def evaluated(self) -> bool:
        """Whether anything was asked at all."""
        return bool(self.suites or self.new)
