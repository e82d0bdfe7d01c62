"""Parameters are sent only to the model that generates tests."""

import pytest

from tests.e2e.generate.desk import JUDGE, RULES, Desk, given, planned
from tests.e2e.generate.test_evaluate import FINE
from tests.support.prompt_reader import stage_of


def test_a_parameter_of_the_generator_is_sent_to_no_other_model(desk: Desk) -> None:
    """A reference model whose interface refuses a temperature does not get one."""
    desk.server.behaviour = FINE
    settings = given(temperature=0.7, expected="true", validate="true")
    made = desk.generate("--effort", "min", *settings, "--judge-model", JUDGE, model="openai:gpt-4o")
    assert made.code == 0, made.err
    sent = {body["model"]: body.get("temperature") for body in desk.server.bodies if "gpt" not in body["model"]}
    assert sent == {"claude-haiku-4-5": None}
    assert {body.get("temperature") for body in desk.server.bodies if "temperature" in body} == {0.7}


@pytest.mark.parametrize("more", [["--evaluate", JUDGE, "--set", "control=false"]])
def test_a_plan_counts_each_turn(desk: Desk, more: list[str]) -> None:
    desk.server.behaviour = FINE
    arguments = ("--effort", "min", "--set", "turns=3", "--judge-model", "openai:gpt-4o", *more)
    assert desk.generate("--effort", "min", "--set", "turns=3").code == 0
    foreseen = planned(desk.generate(*arguments, "--plan"))
    desk.forget()
    paid, made = desk.paid(*arguments)
    assert made.code == 0, made.err
    answers = [entry for entry in desk.server.ledger if not stage_of(entry.system)]
    assert len(answers) == 3 * 2 * RULES
    # All outputs are the same here, and judged once.
    assert foreseen == paid + (2 * RULES - 1) * ("--evaluate" in more)
