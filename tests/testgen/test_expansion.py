"""Richer inputs where the model gives any, and the old ones where it does not."""

import asyncio

from gate.config.specification import GeneratedTest
from gate.record.transcript import Failed
from gate.testgen.cases.inputs import CaseSource, MadeTests
from gate.testgen.cases.rule_tests import expanded_tests
from gate.testgen.effort import EffortSettings
from tests.support.scripted_tests import SUBJECT, ScriptedTests, specification

SPEC = specification(2, "sentence")
TESTS = tuple(
    GeneratedTest(
        f"R{n}-{kind}-1", kind, f"R{n}", f"input {n} {kind}", {"sentence": f"input {n} {kind}"}, scenario="edge"
    )
    for n in (1, 2)
    for kind in ("rule", "inverse")
)


def expand(model: ScriptedTests, rounds: int = 1) -> MadeTests:
    source = CaseSource.of(SUBJECT, SPEC, EffortSettings(expansions=rounds))
    return asyncio.run(expanded_tests(source, TESTS, model.asker()))


def test_each_test_is_asked_for_once_a_round_and_keeps_what_it_is() -> None:
    found = expand(model := ScriptedTests(), 2)
    assert len(model.requests) == 8
    for old, new in zip(TESTS, found.tests, strict=True):
        assert (new.id, new.kind, new.rule, new.scenario) == (old.id, old.kind, old.rule, old.scenario)
        assert new.input == new.components["sentence"] != old.input
        assert new.behaviour == "Answers better."
    assert found.notes == ()


def test_the_statement_is_shown_and_not_its_kind() -> None:
    expand(model := ScriptedTests())
    texts = [request.messages[1].content for request in model.requests]
    assert "The output is number 1." in texts[0] and "The output is not number 1." in texts[1]
    assert not any("inverse" in text.replace(test.input, "") for text, test in zip(texts, TESTS, strict=True))


def test_what_is_refused_or_cannot_be_used_keeps_its_input() -> None:
    replies = {0: "I'm sorry.", 1: "I'm sorry.", 2: Failed("no budget left")}
    found = expand(ScriptedTests({"expansion": lambda number, good: replies.get(number, good)}))
    assert found.tests[:2] == TESTS[:2]
    assert all(new.input != old.input for new, old in zip(found.tests[2:], TESTS[2:], strict=True))
    assert found.notes == (
        'not made harder (the model refused: "I\'m sorry."): R1-rule-1',
        "not made harder (no budget left): R1-inverse-1",
    )
