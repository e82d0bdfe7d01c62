"""Every scorer by itself: means, rubrics, juries, the order effect."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.config.scorer import ScorerSpec
from gate.engine.arrays import SampleGrid
from gate.engine.samples import SampleTable
from gate.engine.scorer_changes import (
    jury_results,
    opposed_scorers,
    position,
    positions,
    rubric_results,
    scorer_changes,
)
from gate.record.transcript import ArmName, Part, Sample, Score, Unscored
from gate.scoring.interface import SHOWN_FIRST, SHOWN_SECOND, combine_scores
from gate.stats.maxt import single_slice
from gate.suite import Suite
from tests.support.runs import reply, suite, table_of

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
    return table_of(taken)


def test_each_scorer_has_its_own_means_and_those_of_the_score_are_their_weighted_ones() -> None:
    one = scored_by(EXACT, TONE, samples=2)
    samples = table(
        one, lambda case, arm, index: {"exact": 1.0, "tone": 0.8 if arm is BEFORE else 0.1 * (case + index)}
    )
    exact, tone = scorer_changes(SampleGrid(one, samples))
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
    exact = scorer_changes(SampleGrid(one, table(one, says)))[0]
    assert (exact.baseline, exact.candidate) == (1.0, pytest.approx(0.625))
    assert (exact.baseline_passed, exact.candidate_passed) == (1.0, pytest.approx(7 / 8))


def test_a_case_counts_for_a_scorer_where_both_arms_have_a_value_of_it() -> None:
    one = scored_by(EXACT, TONE, samples=2)

    def says(case: int, arm: ArmName, index: int) -> dict[str, float | None]:
        # The judge has nothing on the first case of one arm, and one opinion less on the second.
        silent = arm is AFTER and (case == 0 or (case == 1 and index == 1))
        return {"exact": 1.0, "tone": None if silent else 0.2 + 0.5 * index}

    exact, tone = scorer_changes(SampleGrid(one, table(one, says)))
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
    found = scorer_changes(SampleGrid(one, samples))
    assert [(row.name, row.n, row.weight, row.required) for row in found] == [
        ("tone", 4, None, True),
        ("exact", 3, None, True),
        ("asks", 1, None, True),
        ("words", 1, None, False),
    ]


ALPHA, SEED = 0.025, 1
RUBRIC = ScorerSpec(
    "rubric",
    "voice",
    {"dimensions": [{"name": name, "description": "d", "weight": 0.5} for name in ("brevity", "tone")]},
)
JURY = ScorerSpec("judge", "jury", {"models": ["fake:a", "fake:b"], "combine": "mean", "threshold": 0.6})


def judged_by(spec: ScorerSpec, cases: int, samples: int = 1) -> Suite:
    one = suite([{}] * cases, samples=samples)
    return replace(one, exam=replace(one.exam, scorers=(spec,)))


def dimensions(brevity: float, tone: float) -> tuple[Part, ...]:
    return Part("dimension", "brevity", brevity, 0.5), Part("dimension", "tone", tone, 0.5)


def opinions(first: float, second: float) -> tuple[Part, ...]:
    return Part("judge", "fake:a", first), Part("judge", "fake:b", second)


def sample(one: Suite, case: int, arm: ArmName, index: int, parts: Sequence[Part] | None) -> Sample:
    spec = one.exam.scorers[0]
    value = Unscored("no") if parts is None else 0.5
    score = Score(spec.name, value, "r", parts=tuple(parts or ()))
    return Sample(one.name, one.exam.cases[case].id, arm, index, reply(), (score,), value)


def test_each_dimension_has_its_means_and_an_interval_that_holds_for_all() -> None:
    one = judged_by(RUBRIC, 40)
    rng = np.random.default_rng(3)
    falls = rng.choice([0.0, 0.25, 0.5], 40)
    table = SampleTable()
    for case in range(40):
        table.add(sample(one, case, ArmName.BASELINE, 0, dimensions(0.75, 0.5)))
        table.add(sample(one, case, ArmName.CANDIDATE, 0, dimensions(0.75 - falls[case], 0.5 + (case % 2) * 0.25)))
    (found,) = rubric_results(SampleGrid(one, table), ALPHA, SEED)
    assert (found.scorer, found.low, found.high, found.threshold) == ("voice", 1.0, 5.0, 3.5)
    brevity, tone = found.dimensions
    assert (brevity.n, brevity.weight, brevity.baseline) == (40, 0.5, 0.75)
    assert brevity.candidate == pytest.approx(0.75 - falls.mean())
    assert brevity.mean == pytest.approx(-falls.mean())
    assert brevity.lower is not None and brevity.upper is not None and tone.lower is not None
    assert brevity.lower < brevity.mean < brevity.upper < 0 < tone.lower
    # One that holds for both together is wider than one for each alone.
    alone = single_slice(-falls, alpha=0.025, seed=1)
    assert brevity.upper - brevity.lower > alone.upper - alone.lower


def jury(rows: Sequence[tuple[float, float]]) -> SampleTable:
    one = judged_by(JURY, len(rows))
    return table_of([sample(one, case, arm, 0, opinions(*row)) for case, row in enumerate(rows) for arm in ArmName])


def test_judges_that_agree() -> None:
    table = jury([(value, value) for value in np.linspace(0, 1, 20)])
    (found,) = jury_results(SampleGrid(judged_by(JURY, 20), table), ALPHA, SEED)
    assert (found.scorer, found.mark, found.answers, found.contested, found.why_not) == ("jury", 0.6, 40, (), "")
    assert found.kappa is not None and found.share.value == found.kappa.value == 1.0
    assert [member.model for member in found.members] == ["fake:a", "fake:b"]
    assert found.members[0].candidate == pytest.approx(0.5)


def test_judges_that_do_not_agree_are_shown_with_their_answers() -> None:
    table = jury([(0.9, 0.1), (0.2, 0.9), *[(0.5, 0.5)] * 18])
    (found,) = jury_results(SampleGrid(judged_by(JURY, 20), table), ALPHA, SEED)
    assert [(one.arm, one.index, one.opinions) for one in found.contested] == [
        ("baseline", 0, (0.9, 0.1)),
        ("candidate", 0, (0.9, 0.1)),
        ("baseline", 0, (0.2, 0.9)),
        ("candidate", 0, (0.2, 0.9)),
    ]
    assert found.share.value == pytest.approx(0.9)
    assert found.kappa is not None and found.kappa.value < 0


def test_judges_agree_on_pass_and_fail_by_their_own_threshold() -> None:
    """Between 0.5 and 0.6 both judges fail an answer; the second passes half of them."""
    table = jury([*[(0.55, 0.65)] * 10, *[(0.55, 0.55)] * 10])
    (found,) = jury_results(SampleGrid(judged_by(JURY, 20), table), ALPHA, SEED)
    assert found.share.value == 0.5
    # The first judge fails everything, so chance alone would agree as often.
    assert found.kappa is not None and found.kappa.value == 0.0


def test_two_judges_that_pass_everything_have_no_kappa() -> None:
    (found,) = jury_results(SampleGrid(judged_by(JURY, 20), jury([(0.9, 0.9)] * 20)), ALPHA, SEED)
    assert (found.share.value, found.kappa) == (1.0, None)
    assert "all answers are of one kind" in found.why_not


WORTH = st.sampled_from([0.0, 0.5, 1.0])


def arrays(*pairs: tuple[float, float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    first, second = (np.array(one) for one in zip(*pairs, strict=True))
    return first, second, np.arange(len(pairs))


def test_a_judge_that_likes_the_first_place() -> None:
    found = position("judge", *arrays(*[(1.0, 0.0)] * 20))
    assert (found.pairs, found.first.value, found.turned.value, found.tied.value) == (20, 1.0, 1.0, 0.0)
    assert (found.won.value, found.lost.value) == (0.0, 0.0)
    assert 0.5 < found.first.lower < 1.0


def test_a_judge_that_sees_the_answers_alone() -> None:
    found = position("judge", *arrays(*[(1.0, 1.0), (0.0, 0.0)] * 10, (0.5, 0.5)))
    assert (found.first.value, found.turned.value) == (0.5, 0.0)
    assert found.tied.value == pytest.approx(1 / 21)
    assert found.won.value == found.lost.value == pytest.approx(10 / 21)
    assert found.first.lower < 0.5 < found.first.upper


def test_samples_of_one_case_prove_no_more_than_the_case() -> None:
    once = position("judge", *arrays(*[(1.0, 0.0)] * 5))
    often = position("judge", np.ones(15), np.zeros(15), np.repeat(np.arange(5), 3))
    assert often.first == once.first


def test_a_tie_in_one_order_alone_is_no_tie() -> None:
    found = position("judge", *arrays((0.5, 1.0), (1.0, 0.5)))
    assert (found.tied.value, found.turned.value, found.first.value) == (0.0, 1.0, 0.5)


@given(st.lists(st.tuples(WORTH, WORTH), min_size=1, max_size=40))
def test_shares_are_shares_and_the_other_arm_sees_the_same_bias(pairs: list[tuple[float, float]]) -> None:
    mine = position("judge", *arrays(*pairs))
    other = position("judge", *arrays(*[(1.0 - second, 1.0 - first) for first, second in pairs]))
    assert mine.first.value == pytest.approx(other.first.value)
    for one in (mine.first, mine.turned, mine.tied):
        assert 0.0 <= one.value <= 1.0
        if one.lower is None or one.upper is None:
            assert (len(pairs), one.lower, one.upper) == (1, None, None)
            continue
        assert one.lower <= one.value + 1e-9 and one.value <= one.upper + 1e-9


def test_it_is_read_off_the_candidates_scores() -> None:
    one = suite([{}] * 3, samples=1)

    def sample(case: str, arm: ArmName, worth: tuple[float, float] | None) -> Sample:
        names = (SHOWN_FIRST, SHOWN_SECOND)
        parts = tuple(Part("order", name, value) for name, value in zip(names, worth, strict=True)) if worth else ()
        score = Score("style", sum(worth) / 2 if worth else 0.5, parts=parts)
        return Sample(one.name, case, arm, 0, reply(), (score,), score.value)

    ids = [case.id for case in one.exam.cases]
    worths = [(1.0, 0.0), (1.0, 1.0), None]
    samples = [sample(case, ArmName.CANDIDATE, worth) for case, worth in zip(ids, worths, strict=True)]
    samples += [
        sample(case, ArmName.BASELINE, worth and (1 - worth[1], 1 - worth[0]))
        for case, worth in zip(ids, worths, strict=True)
    ]
    (found,) = positions(SampleGrid(one, table_of(samples)))
    assert (found.scorer, found.pairs, found.first.value, found.turned.value) == ("style", 2, 0.75, 0.5)


@pytest.mark.parametrize("scorers", [2, 4])
def test_noise_alone_rarely_opposes_scorers(scorers: int) -> None:
    """An unchanged prompt: each answer is drawn anew for both arms, and each scorer has its own dice."""
    specs = tuple(ScorerSpec("contains", f"s{number}") for number in range(scorers))
    tags = [{"tier": f"t{number % 3}", "lang": f"l{number % 4}"} for number in range(40)]
    one = suite(tags, samples=2)
    one = replace(one, exam=replace(one.exam, scorers=specs))
    dice, runs, opposed = np.random.default_rng(5), 100, 0
    for seed in range(runs):
        right = dice.random((40, 2, 2, scorers)) < dice.beta(4.0, 1.5, (40, 1, 1, 1))

        def says(case: int, arm: ArmName, index: int, right: np.ndarray = right) -> dict[str, float | None]:
            drawn = right[case, 0 if arm is BEFORE else 1, index]
            return {f"s{number}": float(drawn[number]) for number in range(scorers)}

        opposed += bool(opposed_scorers([SampleGrid(one, table(one, says))], {one.name: 2}, seed))
    assert opposed <= 3
