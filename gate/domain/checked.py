"""One case of a prompt that is judged on its own: does it pass, and what does each scorer say?"""

from dataclasses import dataclass
from enum import StrEnum

from gate.domain.absence import Unscored
from gate.domain.sample import Part


class CaseState(StrEnum):
    """What the samples of one case show."""

    FAILED = "failed"
    UNSCORED = "unscored"
    PASSED = "passed"  # noqa: S105


@dataclass(frozen=True, slots=True)
class ScorerResult:
    """What one scorer says of a case, over its samples.

    Args:
        name: the scorer's.
        value: mean over the samples that it scored, in [0, 1], or why there is none.
        mark: what the mean must reach; None where the case has a threshold for its combined score, or its rounds have
            marks of their own.
        passed: whether it does, or each round does; None where missing samples could change that, or there is no mark.
        reason: the rounds that miss their marks, and that of the sample that it scored worst; may be empty.
        parts: means over the samples, in the order of the first.
        scale: ends of the scale that a rubric is written on; None where the score's own range is meant.
    """

    name: str
    value: float | Unscored
    mark: float | None
    passed: bool | None
    reason: str = ""
    parts: tuple[Part, ...] = ()
    scale: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case.

    Args:
        suite, case: which.
        state: passed or failed, whatever the missing samples are taken for; else unscored.
        score: mean of the combined scores that there are, or why there is none.
        mark: what that mean must reach; None where each scorer has its own mark.
        scorers: in the order of the exam.
        missing: for each sample without a score why it has none.
        counts: it has a part in the verdict.
    """

    suite: str
    case: str
    state: CaseState
    score: float | Unscored
    mark: float | None
    scorers: tuple[ScorerResult, ...]
    missing: tuple[str, ...] = ()
    counts: bool = True
