"""Prompt review: findings become questions, and a finding about nothing is none."""

import asyncio

import pytest

from gate.config.specification import AuthorQuestion, Component, InputRule, OutputRule, Specification
from gate.testgen.questions import StageResult
from gate.testgen.specification.pipeline import assumption_questions, review_specification, ungrounded_questions
from gate.values import JsonValue
from tests.support.scripted_models import Script, ScriptedModel, asker, subject

PROMPT = "Be brief. Explain everything at length."
SPECIFICATION = Specification(
    "0" * 64,
    "Explains.",
    (
        Component("article", "A text.", (InputRule("It is in English.", "in English"), InputRule("It is old."))),
        Component("topic", "What to be brief about."),
    ),
    (
        OutputRule("R1", "It is brief.", "Be brief"),
        OutputRule("R2", "It explains everything at length.", "at length"),
        OutputRule("R3", "It is polite.", grounding="ungrounded"),
    ),
)


def conflict(*ids: JsonValue, why: str = "No text is both.") -> dict[str, JsonValue]:
    return {"why": why, "rules": list(ids)}


def leak(name: str) -> dict[str, JsonValue]:
    return {"why": "The answer is brief.", "component": name}


def told(*conflicts: dict[str, JsonValue], leaks: tuple[dict[str, JsonValue], ...] = ()) -> dict[str, JsonValue]:
    return {"conflicts": list(conflicts), "leaks": list(leaks)}


def found(script: Script) -> tuple[StageResult[tuple[AuthorQuestion, ...]], ScriptedModel]:
    model = ScriptedModel({"review": script})
    return asyncio.run(review_specification(subject(PROMPT), SPECIFICATION, asker(model), "Be strict.")), model


def test_the_reviewer_sees_prompt_and_specification_and_nothing_leaves_the_fences() -> None:
    _, model = found(told())
    system, user = (message.content for message in model.requests[0].messages)
    mark = user.split("<<<")[1].split("\n")[0]
    prompt, inputs, rules = user.split(mark)[1::2]
    assert prompt == f"\n{PROMPT}\n"
    assert inputs == "\narticle: A text.\n  - It is in English.\n  - It is old.\ntopic: What to be brief about.\n"
    assert rules == "\nR1: It is brief.\nR2: It explains everything at length.\nR3: It is polite.\n"
    assert mark in system and system.endswith("Be strict.")


@pytest.mark.parametrize(
    "wrong",
    [
        told(conflict("R1", "R9")),
        told(conflict(1, 2)),
        told(leaks=(leak("R1"),)),
    ],
)
def test_a_finding_about_nothing_is_left_out(wrong: dict[str, JsonValue]) -> None:
    result, _ = found(wrong)
    assert result == StageResult((), ("1 finding of the review left out: duplicates, or not about the specification",))


def test_what_code_knows_is_asked_without_a_model() -> None:
    assert ungrounded_questions(SPECIFICATION.rules, PROMPT) == (
        AuthorQuestion("ungrounded", ("R3",), "The prompt does not say 'It is polite.'. Keep this rule?"),
    )
    doubtful = OutputRule("R4", "It rhymes.", "at length")
    assert [one.text for one in ungrounded_questions([doubtful], PROMPT)] == [
        "Does 'at length' in the prompt say 'It rhymes.'?"
    ]
    assert ungrounded_questions([OutputRule("R5", "It rhymes.")], PROMPT) == ()
    assert assumption_questions(SPECIFICATION.components) == (
        AuthorQuestion(
            "assumption", ("article",), "The prompt does not say 'It is old.' about 'article'. Can tests assume it?"
        ),
    )
