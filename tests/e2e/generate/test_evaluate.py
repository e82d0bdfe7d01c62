"""Generated tests run on models: the table, the files, and the requests to the servers."""

from xml.etree import ElementTree

import jsonschema
import pytest

from tests.e2e.generate.desk import RULES, Desk, document, given, planned
from tests.support.command import Outcome
from tests.support.model_server import Behaviour
from tests.support.prompt_reader import reader, stage_of

ONE = "openai:gpt-4o-mini"
TESTED = f"{ONE},anthropic:claude-haiku-4-5"
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
    # The only rule that code checks is the number of words, and the answer keeps it.
    for group, tests in (("rules", RULES), ("inverse", RULES), ("control", TESTS), ("all", 2 * TESTS)):
        assert told.count(f"| · {group} | 0/{tests} |") == 2
    answers = [body for body in desk.server.bodies if "response_format" not in body]
    assert {body["model"]: body.get("temperature") for body in answers} == {
        "gpt-4o-mini": 1.0,
        "claude-haiku-4-5": None,  # a parameter that its interface refuses is not sent
    }
    assert inputs_judged(desk) == {False}


def test_a_judge_sees_inputs_if_the_option_says_so(desk: Desk) -> None:
    desk.server.behaviour = Behaviour(judgement=reader, answer=lambda system, user: f"Fine, {user[-9:]}")
    made = evaluated(desk, *given(control="false", input_aware="true"), models=ONE)
    assert made.code == 0, made.err
    assert inputs_judged(desk) == {True}


def inputs_judged(desk: Desk) -> set[bool]:
    """Whether the judge of an output also gets the input."""
    judged = (entry.user for entry in desk.server.ledger if stage_of(entry.system) == "compliance")
    return {"What about" in user for user in judged}


def test_no_output_complies(desk: Desk) -> None:
    desk.server.behaviour = Behaviour(judgement=reader, answer=lambda system, user: "This is wrong.")
    made = evaluated(desk, *given(control="false"), models=ONE)
    assert made.code == 1, made
    assert "No output of any model complies" in made.err


def test_tests_are_saved_even_if_their_run_fails(desk: Desk) -> None:
    def judging(system: str, user: str) -> str:
        return "I'm sorry." if stage_of(system) == "compliance" else reader(system, user)

    desk.server.behaviour = Behaviour(judgement=judging)
    made = evaluated(desk, *given(control="false"), models=ONE)
    assert made.code == 3, made
    assert len(desk.cases()) == TESTS
    assert desk.spec().rules


def test_json_output_matches_the_schema(desk: Desk) -> None:
    schema = document(desk.gate("schema", "generation.json"))
    made = evaluated(desk, "--json", "--quiet", *given(turns=2, control="false"), models=ONE)
    found = document(made)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(found, schema)
    assert found["evaluation"] and found["tests"][0]["turns"]
    for wrong in ({"left_out": [1]}, {"more": 1}, {"tests": [{**found["tests"][0], "kind": "other"}]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**found, **wrong}, schema)


def test_rule_tests_and_control_tests_get_the_same_check(desk: Desk) -> None:
    """The inputs of both kinds are checked, even at the lowest effort."""
    desk.server.behaviour = FINE
    desk.generate("--effort", "min")
    foreseen = planned(evaluated(desk, "--plan", models=ONE))
    before = desk.asked
    desk.forget()
    found = document(evaluated(desk, "--json", "--quiet", models=ONE))
    kinds = {row["kind"]: row["valid"] for row in found["evaluation"]}
    assert kinds == dict.fromkeys(("rule", "inverse", "control"), True)
    judged = sum(stage_of(entry.system) == "compliance" for entry in desk.server.ledger)
    outputs = TESTS * 3
    assert foreseen == desk.asked - before - judged + outputs, "equal outputs are judged once"
