"""Is one sample good enough? Only for prompts that are judged on their own: a comparison uses the scores themselves."""

from collections.abc import Sequence

from gate.domain.absence import Unscored
from gate.domain.case import Case, ScorerSpec
from gate.domain.sample import Sample
from gate.domain.suite import Exam

JUDGE_MARK = 0.7
"""Of a judge that names no `threshold`."""

_TOLERANCE = 1e-9


def passes(sample: Sample, case: Case, exam: Exam) -> bool | Unscored:
    """Whether a sample passes.

    Args:
        sample: with its scores.
        case: that was asked; its own scorers replace the exam's.
        exam: with a threshold for the combined score, or without one: then every scorer's score must reach its mark.

    Returns:
        `Unscored` where the sample has no score.
    """
    if isinstance(sample.score, Unscored):
        return sample.score
    if exam.threshold is not None:
        return sample.score >= exam.threshold - _TOLERANCE
    marks = _marks(exam.scorers if case.scorers is None else case.scorers)
    values = ((score.value, marks.get(score.scorer, 1.0)) for score in sample.scores)
    return all(not isinstance(value, Unscored) and value >= mark - _TOLERANCE for value, mark in values)


def _marks(specs: Sequence[ScorerSpec]) -> dict[str, float]:
    """What each scorer's own score must reach: a judge's `threshold`, and all of it for a validator."""
    out = {}
    for spec in specs:
        given = spec.options.get("threshold", JUDGE_MARK)
        judged = spec.kind == "judge" and isinstance(given, (int, float))
        out[spec.name] = float(given) if judged and isinstance(given, (int, float)) else 1.0
    return out
