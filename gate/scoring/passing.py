"""Is one sample good enough? Only for prompts that are judged on their own: a comparison uses the scores themselves."""

from gate.domain.absence import Unscored
from gate.domain.case import Case, ScorerSpec
from gate.domain.rubric import Rubric
from gate.domain.sample import Sample
from gate.domain.suite import Exam

JUDGE_MARK = 0.7
"""Of a judge that names no `threshold`."""

_TOLERANCE = 1e-9
"""Share of a mark."""


def passes(sample: Sample, case: Case, exam: Exam) -> bool | Unscored:
    """Whether a sample passes.

    Args:
        sample: with its scores.
        case: that was asked; its own threshold goes before the exam's.
        exam: with a threshold for the combined score, or without one: then every scorer's score must reach its mark.

    Returns:
        `Unscored` where the sample has no score.
    """
    if isinstance(sample.score, Unscored):
        return sample.score
    threshold = exam.threshold if case.threshold is None else case.threshold
    if threshold is not None:
        return sample.score >= least(threshold)
    marks = {spec.name: mark_of(spec) for spec in exam.scorers_of(case)}
    values = ((score.value, marks.get(score.scorer, 1.0)) for score in sample.scores)
    return all(not isinstance(value, Unscored) and value >= least(mark) for value, mark in values)


def mark_of(spec: ScorerSpec) -> float:
    """What a scorer's own score must reach: its `threshold`, or all of it for a validator that has none."""
    if spec.kind == "rubric":
        return Rubric.of(spec.options).mark
    given = spec.options.get("threshold", JUDGE_MARK if spec.judged else 1.0)
    return float(given) if isinstance(given, (int, float)) else 1.0


def least(mark: float) -> float:
    """The score that is taken to reach a mark; never 0 where the mark is not."""
    return mark * (1 - _TOLERANCE)
