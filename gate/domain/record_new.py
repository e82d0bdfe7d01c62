"""Parts of `run.json` that a suite with one arm has: a prompt that is new, or one that is checked, stands alone."""

from pydantic import Field

from gate.domain.checked import CaseResult
from gate.domain.comparison import ArmAxis
from gate.domain.conversations import Conversations
from gate.domain.jsonvalue import JsonValue
from gate.domain.judged import JuryResult, RubricResult
from gate.domain.passrate import PassRate
from gate.domain.ranges import Amount, RecordPart, SampleCount, Scores, Share
from gate.domain.record_parts import ArmRecord, CallsRecord, ExamRecord, OutputRecord, ReuseRecord, SpendingRecord


class NewCaseRecord(RecordPart):
    """One case of a prompt that stands alone: scores, and which samples pass; outputs of failing cases only.

    `check` is what a check says of it; null in other runs.
    """

    id: str
    where: str
    slices: dict[str, str]
    scores: Scores
    passed: list[bool | None] = Field(max_length=100)
    input: str | None = None
    expected: JsonValue = None
    outputs: list[OutputRecord] = []
    check: CaseResult | None = None


class NewSuiteRecord(RecordPart):
    """One suite whose prompt the change brings: there is no baseline, so its own pass rate is judged.

    `level` is the one-sided level of its bounds; `threshold` is the score at which a sample passes, or null where each
    scorer has its own mark; `priced` is false where money means nothing, as with a local model.
    """

    name: str
    samples: SampleCount
    candidate: ArmRecord
    exam: ExamRecord
    threshold: Share | None
    overall: PassRate
    slices: list[PassRate]
    level: float
    cost: ArmAxis
    latency: ArmAxis
    priced: bool
    cases: list[NewCaseRecord]
    calls: CallsRecord
    spent_usd: Amount | None
    cost_note: str = ""
    spending: SpendingRecord
    reuse: ReuseRecord | None = None
    rubrics: list[RubricResult] = []
    juries: list[JuryResult] = []
    conversations: Conversations | None = None
