"""Generated tests against models: the table, the files, and what the servers are asked."""

from xml.etree import ElementTree

import jsonschema
import pytest

from tests.e2e.generate.desk import RULES, Desk, document, given, planned
from tests.support.command import Outcome
from tests.support.model_server import Behaviour
from tests.support.prompt_reader import reader, stage_of

TESTED = "openai:gpt-4o-mini,anthropic:claude-haiku-4-5"
TESTS = 2 * RULES
FINE = Behaviour(judgement=reader, answer=lambda system, user: "Fine, is it?")


def evaluated(desk: Desk, *arguments: str, models: str = TESTED) -> Outcome:
    judge = ("--judge-model", "openai:gpt-5")
    return desk.generate("--effort", "min", "--evaluate", models, *judge, *arguments)


def test_a_table_with_all_models_and_its_files(desk: Desk) -> None:
    desk.server.behaviour = FINE
    made = evaluated(desk)
    assert made.code == 0, made.err
    told = (desk.root / ".gate/generate/shop/evaluation.md").read_text(encoding="utf-8")
    for word in ("gpt-4o-mini", "claude-haiku-4-5", "control", "inverse", "Agreement of the specification"):
        assert word in told
        assert word in made.out
    for name in ("judge.svg", "code.svg", "either.svg"):
        root = ElementTree.fromstring((desk.root / ".gate/generate/shop" / name).read_text(encoding="utf-8"))
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
    share = "0\N{NO-BREAK SPACE}%"
    headline = f"**By the judge: gpt-4o-mini breaks {share} [0, 39] of {TESTS} tests, claude-haiku-4-5 {share} "
    assert told.startswith(headline)
    # Of the rules of the prompt code checks the number of words alone, and that is kept.
    for group, tests in (("rules", RULES), ("inverse", RULES), ("control", TESTS), ("all", 2 * TESTS)):
        assert told.count(f"| · {group} | 0/{tests} |") == 2


def test_models_are_warm_where_their_interface_lets_them(desk: Desk) -> None:
    desk.server.behaviour = FINE
    made = evaluated(desk, *given(control="false"))
    assert made.code == 0, made.err
    answers = [body for body in desk.server.bodies if "response_format" not in body]
    assert {body["model"]: body.get("temperature") for body in answers} == {
        "gpt-4o-mini": 1.0,
        "claude-haiku-4-5": None,  # a parameter that its interface refuses is not sent
    }
    assert inputs_judged(desk) == {False}


def test_a_judge_sees_inputs_where_it_is_told_to(desk: Desk) -> None:
    desk.server.behaviour = Behaviour(judgement=reader, answer=lambda system, user: f"Fine, {user[-9:]}")
    made = evaluated(desk, *given(control="false", input_aware="true"))
    assert made.code == 0, made.err
    assert inputs_judged(desk) == {True}


def inputs_judged(desk: Desk) -> set[bool]:
    """Was the judge of an output shown the input, too?"""
    judged = (entry.user for entry in desk.server.ledger if stage_of(entry.system) == "compliance")
    return {"What about" in user for user in judged}


def test_no_output_complies(desk: Desk) -> None:
    desk.server.behaviour = Behaviour(judgement=reader, answer=lambda system, user: "This is wrong.")
    made = evaluated(desk, *given(control="false"))
    assert made.code == 1, made
    assert "No output of any model complies" in made.err


def test_tests_are_kept_whatever_comes_of_running_them(desk: Desk) -> None:
    def judging(system: str, user: str) -> str:
        return "I'm sorry." if stage_of(system) == "compliance" else reader(system, user)

    desk.server.behaviour = Behaviour(judgement=judging)
    made = evaluated(desk, *given(control="false"))
    assert made.code == 3, made
    assert len(desk.cases()) == TESTS
    assert desk.spec().rules


def test_what_a_program_reads_keeps_the_schema(desk: Desk) -> None:
    schema = document(desk.gate("schema", "generation.json"))
    found = document(evaluated(desk, "--json", "--quiet", *given(turns=2)))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(found, schema)
    assert found["evaluation"] and found["tests"][0]["turns"]
    for wrong in ({"left_out": [1]}, {"more": 1}, {"tests": [{**found["tests"][0], "kind": "other"}]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**found, **wrong}, schema)


def test_both_kinds_of_tests_get_the_same_check(desk: Desk) -> None:
    """At the lowest effort the inputs of control cases were checked, and those of the rules were not."""
    desk.server.behaviour = FINE
    desk.generate("--effort", "min")
    foreseen = planned(evaluated(desk, "--plan"))
    before = desk.asked
    desk.forget()
    found = document(evaluated(desk, "--json", "--quiet"))
    kinds = {row["kind"]: row["valid"] for row in found["evaluation"]}
    assert kinds == dict.fromkeys(("rule", "inverse", "control"), True)
    judged = sum(stage_of(entry.system) == "compliance" for entry in desk.server.ledger)
    outputs = 2 * TESTS * 3
    assert foreseen == desk.asked - before - judged + outputs, "equal outputs are judged once"
