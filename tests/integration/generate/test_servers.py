"""Parameters belong to the generator; a server of one's own belongs to all models of its provider."""

import re

import pytest

from gate.config.gatefile import load
from tests.integration.generate.desk import JUDGE, RULES, Desk, given, planned
from tests.integration.generate.test_evaluate import FINE
from tests.support.command import gate
from tests.support.prompt_reader import stage_of


def test_a_parameter_of_the_generator_goes_to_no_other_model(desk: Desk) -> None:
    """It ended in exit 2: the reference was sent a temperature that its interface refuses."""
    desk.server.behaviour = FINE
    settings = given(temperature=0.7, expected="true", validate="true")
    made = desk.generate("--effort", "min", *settings, "--judge-model", JUDGE, model="openai:gpt-4o")
    assert made.code == 0, made.err
    sent = {body["model"]: body.get("temperature") for body in desk.server.bodies if "gpt" not in body["model"]}
    assert sent == {"claude-haiku-4-5": None}
    assert {body.get("temperature") for body in desk.server.bodies if "temperature" in body} == {0.7}


def test_an_own_server_answers_for_each_model_of_its_provider(desk: Desk) -> None:
    desk.server.behaviour = FINE
    arguments = ("--effort", "min", "--set", f"base_url={desk.server.url}/v1", "--judge-model", "openai:other")
    tested = ("--evaluate", "openai:tested", "--set", "control=false")
    # No key and no address in the environment: whatever is asked elsewhere fails.
    made = gate("generate", "prompts/shop.md", "--model", "openai:own", *arguments, *tested, cwd=desk.root)
    assert made.code == 0, made.err
    assert {entry.model for entry in desk.server.ledger} == {"own", "other", "tested"}
    assert f"Asked at {desk.server.url}/v1, too: openai:other, openai:tested." in " ".join(made.out.split())
    summary = (desk.root / ".gate/generate/shop/summary.md").read_text(encoding="utf-8")
    fenced = re.search(r"^```yaml\n(.*?)^```$", summary, re.MULTILINE | re.DOTALL)
    assert fenced is not None
    [suite] = load(fenced[1], "gate.yaml").suites
    assert suite.params.base_url == f"{desk.server.url}/v1"
    assert suite.scorers[-1].options["params"] == {"base_url": f"{desk.server.url}/v1"}


@pytest.mark.parametrize("more", [["--set", "expected=true"], ["--evaluate", JUDGE, "--set", "control=false"]])
def test_a_plan_counts_each_turn(desk: Desk, more: list[str]) -> None:
    """It counted a conversation as one request."""
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
