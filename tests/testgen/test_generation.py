"""The whole way from a specification to tests: how many requests, in which order, and what is left over."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from gate.config.specification import GeneratedTest, Specification
from gate.errors import CannotEvaluate
from gate.record.transcript import Failed
from gate.testgen.effort import EffortSettings
from gate.testgen.generate import GeneratedTests, generate_tests
from gate.testgen.prompt_under_test import PromptSubject
from gate.testgen.questions import GenerationSetup
from tests.support.scripted_tests import SUBJECT, Bend, Killed, ScriptedTests, specification

SPEC = specification(5, "sentence")


async def answer(test: GeneratedTest) -> str | Failed:
    return f"answer to {test.id}"


def run(
    model: ScriptedTests,
    settings: EffortSettings,
    spec: Specification = SPEC,
    subject: PromptSubject = SUBJECT,
    **more: Any,
) -> GeneratedTests:
    setup = GenerationSetup(model.asker(), model.asker("judge"), settings, **more)
    return asyncio.run(generate_tests(subject, spec, setup))


def test_invalid_inputs_and_duplicates_are_kept_apart_with_why() -> None:
    def same(_: int, good: dict[str, Any]) -> dict[str, Any]:
        good["tests"][1]["components"] = good["tests"][0]["components"]
        return good

    def bad(_: int, good: dict[str, Any]) -> dict[str, Any]:
        return {"verdicts": [{**good["verdicts"][0], "valid": False, "reason": "It is French."}, *good["verdicts"][1:]]}

    found = run(
        ScriptedTests({"tests": same, "validity": bad}),
        EffortSettings(1, 10, tests_per_validation=50),
    )
    assert len(found.tests) == 8 and len(found.discarded) == 2
    twin, foreign = found.discarded
    assert twin.why.startswith("the same as R") and twin.test.valid is None, "a duplicate is not judged"
    assert foreign.why == "breaks the input specification: It is French." and foreign.test.valid is False
    assert not {one.test.id for one in found.discarded} & {test.id for test in found.tests}
    (note,) = found.notes
    lost = sorted(f"{one.test.rule}-{one.test.kind}" for one in found.discarded)
    assert note.startswith("only 0 of 1 tests left; the others were duplicates or had invalid inputs: ")
    assert sorted(note.partition(": ")[2].split(", ")) == lost


@pytest.mark.parametrize(
    ("bend", "hint"),
    [
        ({"tests": lambda *_: "I'm sorry."}, "the model refused"),
        ({"tests": lambda *_: Failed("no budget left")}, "no budget left"),
        ({"tests": lambda *_: '{"tests": []}'}, "tests is empty"),
        ({"validity": lambda _, good: _all_invalid(good)}, "breaks the input specification: No."),
    ],
)
def test_no_test_is_no_success(bend: dict[str, Bend], hint: str) -> None:
    told: list[str] = []
    with pytest.raises(CannotEvaluate, match="no usable test is left") as caught:
        run(ScriptedTests(bend), EffortSettings(1, 10), tell=told.append)
    assert told == ["writing tests for 5 rules", "checking 10 inputs"][: 1 + ("validity" in bend)]
    assert hint in caught.value.hint and caught.value.exit_code == 3


def test_a_generation_that_was_killed_pays_only_for_what_is_missing() -> None:
    work = EffortSettings(2, 2, expansions=1)
    whole = run(reference := ScriptedTests(), work)
    first = ScriptedTests(killed_after=len(reference.requests) // 2)
    with pytest.raises(Killed):
        run(first, work)
    second = ScriptedTests(known=first.known)
    assert run(second, work) == whole
    assert len(first.requests) + len(second.requests) == len(reference.requests)
    assert run(third := ScriptedTests(known=second.known), work) == whole and third.requests == []


def test_an_edited_rule_costs_the_tests_of_that_rule_alone() -> None:
    """With one statement in a request, the others are known word for word."""
    work = EffortSettings(2, 1, validate=False)
    run(before := ScriptedTests(), work)
    edited = replace(SPEC, rules=(replace(SPEC.rules[0], text="The output is short."), *SPEC.rules[1:]))
    run(after := ScriptedTests(known=before.known), work, edited)
    assert len(after.requests) == 1


def test_stand_in_documents_are_asked_for_where_the_prompt_takes_any() -> None:
    rag = PromptSubject("Answer {{ question }} from {{ passages }}.", ("passages", "question"), "d")
    work = EffortSettings(1, 10, documents=True, validate=False)
    found = run(model := ScriptedTests(), work, specification(1, "passages", "question"), rag)
    system, user = (message.content for message in model.requests[0].messages)
    assert "# Stand-in documents" in system
    assert 'Component "passages", which fills the variable of that name, stand-in documents: the passages\n' in user
    assert set(found.tests[0].vars) == {"passages", "question"} and found.notes == ()
    found = run(model := ScriptedTests(), work)
    assert "# Stand-in documents" not in model.requests[0].messages[0].content
    assert found.notes == ("no documents were made: no part of the input is marked as retrieved context",)


def _all_invalid(good: dict[str, Any]) -> dict[str, Any]:
    return {"verdicts": [{**one, "valid": False, "reason": "No."} for one in good["verdicts"]]}
