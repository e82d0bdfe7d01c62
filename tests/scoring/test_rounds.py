"""What the rounds of a conversation come to, whatever they are: mean, min, last, and scores that are missing."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.cases.case import Case, Persona, Round
from gate.config.scorer import ScorerSpec
from gate.config.targets import ConversationOptions, RoundRule
from gate.messages import Message
from gate.record.transcript import Dollars, Score, ToolUse, Transcript, Turn, Unscored
from gate.scoring.interface import Member, Subject, combine_scores, meets_threshold, sample_passes
from gate.scoring.panel import Panel, join_rounds, scored_rounds
from gate.suite import Exam

RULES: list[RoundRule] = ["mean", "min", "last"]
VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=6)
ASKED = ScorerSpec("judge", "judge", {"criteria": "Is kind."})
CALM = ScorerSpec("forbidden_words", "calm", {"words": ["damn"]})
LOOKED = ScorerSpec("tools", "looked", {"all": ["look"]}, required=True)


def scores(values: Sequence[float | Unscored], required: bool = False) -> list[tuple[int, Score]]:
    return [
        (place, Score("s", value, f"because {place}", 2.0, required, calls=1, retries=2, cost=Dollars(0.5)))
        for place, value in enumerate(values)
    ]


@given(VALUES, st.sampled_from(RULES), st.booleans())
def test_what_rounds_come_to_lies_between_them_unless_a_required_one_failed(
    values: list[float], rule: RoundRule, required: bool
) -> None:
    value = join_rounds(scores(values, required), rule).value
    assert isinstance(value, float)
    counting = values[-1:] if rule == "last" else values
    if required and min(counting) == 0.0:
        assert value == 0.0
    else:
        assert min(counting) - 1e-12 <= value <= max(counting) + 1e-12
        assert 0.0 <= value <= 1.0


@given(VALUES, st.integers(0, 5), st.sampled_from(RULES), st.booleans())
def test_a_round_without_a_score_leaves_none(values: list[float], place: int, rule: RoundRule, required: bool) -> None:
    given: list[float | Unscored] = [*values, 1.0]
    given[place % len(given)] = Unscored("no reply")
    score = join_rounds(scores(given, required), rule)
    assert score.value == Unscored(f"round {place % len(given) + 1}: no reply")
    assert score.parts == ()
    assert isinstance(combine_scores([score]), Unscored)


@given(VALUES, st.sampled_from(RULES))
def test_each_round_is_a_part_and_all_that_was_paid_counts(values: list[float], rule: RoundRule) -> None:
    score = join_rounds(scores([*values, 1.0]), rule)
    count = len(values) + 1
    assert [(part.kind, part.name) for part in score.parts] == [("round", f"round {n + 1}") for n in range(count)]
    assert [part.value for part in score.parts] == [*values, 1.0]
    assert (score.calls, score.retries, score.cost, score.weight) == (count, 2 * count, Dollars(0.5 * count), 2.0)


@pytest.mark.parametrize(
    ("rule", "reason"),
    [("mean", "round 2: because 1"), ("min", "round 2: because 1"), ("last", "round 3: because 2")],
)
def test_the_reason_is_that_of_the_round_that_decides(rule: RoundRule, reason: str) -> None:
    assert join_rounds(scores([1.0, 0.2, 0.9]), rule).reason == reason


class Kind:
    """A judge that likes everything."""

    members: Sequence[Member] = ()

    async def score(self, subject: Subject, index: int) -> Score:
        return Score("judge", 1.0)


def unasked(*_: object) -> Any:
    raise AssertionError("not asked for")


def turn(number: int, said: str, answer: str, *tools: str) -> Turn:
    return Turn(number, said, "case", answer, tuple(ToolUse(name, "{}", "ok") for name in tools))


def case(*rounds: Round) -> Case:
    return Case("c1", input=rounds[0].said, rounds=rounds, criteria="Of the case.")


def asked(one: Case, turns: Sequence[Turn], *scorers: ScorerSpec, rule: RoundRule = "mean") -> dict[str, Score]:
    exam = Exam("main", "e", (one,), scorers, conversing=ConversationOptions(score=rule))
    panel = Panel(exam, lambda _: Kind(), unasked, unasked)
    found = asyncio.run(panel.scores(Subject(one, turns[-1].answer, transcript=Transcript("s", tuple(turns))), 0))
    return {score.scorer: score for score in found}


def test_a_round_is_judged_by_what_was_said_until_then() -> None:
    one = case(Round("First?"), Round("Second?", criteria="Of the round."), Round("Third?"))
    turns = [turn(0, "First?", "Which?"), turn(0, "That one.", "A"), turn(1, "Second?", "B"), turn(2, "Third?", "C")]
    found = scored_rounds(Subject(one, "C", transcript=Transcript("s", tuple(turns))))
    assert [scene.subject.text for scene in found] == ["A", "B", "C"]
    assert [scene.subject.case.criteria for scene in found] == ["Of the case.", "Of the round.", "Of the case."]
    first = "user: First?\nassistant: Which?\nuser: That one."
    second = f"{first}\nassistant: A\nuser: Second?"
    third = f"{second}\nassistant: B\nuser: Third?"
    assert [scene.subject.case.question for scene in found] == [first, second, third]


@pytest.mark.parametrize(
    "one",
    [
        Case("c1", input="What is due?"),
        Case("c1", input="What is due?", rounds=(Round("What is due?"),)),
        Case("c1", messages=(Message("user", "What is due?"),)),
        Case("c1", user=Persona("a clerk", "Learn what is due.")),
    ],
)
def test_a_single_message_is_scored_as_one_to_a_model(one: Case) -> None:
    (scene,) = scored_rounds(Subject(one, "Rent.", transcript=Transcript("s", (turn(0, "What is due?", "Rent."),))))
    assert (scene.subject.case.input, scene.subject.case.messages) == ("What is due?", ())
    assert scene.subject.case.question == "What is due?"


@pytest.mark.parametrize(("rule", "value"), [("mean", 0.0), ("min", 0.0), ("last", 1.0)])
def test_a_required_scorer_of_the_suite_fails_in_the_rounds_that_count(rule: RoundRule, value: float) -> None:
    turns = [turn(0, "?", "Damn."), turn(1, "?", "Sorry.")]
    found = asked(case(Round("?"), Round("?")), turns, replace(CALM, required=True), rule=rule)
    assert combine_scores(list(found.values())) == value


def test_what_looks_at_the_whole_conversation_looks_once() -> None:
    turns = [turn(0, "?", "A", "look"), turn(1, "?", "B")]
    found = asked(case(Round("?"), Round("?")), turns, LOOKED, ASKED, CALM)
    assert [(name, len(score.parts)) for name, score in found.items()] == [("looked", 0), ("judge", 2), ("calm", 2)]
    assert found["looked"].value == 1.0


@given(
    st.lists(st.tuples(st.floats(0, 1), st.none() | st.floats(0.1, 1)), min_size=1, max_size=4),
    st.sampled_from(RULES),
)
def test_rounds_with_thresholds_pass_one_by_one_and_others_by_what_they_come_to(
    rounds: list[tuple[float, float | None]], rule: RoundRule
) -> None:
    one = case(*(Round("?", threshold=mark) for _, mark in rounds))
    score = replace(join_rounds(scores([value for value, _ in rounds]), rule), scorer="judge")
    assert isinstance(score.value, float)
    own = any(mark is not None for _, mark in rounds)
    each = all(meets_threshold(value, 0.7 if mark is None else mark) for value, mark in rounds)
    assert sample_passes(score.value, (score,), one, Exam("main", "e", (one,), (ASKED,))) is (
        each if own else meets_threshold(score.value, 0.7)
    )
