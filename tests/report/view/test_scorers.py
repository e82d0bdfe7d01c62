"""What scorers say: figures on their own scale, and what folds."""

import pytest

from gate.record.parts import CaseState
from gate.report.view.scorers import ScoreScale, case_score, mean_score, other_scores, score_and_mark, scorer_text
from tests.golden.checks import checked, rubric, scorer

FIVE, HUNDRED = (1.0, 5.0), (0.0, 100.0)


@pytest.mark.parametrize(
    ("value", "mark", "scale", "said"),
    [
        (0.625, None, None, "0.625"),
        (0.5, 0.7, None, "0.500, needs 0.700"),
        (0.69996, 0.7, None, "0.69996, needs 0.70000"),
        (0.625, None, FIVE, "3.5 of 5"),
        (0.5, 0.625, FIVE, "3.0 of 5, needs 3.5"),
        (0.615, 0.625, FIVE, "3.46 of 5, needs 3.50"),
        (0.62499, 0.625, FIVE, "3.49996 of 5, needs 3.50000"),
        (0.355, 0.6, HUNDRED, "35.5 of 100, needs 60.0"),
    ],
)
def test_a_score_and_the_mark_that_it_misses_are_told_apart(
    value: float, mark: float | None, scale: ScoreScale, said: str
) -> None:
    assert score_and_mark(value, mark, scale) == said


def test_a_rubric_and_its_dimensions_are_on_its_scale() -> None:
    assert scorer_text(rubric(0.5, 0.75, 1.0)) == "voice 3.7 of 5 (brevity 3.0, tone 4.0, flow 5.0)"


def test_the_score_of_a_case_is_on_the_scale_of_its_only_scorer() -> None:
    assert case_score(checked(CaseState.PASSED, [rubric(0.5, 0.75, 1.0)])) == "3.7 of 5"
    assert case_score(checked(CaseState.FAILED, [rubric(0.5, 0.5, 0.5)])) == "3.0 of 5, needs 3.5"
    assert case_score(checked(CaseState.FAILED, [rubric(0.5, 0.5, 0.5, mark=None)], 0.7)) == "3.0 of 5, needs 3.8"
    assert case_score(checked(CaseState.PASSED, [rubric(0.5, 0.75, 1.0), scorer("asks", 1.0)])) == "0.838"
    assert case_score(checked(CaseState.UNSCORED, [scorer("asks", None)])) == "–"


def test_the_mean_of_cases_is_on_a_scale_that_all_of_them_have() -> None:
    low, high = (checked(CaseState.PASSED, [rubric(each, each, each)]) for each in (0.5, 1.0))
    assert mean_score([low, high]) == "4.0 of 5"
    assert mean_score([low, checked(CaseState.PASSED, [scorer("asks", 1.0)])]) == "0.750"
    assert mean_score([checked(CaseState.UNSCORED, [scorer("asks", None)])]) == "–"


def test_full_marks_fold_and_the_rest_does_not() -> None:
    full = [scorer(name, 1.0) for name in ("a", "b", "c")]
    assert other_scores(checked(CaseState.PASSED, full)) == "3 scorers 1.000"
    assert other_scores(checked(CaseState.PASSED, full[:1])) == "a 1.000"
    assert other_scores(checked(CaseState.PASSED, [full[0], scorer("judge", 0.8, 0.7)])) == "a 1.000, judge 0.800"
    assert other_scores(checked(CaseState.PASSED, [*full, scorer("judge", 0.8, 0.7)])) == "judge 0.800, 3 others 1.000"
    assert other_scores(checked(CaseState.UNSCORED, [*full, scorer("judge", None, 0.7)])) == "3 others 1.000"
