"""Is one sample good enough? Only for prompts that are judged on their own: a comparison uses the scores themselves."""

from gate.domain.absence import Unscored
from gate.domain.case import Case, ScorerSpec
from gate.domain.rubric import Rubric
from gate.domain.sample import Sample
from gate.domain.suite import Exam

JUDGE_MARK = 0.7
"""Of a judge that names no `threshold`."""

TOLERANCE = 1e-9
"""Share of a mark by which a mean of floats may lie below it and reach it all the same."""


def reaches(value: float, mark: float) -> bool:
    """Is a score, or a rate, as high as it has to be? A score of 0 reaches no mark."""
    return value >= mark * (1.0 - TOLERANCE)


def passes(sample: Sample, case: Case, exam: Exam) -> bool | Unscored:
    """Whether a sample passes.

    Args:
        sample: with its scores.
        case: that was asked.
        exam: with a threshold for the combined score, or without one: then every scorer's score must reach its mark.

    Returns:
        `Unscored` where the sample has no score.
    """
    if isinstance(sample.score, Unscored):
        return sample.score
    if (threshold := exam.threshold_of(case)) is not None:
        return reaches(sample.score, threshold)
    marks = {spec.name: mark_of(spec) for spec in exam.scorers_of(case)}
    values = ((score.value, marks.get(score.scorer, 1.0)) for score in sample.scores)
    return all(not isinstance(value, Unscored) and reaches(value, mark) for value, mark in values)


def mark_of(spec: ScorerSpec) -> float:
    """What a scorer's own score must reach: its `threshold`, or all of it for a validator that has none."""
    if spec.kind == "rubric":
        return Rubric.of(spec.options).mark
    given = spec.options.get("threshold", JUDGE_MARK if spec.judged else 1.0)
    return float(given) if isinstance(given, (int, float)) else 1.0
