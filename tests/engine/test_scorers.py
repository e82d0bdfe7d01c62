"""Every scorer by itself, before and after."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from gate.config.scorer import ScorerSpec
from gate.engine.arrays import Grid
from gate.engine.samples import SampleTable
from gate.engine.scorer_changes import MOST, scorer_changes
from gate.record.sample import ArmName, Sample, Score
from gate.record.transcript import Unscored
from gate.scoring.pass_rule import combine_scores
from gate.suite import Suite
from tests.support.runs import reply, suite

EXACT = ScorerSpec("exact", "exact", required=True)
TONE = ScorerSpec("judge", "tone", weight=3.0)
BEFORE, AFTER = ArmName
Says = Callable[[int, ArmName, int], dict[str, float | None]]


def scored_by(*specs: ScorerSpec, cases: int = 4, samples: int = 1) -> Suite:
    one = suite([{}] * cases, samples=samples)
    return replace(one, exam=replace(one.exam, scorers=specs))


def table(one: Suite, says: Says) -> SampleTable:
    """Scores by case, arm and index; None is no value."""
    taken = []
    for place, case in enumerate(one.exam.cases):
        weights = {spec.name: spec.weight for spec in one.exam.scorers_of(case)}
        for arm in ArmName:
            for index in range(one.samples):
                scores = tuple(
                    Score(name, Unscored("no") if value is None else value, "", weights[name])
                    for name, value in says(place, arm, index).items()
                )
                taken.append(Sample(one.name, case.id, arm, index, reply(), scores, combine_scores(scores)))
    return SampleTable.holding(taken)


def test_each_scorer_has_its_own_means_and_those_of_the_score_are_their_weighted_ones() -> None:
    one = scored_by(EXACT, TONE, samples=2)
    samples = table(
        one, lambda case, arm, index: {"exact": 1.0, "tone": 0.8 if arm is BEFORE else 0.1 * (case + index)}
    )
    exact, tone = scorer_changes(Grid(one, samples))
    assert (exact.name, exact.weight, exact.required, exact.n) == ("exact", 0.25, True, 4)
    assert (exact.baseline, exact.candidate, exact.mean) == (1.0, 1.0, 0.0)
    assert (tone.name, tone.weight, tone.required, tone.n) == ("tone", 0.75, False, 4)
    assert (tone.baseline, tone.candidate, tone.mean) == pytest.approx((0.8, 0.2, -0.6))
    assert tone.baseline_passed is tone.candidate_passed is None


def test_only_what_a_required_scorer_gives_0_does_not_pass() -> None:
    one = scored_by(EXACT, TONE, samples=2)
    # Of the candidate's answers, one of each case is halfway right, and one of the first case is wrong.
    wrong = {(0, AFTER, 0): 0.0}
    says: Says = lambda case, arm, index: {  # noqa: E731
        "exact": wrong.get((case, arm, index), 0.5 if arm is AFTER and index else 1.0),
        "tone": 1.0,
    }
    exact = scorer_changes(Grid(one, table(one, says)))[0]
    assert (exact.baseline, exact.candidate) == (1.0, pytest.approx(0.625))
    assert (exact.baseline_passed, exact.candidate_passed) == (1.0, pytest.approx(7 / 8))


def test_a_case_counts_for_a_scorer_where_both_arms_have_a_value_of_it() -> None:
    one = scored_by(EXACT, TONE, samples=2)

    def says(case: int, arm: ArmName, index: int) -> dict[str, float | None]:
        # The judge has nothing on the first case of one arm, and one opinion less on the second.
        silent = arm is AFTER and (case == 0 or (case == 1 and index == 1))
        return {"exact": 1.0, "tone": None if silent else 0.2 + 0.5 * index}

    exact, tone = scorer_changes(Grid(one, table(one, says)))
    assert (exact.n, exact.mean) == (4, 0.0)
    # The second case counts its first answer alone, in both arms.
    assert tone.n == 3
    assert (tone.baseline, tone.candidate, tone.mean) == pytest.approx((0.2 / 3 + 0.45 * 2 / 3,) * 2 + (0.0,))


def test_scorers_of_single_cases_come_last_and_nobody_has_a_common_weight() -> None:
    one = scored_by(TONE, EXACT)
    cases = list(one.exam.cases)
    cases[0] = replace(cases[0], extra_scorers=(ScorerSpec("asks", "asks", required=True),))
    cases[1] = replace(cases[1], scorers=(ScorerSpec("words", "words"), ScorerSpec("judge", "tone", required=True)))
    one = replace(one, exam=replace(one.exam, cases=tuple(cases)))
    samples = table(one, lambda case, *_: {spec.name: 1.0 for spec in one.exam.scorers_of(cases[case])})
    found = scorer_changes(Grid(one, samples))
    assert [(row.name, row.n, row.weight, row.required) for row in found] == [
        ("tone", 4, None, True),
        ("exact", 3, None, True),
        ("asks", 1, None, True),
        ("words", 1, None, False),
    ]


def test_where_each_case_names_its_own_scorer_only_the_first_are_kept() -> None:
    one = scored_by(EXACT, cases=MOST + 5)
    cases = [
        replace(case, extra_scorers=(ScorerSpec("words", f"w{place}"),)) for place, case in enumerate(one.exam.cases)
    ]
    one = replace(one, exam=replace(one.exam, cases=tuple(cases)))
    samples = table(one, lambda case, *_: {"exact": 1.0, f"w{case}": 1.0})
    assert [row.name for row in scorer_changes(Grid(one, samples))] == ["exact", *(f"w{n}" for n in range(MOST - 1))]
