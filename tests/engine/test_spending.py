"""Calls, dollars and minutes before they are spent; the noise of deltas."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.cases.case import Persona, Round
from gate.config.models import ModelRef, Params
from gate.config.scorer import ScorerSpec
from gate.config.targets import ConversationModel, ConversationOptions, ToolLoop
from gate.engine import noise
from gate.engine.spending import Earlier, PerCall, Range, SpendingEstimator
from gate.record.transcript import ArmName, Cost, Dollars, Unpriced, Usage
from gate.suite import Suite
from gate.values import JsonValue
from tests.support.run_records import finished
from tests.support.runs import arm, suite

JUDGE = ScorerSpec("judge", "judge", {"criteria": "Kind.", "model": "openai:judge"})


def price(model: ModelRef, params: Params, usage: Usage) -> Cost:
    """A dollar a thousand tokens in, two out; one model is not for sale and one not known."""
    if model.provider in ("fake", "local"):
        return Unpriced("n/a")
    if model.name == "new":
        return Unpriced("unknown")
    return Dollars((usage.total_input + 2 * usage.output_tokens) / 1000)


def with_model(planned: Suite, model: str, params: Params | None = None) -> Suite:
    """The suite, answered by another model."""
    sides = [replace(arm("x" * 40, model), params=params or Params()) for _ in range(2)]
    return replace(planned, baseline=sides[0], candidate=sides[1])


def estimator(earlier: Earlier | None = None) -> SpendingEstimator:
    return SpendingEstimator(price, earlier or {})


def test_answers_are_rendered_and_counted() -> None:
    planned = with_model(suite([{}] * 10, samples=3), "openai:m", Params(max_output_tokens=100))
    found = estimator().spending([planned], 10)
    first = found.outlays[0]
    assert [outlay.role for outlay in found.outlays] == ["baseline", "candidate"]
    assert (found.calls, first.calls) == (60, 30)
    # 40 characters of prompt and 10 of `question 0`: 12.5 tokens, of which there are no halves.
    assert first.input_tokens == Range(13 * 30, "assumed")
    assert first.output_tokens == Range(100 * 30, "assumed")
    assert found.cost == Dollars(pytest.approx(60 * (13 + 200) / 1000))
    assert found.minutes == pytest.approx(6 * 2 / 60)


def test_no_reply_is_taken_to_be_longer_than_the_budget_allows() -> None:
    planned = with_model(suite([{}] * 10), "openai:m")
    known: Earlier = {(planned.name, "baseline"): PerCall(Usage(10, 0, 0, 900), True, 1.0)}
    for earlier in (None, known):
        found = replace(estimator(earlier), cap=50).spending([planned], 10)
        assert {outlay.output_tokens for outlay in found.outlays} == {Range(50 * 10, "assumed")}
    short = replace(estimator(), cap=50).spending([with_model(planned, "openai:m", Params(max_output_tokens=20))], 10)
    assert short.outlays[0].output_tokens.value == 20 * 10


def test_judges_ask_once_for_each_answer_of_both_arms() -> None:
    planned = suite([{}] * 4, samples=2)
    planned = replace(planned, exam=replace(planned.exam, scorers=(JUDGE, planned.exam.scorers[0])))
    found = estimator().spending([planned], 1)
    judge = found.outlays[-1]
    assert (judge.role, judge.model, judge.calls) == ("judge", "openai:judge", 16)
    # The instructions alone are longer than the answer that is assumed.
    assert judge.input_tokens.value / judge.calls > 500
    assert isinstance(found.cost, Dollars)


def test_every_member_of_a_jury_is_asked() -> None:
    planned = suite([{}] * 4, samples=2)
    dimensions: JsonValue = [{"name": str(at), "description": "d", "weight": 0.1} for at in range(10)]
    jury = ScorerSpec("rubric", "jury", {"models": ["openai:judge", "openai:new"], "dimensions": dimensions})
    exam = replace(planned.exam, scorers=(jury, JUDGE, planned.exam.scorers[0]))
    judges = [one for one in estimator().spending([replace(planned, exam=exam)], 1).outlays if one.role == "judge"]
    # What one model is asked for two scorers is one row.
    assert [(one.model, one.calls) for one in judges] == [("openai:judge", 32), ("openai:new", 16)]
    # Ten dimensions take more words than one score.
    assert judges[1].output_tokens.value == 16 * 600


def talks(rounds: int, count: int = 10) -> Suite:
    """Conversations of so many rounds; a question has 10 characters."""
    planned = with_model(suite([{}] * count, samples=3), "openai:m", Params(max_output_tokens=100))
    said = tuple(Round("question 0") for _ in range(rounds))
    cases = tuple(replace(case, input="", rounds=said) for case in planned.exam.cases)
    return replace(planned, exam=replace(planned.exam, cases=cases))


def test_each_round_is_a_call_that_repeats_what_was_said_before() -> None:
    found = estimator().spending([talks(4)], 64)
    first = found.outlays[0]
    assert (found.calls, first.calls, found.at_least) == (240, 120, False)
    # Prompt and question have 50 characters, each further round brings an answer of 400 and a question of 10.
    rendered = 50 + 460 + 870 + 1280
    assert first.input_tokens.value == math.ceil(rendered / 4 / 4) * 120
    assert first.output_tokens.value == 100 * 120


def test_judges_see_each_round_and_those_of_one_round_see_that_one() -> None:
    planned = talks(3, 2)
    once = replace(JUDGE, name="once", options={**JUDGE.options, "model": "openai:other"})
    rounds = (Round("question 0", scorers=(once,)), Round("question 1"), Round("question 2"))
    cases = tuple(replace(case, rounds=rounds) for case in planned.exam.cases)
    exam = replace(planned.exam, cases=cases, scorers=(JUDGE,))
    judges = [one for one in estimator().spending([replace(planned, exam=exam)], 1).outlays if one.role == "judge"]
    assert [(one.model, one.calls) for one in judges] == [("openai:judge", 36), ("openai:other", 12)]


def test_where_an_agent_decides_the_calls_are_the_least() -> None:
    asked = talks(2)
    agent = replace(asked, candidate=replace(asked.candidate, target=ToolLoop(fixtures="tools.yaml")))
    found = estimator().spending([agent], 1)
    assert [one.at_least for one in found.outlays] == [False, True]
    assert found.at_least and found.dollars_at_least
    helped = replace(
        asked,
        exam=replace(
            asked.exam, conversing=ConversationOptions(followups=ConversationModel(model=ModelRef("openai", "judge")))
        ),
    )
    assert estimator().spending([helped], 1).at_least


def test_who_plays_a_user_is_asked_in_each_conversation() -> None:
    planned = with_model(suite([{}] * 3, samples=2), "openai:m")
    first, *others = planned.exam.cases
    exam = replace(planned.exam, cases=(replace(first, user=Persona("A", "B")), *others))
    exam = replace(exam, conversing=ConversationOptions(user=ConversationModel(model=ModelRef("openai", "person"))))
    found = estimator().spending([replace(planned, exam=exam)], 1)
    (user,) = [one for one in found.outlays if one.role == "user"]
    assert (user.model, user.calls, user.at_least) == ("openai:person", 4, True)


def test_what_was_measured_goes_before_what_is_assumed() -> None:
    planned = with_model(suite([{}] * 10), "openai:m")
    known = PerCall(Usage(50, 30, 20, 7), same_prompt=True, seconds=0.5)
    other = PerCall(Usage(50, 30, 20, 7), same_prompt=False, seconds=None)
    baseline, candidate = (
        estimator({("support", "baseline"): known, ("support", "candidate"): other}).spending([planned], 1).outlays
    )
    assert baseline.input_tokens == Range(1000, "measured")
    assert baseline.output_tokens == Range(70, "measured")
    assert baseline.seconds == Range(0.5, "measured")
    assert candidate.input_tokens == Range(130, "assumed")
    assert candidate.output_tokens == Range(70, "measured")
    assert candidate.seconds == Range(2.0, "assumed")


def test_a_model_in_this_process_answers_one_call_after_another() -> None:
    local = with_model(suite([{}] * 30), "local:m")
    assert estimator().spending([local], 64).minutes == pytest.approx(60 * 2 / 60)
    remote = with_model(suite([{}] * 30), "openai:m")
    assert estimator().spending([remote], 64).minutes == pytest.approx(2 / 60)


def test_one_unknown_price_makes_the_sum_unknown() -> None:
    known, new = with_model(suite([{}] * 3), "openai:m"), with_model(suite([{}] * 3, name="b"), "openai:new")
    found = estimator().spending([known, new], 1)
    assert found.cost == Unpriced("unknown")
    assert "openai:new" in found.cost_note
    assert estimator().spending([suite([{}] * 3)], 1).cost == Unpriced("n/a")


@given(st.integers(1, 60), st.integers(1, 5), st.integers(1, 80))
def test_more_cases_or_samples_never_cost_less(cases: int, samples: int, concurrency: int) -> None:
    found = [
        estimator().spending([with_model(suite([{}] * n, samples=k), "openai:m")], concurrency)
        for n, k in ((cases, samples), (cases + 1, samples), (cases, samples + 1))
    ]
    for larger in found[1:]:
        assert larger.calls > found[0].calls
        assert larger.minutes >= found[0].minutes
        assert isinstance(larger.cost, Dollars)
        assert isinstance(found[0].cost, Dollars)
        assert larger.cost.amount > found[0].cost.amount


ROWS = [{"tier": "gold"}] * 12


def test_the_scores_of_a_record_are_read_case_by_case() -> None:
    made = finished([suite(ROWS, samples=2)], lambda case, arm, index: 1.0 if arm is ArmName.BASELINE else 0.5 * index)
    found = noise.table(made.suites[0])
    assert (found.n, found.k) == (12, 2)
    assert found.baseline.tolist() == [[1.0, 1.0]] * 12
    assert found.candidate.tolist() == [[0.0, 0.5]] * 12
    assert found.deltas.tolist() == [-0.75] * 12


def test_known_noise_within_cases_is_found_and_scaled_to_other_repeats() -> None:
    rng = np.random.default_rng(3)
    scores = rng.random((4000, 4)) < 0.8
    table = noise.ScoreTable(np.arange(4000), scores[:, :2].astype(float), scores[:, 2:].astype(float))
    found = noise.measured(table)
    assert found is not None
    assert found.split is not None
    assert found.split.sigma == pytest.approx(0.4, abs=0.01)
    low, high = found.at(8)
    assert low == high == pytest.approx(math.sqrt(found.split.tau**2 + 2 * found.split.sigma**2 / 8))
    assert found.at(1)[0] > found.at(2)[0] > found.at(3)[0]


def test_ties_are_carried_over_for_the_same_number_of_samples_only() -> None:
    scores = np.repeat([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [0.0, 1.0]], 10, axis=0)
    found = noise.measured(noise.ScoreTable(np.arange(40), scores[:, :1], scores[:, 1:]))
    assert found is not None
    assert noise.spread(found, 1, ".gate/last", same_arms=True).ties == 0.5
    assert noise.spread(found, 2, ".gate/last", same_arms=True).ties == 0.0


def test_one_sample_gives_its_total_and_a_range_for_more() -> None:
    rng = np.random.default_rng(3)
    scores = (rng.random((500, 2)) < 0.8).astype(float)
    found = noise.measured(noise.ScoreTable(np.arange(500), scores[:, :1], scores[:, 1:]))
    assert found is not None
    assert found.split is None
    assert found.at(1) == (found.total, found.total)
    assert found.at(4) == (pytest.approx(found.total / 2), found.total)


@pytest.mark.parametrize("fall", [0.0, 1.0])
def test_no_noise_seen_is_bounded_by_the_rule_of_three(fall: float) -> None:
    table = noise.ScoreTable(np.arange(300), np.ones((300, 3)), np.full((300, 3), 1.0 - fall))
    found = noise.measured(table)
    assert found is not None
    assert not found.varies
    assert found.at(3) == (0.0, pytest.approx(0.1))
    assert "at most 3 cases in 300" in noise.spread(found, 3, ".gate/last", same_arms=True).said


def test_variants_that_agree_make_a_unit_as_noisy_as_a_case() -> None:
    rng = np.random.default_rng(4)
    base, other = (np.repeat((rng.random((200, 1)) < 0.7).astype(float), 5, axis=0) for _ in range(2))
    table = noise.ScoreTable(np.arange(1000), base, other)
    alike = noise.measured(table, np.repeat(np.arange(200), 5))
    apart = noise.measured(table, None)
    assert alike is not None
    assert apart is not None
    assert alike.stretch == pytest.approx(1.0, abs=0.01)
    assert apart.stretch == 1.0
    mixed = noise.measured(table, np.tile(np.arange(200), 5))
    assert mixed is not None
    assert mixed.stretch < 0.6


def test_what_is_assumed_is_a_range_that_shrinks_with_repeats() -> None:
    one, three = noise.assumed(1), noise.assumed(3)
    assert one.ties == 0.0
    assert (one.low, one.high) == (pytest.approx(0.4), pytest.approx(0.5385, abs=1e-4))
    assert three.high == pytest.approx(one.high / math.sqrt(3))
    assert one.basis == "assumed"
