"""Control cases: from the prompt alone, exactly so many, inputs and nothing else."""

import asyncio
from typing import Any

import pytest

from gate.record.transcript import Failed
from gate.testgen.cases.inputs import MadeTests
from gate.testgen.effort import EffortSettings, control_calls
from gate.testgen.evaluation.trials import write_control_cases
from gate.testgen.prompt_under_test import PromptSubject
from tests.support.scripted_tests import SUBJECT, Bend, ScriptedTests

TEMPLATE = PromptSubject("{{ tone }} {{ input }}", ("input", "tone"), "d")


def control(
    count: int, bend: Bend | None = None, subject: PromptSubject = SUBJECT, turns: int = 1
) -> tuple[MadeTests, ScriptedTests]:
    model = ScriptedTests({} if bend is None else {"control": bend})
    return asyncio.run(write_control_cases(subject, count, EffortSettings(turns=turns), model.asker())), model


@pytest.mark.parametrize("count", [0, 1, 10, 23])
def test_so_many_as_wanted_in_as_few_requests(count: int) -> None:
    found, model = control(count)
    assert [test.id for test in found.tests] == [f"control-{number}" for number in range(1, count + 1)]
    assert len({test.input for test in found.tests}) == count and found.notes == ()
    assert len(model.requests) == control_calls(count)


def test_the_generator_sees_the_prompt_and_what_is_there_already() -> None:
    found, model = control(12)
    first, second = (request.messages[1].content for request in model.requests)
    assert "exactly 2 inputs" in model.requests[1].messages[0].content
    assert SUBJECT.text in first and "already" not in first
    assert all(test.input in second for test in found.tests[:10])


def test_too_many_are_cut_and_the_same_does_not_count() -> None:
    found, _ = control(3, lambda _, good: {"inputs": good["inputs"] * 2 + [_input("one more")]})
    assert len(found.tests) == 3 and found.notes == ()
    found, model = control(15, lambda *_: {"inputs": [_input("always this")]})
    assert len(found.tests) == 1 and len(model.requests) == 4
    assert found.notes == ("1 of 15 control cases (the model repeats itself)",)


def test_a_failure_is_tried_once_more_and_then_noted() -> None:
    found, _ = control(15, lambda number, good: Failed("dropped") if number == 0 else good)
    assert len(found.tests) == 15 and found.notes == ()
    found, model = control(500, lambda *_: Failed("no budget left"))
    assert found.tests == () and len(model.requests) == 2
    assert found.notes == ("0 of 500 control cases (no budget left)",)


def _input(text: str) -> dict[str, Any]:
    return {"components": [{"name": "input", "text": text}]}


def test_too_few_that_are_known_are_asked_for_anew() -> None:
    def run(model: ScriptedTests) -> int:
        return len(asyncio.run(write_control_cases(SUBJECT, 10, EffortSettings(), model.asker())).tests)

    poor = ScriptedTests({"control": lambda _, good: {"inputs": good["inputs"][:2]}})
    assert run(poor) == 4
    good = ScriptedTests(known=poor.known)
    assert run(good) == 10
    assert len(good.requests) == 1
    later = ScriptedTests(known=good.known)
    assert run(later) == 10
    assert later.requests == []
