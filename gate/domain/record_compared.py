"""Parts of `run.json` that a suite with two arms has: quality slice by slice, cost, latency, and the cases."""

from gate.domain.caching import CacheComparison
from gate.domain.comparison import AxisComparison, Comparison, ScorerChange
from gate.domain.conversations import Conversations, ToolDifference
from gate.domain.jsonvalue import JsonValue
from gate.domain.judged import JuryResult, PositionBias, RubricResult
from gate.domain.ranges import Amount, Delta, RecordPart, SampleCount, Scores
from gate.domain.record_parts import ArmRecord, CallsRecord, ExamRecord, OutputRecord, ReuseRecord, SpendingRecord


class QualityRecord(RecordPart):
    """Quality of one suite: all cases, then its slices."""

    overall: Comparison
    slices: list[Comparison]


class CaseRecord(RecordPart):
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


class SuiteRecord(RecordPart):
    """One suite of the run.

    `conversations` is null where there were none, as is `tools` where no agent called any.
    """

    name: str
    samples: SampleCount
    baseline: ArmRecord
    candidate: ArmRecord
    exam: ExamRecord
    quality: QualityRecord
    cost: AxisComparison
    latency: AxisComparison
    cases: list[CaseRecord]
    calls: CallsRecord
    spent_usd: Amount | None
    cost_note: str = ""
    spending: SpendingRecord
    cache: CacheComparison | None = None
    reuse: ReuseRecord | None = None
    positions: list[PositionBias] = []
    scorers: list[ScorerChange]
    rubrics: list[RubricResult] = []
    juries: list[JuryResult] = []
    conversations: Conversations | None = None
    tools: ToolDifference | None = None
