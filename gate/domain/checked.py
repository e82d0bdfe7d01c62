"""One case of a prompt that is judged on its own: does it pass, and what does each scorer say?"""

from enum import StrEnum

from gate.domain.ranges import Amount, Difference, RecordPart, Share
from gate.domain.sample import PartKind


class CaseState(StrEnum):
    """What the samples of one case show."""

    FAILED = "failed"
    UNSCORED = "unscored"
    PASSED = "passed"  # noqa: S105


class PartMean(RecordPart):
    """A part of a score, see `gate.domain.sample.Part`.

    Args:
        value: mean over the samples.
    """

    kind: PartKind
    name: str
    value: Share
    weight: Amount = 1.0


class ScorerResult(RecordPart):
    """What one scorer says of a case, over its samples.

    Args:
        name: the scorer's.
        value: mean over the samples that it scored, in [0, 1]; null where there is none.
        mark: what the mean must reach; null where the case has a threshold for its combined score, or its rounds have
            marks of their own.
        passed: whether it does, or each round does; null where missing samples could change that, or there is no mark.
        reason: the rounds that miss their marks, and that of the sample that it scored worst, cut where it is long; may
            be empty.
        parts: in the order of the first sample.
        scale: ends of the scale that a rubric is written on; null where the score's own range is meant.
    """

    name: str
    value: Share | None
    mark: Share | None
    passed: bool | None
    reason: str = ""
    parts: tuple[PartMean, ...] = ()
    scale: tuple[Difference, Difference] | None = None


class CaseResult(RecordPart):
    """One case.

    Args:
        state: passed or failed, whatever the missing samples are taken for; else unscored.
        score: mean of the combined scores that there are; null where there is none.
        mark: what that mean must reach; null where each scorer has its own mark.
        scorers: in the order of the eval set.
        missing: for each sample without a score why it has none.
        counts: it has a part in the verdict.
    """

    state: CaseState
    score: Share | None
    mark: Share | None
    scorers: tuple[ScorerResult, ...]
    missing: tuple[str, ...] = ()
    counts: bool = True
