"""Combines the scores of a sample, and decides whether the sample passes."""

from collections.abc import Mapping, Sequence
from math import fsum

from gate.cases.case import Case
from gate.config.rubrics import Rubric
from gate.config.scorer import ScorerSpec
from gate.record.sample import Sample, Score
from gate.record.transcript import Unscored
from gate.suite import Exam

JUDGE_MARK = 0.7
"""Of a judge that names no `threshold`."""

TOLERANCE = 1e-9
"""Share of a mark by which a mean of floats may lie below it and reach it all the same."""


def reaches(value: float, mark: float) -> bool:
    """Is a score, or a rate, as high as it has to be? A score of 0 reaches no mark."""
    return value >= mark * (1.0 - TOLERANCE)


def sample_passes(sample: Sample, case: Case, exam: Exam) -> bool | Unscored:
    """Whether a sample passes.

    Args:
        sample: with its scores.
        case: that was asked.
        exam: with a threshold for the combined score, or without one: then every scorer's score must reach its mark,
            which the case may set for judges, as a whole or round by round.

    Returns:
        `Unscored` where the sample has no score.
    """
    if isinstance(sample.score, Unscored):
        return sample.score
    if (threshold := exam.threshold_of(case)) is not None:
        return reaches(sample.score, threshold)
    specs = {spec.name: spec for spec in exam.scorers_of(case)}
    return all(_good(score, specs.get(score.scorer), case) for score in sample.scores)


def _good(score: Score, spec: ScorerSpec | None, case: Case) -> bool:
    """Has one scorer's score, or each of its rounds, its mark?"""
    if isinstance(score.value, Unscored):
        return False
    if spec is None:
        return reaches(score.value, 1.0)
    rounds = {part.name: part.value for part in score.parts if part.kind == "round"}
    if marks := round_marks(spec, case):
        return all(reaches(rounds.get(name, score.value), mark) for name, mark in marks.items())
    return reaches(score.value, mark_in_case(spec, case))


def mark_in_case(spec: ScorerSpec, case: Case) -> float:
    """What a scorer's own score must reach in a case, whose `judge_threshold` goes before the mark of a judge."""
    if not _opines(spec):
        return mark_of_scorer(spec)
    alone = case.rounds[0].threshold if len(case.rounds) == 1 else None
    given = case.judge_threshold if alone is None else alone
    return mark_of_scorer(spec) if given is None else given


def round_marks(spec: ScorerSpec, case: Case) -> Mapping[str, float]:
    """What a judge's score must reach in each round, by the name that the round has as a part of that score.

    Args:
        spec: a scorer of the case.
        case: with several rounds, or without.

    Returns:
        Nothing where no round has a threshold of its own: then what the rounds come to has one mark. Else every round
        has one, and the score of the whole conversation has none.
    """
    if not _opines(spec) or len(case.rounds) < 2 or all(one.threshold is None for one in case.rounds):
        return {}
    usual = mark_in_case(spec, case)
    marks = (usual if one.threshold is None else one.threshold for one in case.rounds)
    return {f"round {number}": mark for number, mark in enumerate(marks, start=1)}


def _opines(spec: ScorerSpec) -> bool:
    """Is it a judge of single answers, whose marks a case may set?"""
    return spec.judged and not spec.comparative


def mark_of_scorer(spec: ScorerSpec) -> float:
    """What a scorer's own score must reach: its `threshold`, or all of it for a validator that has none."""
    if spec.kind == "rubric":
        return Rubric.of(spec.options).mark
    given = spec.options.get("threshold", JUDGE_MARK if spec.judged else 1.0)
    return float(given) if isinstance(given, (int, float)) else 1.0


def combine_scores(scores: Sequence[Score]) -> float | Unscored:
    """The weighted mean, with two exceptions.

    Args:
        scores: one for each scorer of the case.

    Returns:
        `Unscored` when any scorer could not be applied; 0 when a required scorer gave 0; else the weighted mean in
        [0, 1].
    """
    if not scores:
        return Unscored("no scorer")
    weighted, vetoed = [], False
    for score in scores:
        if isinstance(score.value, Unscored):
            return Unscored(f"{score.scorer}: {score.value.reason}")
        vetoed = vetoed or (score.required and score.value <= 0.0)
        weighted.append(score.weight * score.value)
    return 0.0 if vetoed else fsum(weighted) / fsum(score.weight for score in scores)
