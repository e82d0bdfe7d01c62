"""When a sample passes: the suite's threshold, or every scorer's own mark."""

from typing import TypeAlias

import pytest

from gate.cases.case import Case, Round
from gate.config.scorer import ScorerSpec
from gate.record.transcript import Part, Score
from gate.scoring.interface import mark_in_case, mark_of_scorer, sample_passes
from gate.suite import Exam
from gate.values import JsonValue

CONTAINS = ScorerSpec("contains", "contains", {})
JUDGE = ScorerSpec("judge", "judge", {"threshold": 0.6})
PLAIN_JUDGE = ScorerSpec("judge", "judge", {})
CASE = Case("c1", input="q")


Scored: TypeAlias = tuple[float, tuple[Score, ...]]
"""The combined score, and those that it is made of."""


def sample(score: float, **scores: float) -> Scored:
    return score, tuple(Score(name, value) for name, value in scores.items())


def passes(scored: Scored, case: Case, exam: Exam) -> bool:
    return sample_passes(*scored, case, exam)


def exam(*scorers: ScorerSpec, threshold: float | None = None) -> Exam:
    return Exam("main", "e", (CASE,), scorers, threshold=threshold)


@pytest.mark.parametrize(("score", "passed"), [(0.79, False), (0.8 - 1e-12, True), (0.8, True), (1.0, True)])
def test_a_threshold_is_for_the_combined_score(score: float, passed: bool) -> None:
    assert passes(sample(score, contains=0.0), CASE, exam(CONTAINS, threshold=0.8)) is passed


@pytest.mark.parametrize("mark", [1e-12, 1e-9, 1e-6])
def test_nothing_reaches_a_mark_by_a_score_of_zero(mark: float) -> None:
    small = ScorerSpec("judge", "judge", {"threshold": mark})
    assert passes(sample(0.0, judge=0.0), CASE, exam(small)) is False
    assert passes(sample(0.0, judge=0.0), CASE, exam(small, threshold=mark)) is False
    assert passes(sample(mark, judge=mark), CASE, exam(small, threshold=mark)) is True


@pytest.mark.parametrize(
    ("contains", "judge", "passed"), [(1.0, 0.6, True), (1.0, 0.59, False), (0.0, 1.0, False), (1.0, 1.0, True)]
)
def test_without_one_every_scorer_has_its_mark(contains: float, judge: float, passed: bool) -> None:
    assert passes(sample(0.9, contains=contains, judge=judge), CASE, exam(CONTAINS, JUDGE)) is passed


def test_a_case_has_a_threshold_of_its_own() -> None:
    strict, lax = Case("c1", input="q", threshold=0.9), exam(CONTAINS, threshold=0.7)
    assert passes(sample(0.8), CASE, lax) is True
    assert passes(sample(0.8), strict, lax) is False
    assert passes(sample(0.9, contains=0.9), strict, exam(CONTAINS)) is True


ONE: JsonValue = {"name": "a", "description": "b", "weight": 1}
RUBRIC = ScorerSpec("rubric", "rubric", {"scale": [0, 10], "threshold": 5, "dimensions": [ONE]})
PAIRWISE = ScorerSpec("pairwise", "pairwise", {})


@pytest.mark.parametrize("spec", [JUDGE, RUBRIC])
def test_the_mark_that_a_case_has_for_judges_goes_before_their_own(spec: ScorerSpec) -> None:
    strict, lax = Case("c1", input="q", judge_threshold=0.9), Case("c1", input="q", judge_threshold=0.2)
    good, poor = (sample(value, **{spec.name: value}) for value in (0.8, 0.3))
    assert [passes(good, case, exam(spec)) for case in (CASE, strict, lax)] == [True, False, True]
    assert [passes(poor, case, exam(spec)) for case in (CASE, strict, lax)] == [False, False, True]


def test_it_is_no_mark_of_validators_and_none_of_comparisons() -> None:
    lax = Case("c1", input="q", judge_threshold=0.2)
    assert passes(sample(0.5, contains=0.5), lax, exam(CONTAINS)) is False
    assert mark_in_case(PAIRWISE, lax) == mark_of_scorer(PAIRWISE)


def test_the_mark_of_the_combined_score_goes_before_it() -> None:
    strict = Case("c1", input="q", judge_threshold=0.9)
    assert passes(sample(0.8, judge=0.8), strict, exam(JUDGE, threshold=0.8)) is True


def talked(*rounds: float, negligent: float = 1.0) -> Scored:
    """A sample whose judge has scored each round, and whose validator looked at the whole."""
    parts = tuple(Part("round", f"round {number}", value) for number, value in enumerate(rounds, start=1))
    mean = sum(rounds) / len(rounds)
    scores = (Score("contains", negligent), Score("judge", mean, parts=parts if len(rounds) > 1 else ()))
    return mean, scores


def in_rounds(*marks: float | None, whole: float | None = None) -> Case:
    return Case("c1", rounds=tuple(Round("q", threshold=mark) for mark in marks), judge_threshold=whole)


@pytest.mark.parametrize(
    ("case", "rounds", "passed"),
    [
        (in_rounds(None, None), (0.3, 0.9), True),  # the mean reaches the judge's own 0.6
        (in_rounds(None, None, whole=0.7), (0.3, 0.9), False),
        (in_rounds(0.9, None), (0.8, 1.0), False),
        (in_rounds(0.9, None), (0.9, 0.6), True),
        (in_rounds(0.9, None), (1.0, 0.5), False),  # a round without a mark has the judge's own
        (in_rounds(0.9, None, whole=0.4), (1.0, 0.5), True),  # or the case's
        (in_rounds(0.1, 0.1), (0.1, 0.1), True),  # and the mean has none
        (in_rounds(0.9), (0.8,), False),
        (in_rounds(0.3), (0.4,), True),
    ],
)
def test_each_round_has_to_reach_its_mark_where_one_has_one(
    case: Case, rounds: tuple[float, ...], passed: bool
) -> None:
    assert passes(talked(*rounds), case, exam(CONTAINS, JUDGE)) is passed
    assert passes(talked(*rounds, negligent=0.9), case, exam(CONTAINS, JUDGE)) is False
