"""`run.json`, schema `prompt-gate/run/1`: the whole record of one evaluation, from which every report is rendered.

A bound of `null` beside a mean is infinite. Costs are dollars, or null with the reason in the axis. Numbers have
ranges, since a record may come from anywhere.
"""

from collections import Counter
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, NonNegativeInt, model_validator
from pydantic_core import PydanticCustomError

from gate.domain.caching import Obstacle
from gate.domain.passrate import PassState
from gate.domain.ranges import (
    Amount,
    Count,
    Delta,
    Difference,
    Level,
    Relative,
    SampleCount,
    Scores,
    Share,
    Tokens,
)
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
    cases: Count
    scorers: list[str]
    added: list[str] = []
    removed: list[str] = []
    edited: list[str] = []


class ComparisonRecord(_Model):
    """See `gate.domain.comparison.Comparison`."""

    slice: str
    n: Count
    units: Count
    baseline: Share | None
    candidate: Share | None
    mean: Delta | None
    lower: Delta | None
    upper: Delta | None
    p: Share | None
    state: State
    method: str
    blocking: bool
    advisory: bool
    familiar_fail: bool
    mde: Share | None
    cases_needed: NonNegativeInt | None
    moved: Count
    margin: Share = 0.0


class QualityRecord(_Model):
    """Quality of one suite: all cases, then its slices."""

    overall: ComparisonRecord
    slices: list[ComparisonRecord]


class UsageRecord(_Model):
    """Tokens, summed over an arm's replies."""

    input_tokens: Tokens
    cache_read_tokens: Tokens
    cache_write_tokens: Tokens
    output_tokens: Tokens


class EstimateRecord(_Model):
    """See `gate.domain.comparison.Estimate`."""

    value: Difference
    lower: Difference | None
    upper: Difference | None


class ArmAxisRecord(_Model):
    """See `gate.domain.comparison.ArmAxis`."""

    mean: Amount | None
    p50: Amount | None
    p95: Amount | None
    usage: UsageRecord | None
    calls: Count = 0


class AxisRecord(_Model):
    """See `gate.domain.comparison.AxisComparison`."""

    axis: Literal["cost", "latency"]
    compared: bool
    reason: str
    applicable: bool
    n: Count
    baseline: ArmAxisRecord
    candidate: ArmAxisRecord
    change: Relative | None
    lower: Relative | None
    upper: Relative | None
    allowance: Amount
    exceeded: bool
    p50_change: EstimateRecord | None = None
    p95_change: EstimateRecord | None = None


class PlaceRecord(_Model):
    """See `gate.domain.caching.Place`."""

    message: Count
    line: Count
    variable: str


class ArmPrefixRecord(_Model):
    """See `gate.domain.caching.ArmPrefix`."""

    requests: Count
    tokens: Tokens
    request_tokens: Tokens
    measured: bool
    place: PlaceRecord | None
    minimum: Tokens | None
    obstacle: Obstacle


class CacheRecord(_Model):
    """See `gate.domain.caching.CacheComparison`."""

    baseline: ArmPrefixRecord
    candidate: ArmPrefixRecord
    shrank: bool
    moved: bool
    fresh_tokens: Tokens
    fresh_usd: Amount | None
    baseline_share: EstimateRecord | None
    candidate_share: EstimateRecord | None
    share_change: EstimateRecord | None


class OutputRecord(_Model):
    """One output of one arm, kept for the informative cases only."""

    index: Count
    text: str | None
    failure: str | None
    score: Share | None
    reasons: list[str]


class CaseRecord(_Model):
    """Both arms' scores on one case; outputs only where they differ most."""

    id: str
    where: str
    slices: dict[str, str]
    baseline: Scores
    candidate: Scores
    delta: Delta | None
    cluster: str | None = None
    input: str | None = None
    expected: JsonValue = None
    baseline_outputs: list[OutputRecord] = []
    candidate_outputs: list[OutputRecord] = []


class CallsRecord(_Model):
    """Model calls: answered (judges included), read from a cache, sent again, given up."""

    made: Count
    cached: Count
    retried: Count
    failed: Count


class SuiteRecord(_Model):
    """One suite of the run."""

    name: str
    samples: SampleCount
    baseline: ArmRecord
    candidate: ArmRecord
    exam: ExamRecord
    quality: QualityRecord
    cost: AxisRecord
    latency: AxisRecord
    cases: list[CaseRecord]
    calls: CallsRecord
    spent_usd: Amount | None
    cost_note: str = ""
    cache: CacheRecord | None = None


class PassRateRecord(_Model):
    """See `gate.domain.passrate.PassRate`."""

    slice: str
    n: Count
    units: Count
    passed: Amount
    rate: Share | None
    lower: Share | None
    upper: Share | None
    wanted: Share | None
    state: PassState
    doubtful: bool
    blocking: bool
    advisory: bool


class NewCaseRecord(_Model):
    """One case of a prompt that stands alone: scores, and which samples pass; outputs of failing cases only."""

    id: str
    where: str
    slices: dict[str, str]
    scores: Scores
    passed: list[bool | None] = Field(max_length=100)
    input: str | None = None
    expected: JsonValue = None
    outputs: list[OutputRecord] = []


class NewSuiteRecord(_Model):
    """One suite whose prompt the change brings: there is no baseline, so its own pass rate is judged.

    `level` is the one-sided level of its bounds; `threshold` is the score at which a sample passes, or null where each
    scorer has its own mark; `priced` is false where money means nothing, as with a local model.
    """

    name: str
    samples: SampleCount
    candidate: ArmRecord
    exam: ExamRecord
    threshold: Share | None
    overall: PassRateRecord
    slices: list[PassRateRecord]
    level: float = 0.025
    cost: ArmAxisRecord
    latency: ArmAxisRecord
    priced: bool
    cases: list[NewCaseRecord]
    calls: CallsRecord
    spent_usd: Amount | None
    cost_note: str = ""


class MethodRecord(_Model):
    """How the verdict was reached; `rates_judged` are slices of new prompts that can block."""

    name: str
    alpha: Level
    slices_tested: Count
    flips: Count | None
    fail_on: Literal["block", "hold"]
    correction: Literal["none", "bonferroni", "holm"] = "none"
    breakage: bool = False
    rates_judged: Count = 0


class MissingRecord(_Model):
    """Samples without a score, and the verdicts had they gone best and worst for the candidate.

    `cases` names the cases that have to be asked again, `suite/id` in a run over several suites.
    """

    samples: Count
    total: Count
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
    duration_s: Amount
    verdict: Verdict
    exit_code: int = Field(ge=0, le=255)
    reasons: list[str]
    seed: NonNegativeInt
    commit: str | None
    method: MethodRecord
    missing: MissingRecord
    suites: list[SuiteRecord]
    new: list[NewSuiteRecord] = []
    calls: CallsRecord
    spent_usd: Amount | None
    override: OverrideRecord | None = None
    config: str = ""
    notes: list[str] = []

    @property
    def evaluated(self) -> bool:
        """Whether anything was asked at all."""
        return bool(self.suites or self.new)

    @model_validator(mode="after")
    def _named_once(self) -> Self:
        """A suite that is listed twice would count twice."""
        names = Counter([*(suite.name for suite in self.suites), *(suite.name for suite in self.new)])
        name, times = (names.most_common(1) or [("", 0)])[0]
        if times > 1:
            raise PydanticCustomError("named_twice", "two suites are named {name}", {"name": repr(name[:80])})
        return self
