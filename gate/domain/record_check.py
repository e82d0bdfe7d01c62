"""Parts of `run.json` that only a check has: whether each case passes, and what each scorer says of it."""

from gate.domain.checked import CaseState
from gate.domain.ranges import Amount, Difference, RecordPart, Share
from gate.domain.sample import PartKind


class PartMeanRecord(RecordPart):
    """See `gate.domain.sample.Part`; `value` is the mean over the samples."""

    kind: PartKind
    name: str
    value: Share
    weight: Amount = 1.0


class ScorerCheckRecord(RecordPart):
    """See `gate.domain.checked.ScorerResult`; `value` is null where no sample has a score."""

    name: str
    value: Share | None
    mark: Share | None
    passed: bool | None
    reason: str = ""
    parts: list[PartMeanRecord] = []
    scale: tuple[Difference, Difference] | None = None


class CaseCheckRecord(RecordPart):
    """See `gate.domain.checked.CaseResult`; `score` is null where no sample has one."""

    state: CaseState
    score: Share | None
    mark: Share | None
    scorers: list[ScorerCheckRecord]
    missing: list[str] = []
    counts: bool = True
