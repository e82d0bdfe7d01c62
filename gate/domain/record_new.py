"""Parts of `run.json` that a suite with one arm has: a prompt that is new, or one that is checked, stands alone."""

from pydantic import Field, JsonValue

from gate.domain.passrate import PassState
from gate.domain.ranges import Amount, Count, SampleCount, Scores, Share
from gate.domain.record_check import CaseCheckRecord
from gate.domain.record_conversations import TalksRecord
from gate.domain.record_judged import JuryRecord, RubricRecord
from gate.domain.record_parts import (
    ArmAxisRecord,
    ArmRecord,
    CallsRecord,
    ExamRecord,
    OutputRecord,
    Part,
    ReuseRecord,
    SpendingRecord,
)


class PassRateRecord(Part):
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


class NewCaseRecord(Part):
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
    check: CaseCheckRecord | None = None


class NewSuiteRecord(Part):
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
    spending: SpendingRecord | None = None
    reuse: ReuseRecord | None = None
    rubrics: list[RubricRecord] = []
    juries: list[JuryRecord] = []
    conversations: TalksRecord | None = None
