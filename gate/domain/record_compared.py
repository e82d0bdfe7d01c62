"""Parts of `run.json` that a suite with two arms has: quality slice by slice, cost, latency, and the cases."""

from typing import Literal

from pydantic import JsonValue, NonNegativeInt

from gate.domain.ranges import Amount, Count, Delta, Relative, SampleCount, Scores, Share
from gate.domain.record_caching import CacheRecord
from gate.domain.record_conversations import TalksRecord, ToolDifferenceRecord
from gate.domain.record_judged import JuryRecord, PositionRecord, RubricRecord
from gate.domain.record_parts import (
    ArmAxisRecord,
    ArmRecord,
    CallsRecord,
    EstimateRecord,
    ExamRecord,
    OutputRecord,
    Part,
    ReuseRecord,
    SpendingRecord,
)
from gate.domain.verdict import State


class ComparisonRecord(Part):
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


class QualityRecord(Part):
    """Quality of one suite: all cases, then its slices."""

    overall: ComparisonRecord
    slices: list[ComparisonRecord]


class AxisRecord(Part):
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


class CaseRecord(Part):
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


class ScorerChangeRecord(Part):
    """See `gate.domain.scorer_change.ScorerChange`."""

    name: str
    weight: Share | None
    required: bool
    n: Count
    baseline: Share | None
    candidate: Share | None
    mean: Delta | None
    baseline_passed: Share | None = None
    candidate_passed: Share | None = None


class SuiteRecord(Part):
    """One suite of the run; `scorers` is empty in a record of a version that did not keep them.

    `conversations` is null where there were none, as is `tools` where no agent called any.
    """

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
    spending: SpendingRecord | None = None
    cache: CacheRecord | None = None
    reuse: ReuseRecord | None = None
    positions: list[PositionRecord] = []
    scorers: list[ScorerChangeRecord] = []
    rubrics: list[RubricRecord] = []
    juries: list[JuryRecord] = []
    conversations: TalksRecord | None = None
    tools: ToolDifferenceRecord | None = None
