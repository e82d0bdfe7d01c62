"""Combines the scores of a sample, and decides whether the sample passes."""

from collections.abc import Mapping, Sequence
from math import fsum

from gate.cases.case import Case
from gate.config.rubrics import Rubric
from gate.config.scorer import ScorerSpec
from gate.record.sample import Part, Sample, Score
from gate.record.transcript import Unscored
from gate.suite import Exam

JUDGE_MARK = 0.7
"""Pass mark of a judge without a `threshold`."""

TOLERANCE = 1e-9
"""Relative distance by which a mean of floats may be below a mark and still reach it."""


def reaches(value: float, mark: float) -> bool:
    """Does a score, or a rate, reach a mark? A score of 0 reaches none."""
    return value >= mark * (1.0 - TOLERANCE)


def sample_passes(sample: Sample, case: Case, exam: Exam) -> bool | Unscored:
    """Whether a sample passes; `Unscored` where it has no score. Without a threshold for the combined score every
    scorer's score must reach its mark, which the case may set for judges, as a whole or round by round."""
    if isinstance(sample.score, Unscored):
        return sample.score
    if (threshold := exam.threshold_of(case)) is not None:
        return reaches(sample.score, threshold)
    specs = {spec.name: spec for spec in exam.scorers_of(case)}
    return all(_good(score, specs.get(score.scorer), case) for score in sample.scores)


def _good(score: Score, spec: ScorerSpec | None, case: Case) -> bool:
    """Does a scorer's score reach its mark, or each of its rounds the mark of the round?"""
    if isinstance(score.value, Unscored):
        return False
    if spec is None:
        return reaches(score.value, 1.0)
    rounds = {part.name: part.value for part in score.parts if part.kind == "round"}
    if marks := round_marks(spec, case):
        return all(reaches(rounds.get(name, score.value), mark) for name, mark in marks.items())
    return reaches(score.value, mark_in_case(spec, case))


def mark_in_case(spec: ScorerSpec, case: Case) -> float:
    """The mark of one scorer in a case, whose `judge_threshold` goes before the judge's own mark."""
    if not _opines(spec):
        return mark_of_scorer(spec)
    alone = case.rounds[0].threshold if len(case.rounds) == 1 else None
    given = case.judge_threshold if alone is None else alone
    return mark_of_scorer(spec) if given is None else given


def round_marks(spec: ScorerSpec, case: Case) -> Mapping[str, float]:
    """A judge's mark for each round, by the name of that round's part of the score. Empty where no round has a
    threshold: then the combined score of the rounds has one mark."""
    if not _opines(spec) or len(case.rounds) < 2 or all(one.threshold is None for one in case.rounds):
        return {}
    usual = mark_in_case(spec, case)
    marks = (usual if one.threshold is None else one.threshold for one in case.rounds)
    return {f"round {number}": mark for number, mark in enumerate(marks, start=1)}


def _opines(spec: ScorerSpec) -> bool:
    """Is it a judge of single answers, whose marks a case may set?"""
    return spec.judged and not spec.comparative


def mark_of_scorer(spec: ScorerSpec) -> float:
    """The mark of one scorer: its `threshold`, or 1 for a validator without one."""
    if spec.kind == "rubric":
        return Rubric.of(spec.options).mark
    given = spec.options.get("threshold", JUDGE_MARK if spec.judged else 1.0)
    return float(given) if isinstance(given, (int, float)) else 1.0


def combine_scores(scores: Sequence[Score]) -> float | Unscored:
    """The combined score of a sample: `Unscored` where any scorer could not be applied; 0 where a required scorer gave
    0; else the weighted mean in [0, 1]."""
    if not scores:
        return Unscored("no scorer")
    weighted, vetoed = [], False
    for score in scores:
        if isinstance(score.value, Unscored):
            return Unscored(f"{score.scorer}: {score.value.reason}")
        vetoed = vetoed or (score.required and score.value <= 0.0)
        weighted.append(score.weight * score.value)
    return 0.0 if vetoed else fsum(weighted) / fsum(score.weight for score in scores)


def weighted_mean(parts: tuple[Part, ...]) -> float:
    """The weighted mean of parts, in [0, 1]."""
    mean = fsum(part.weight * part.value for part in parts) / fsum(part.weight for part in parts)
    return min(1.0, max(0.0, mean))
