"""The next generation uses a specification that a person has edited."""

import re

from tests.e2e.generate.desk import Desk, counted
from tests.support.prompt_reader import stage_of

SPEC = "evals/shop/spec.yaml"


def stages(desk: Desk, since: int) -> list[str]:
    """The stages that called the model."""
    return sorted(stage_of(entry.system) for entry in desk.server.ledger[since:])


def edited(desk: Desk, before: str, after: str) -> None:
    desk.generate("--effort", "min")
    text = (desk.root / SPEC).read_text(encoding="utf-8")
    assert len(re.findall(before, text, re.DOTALL)) == 1
    desk.write(SPEC, re.sub(before, after, text, flags=re.DOTALL))


def test_a_changed_rule_is_inverted_and_tested_again(desk: Desk) -> None:
    edited(desk, "rule: Never name a competitor.", "rule: Never name a person.")
    asked = len(desk.server.ledger)
    made = desk.generate("--effort", "min")
    assert made.code == 0, made.err
    assert stages(desk, asked) == ["inverse", "tests"]
    rule = desk.spec("evals/shop/spec-2.yaml").rule("R2")
    assert rule is not None
    assert (rule.inverse, rule.grounding) == ("It is not so that: Never name a person.", "edited")
    assert "by a person" in made.out
    told = " ".join(made.out.split())
    assert "evals/shop/spec-2.yaml: the completed specification; if you agree, copy it over spec.yaml" in told
    assert counted(desk.cases("evals/shop/cases-2.yaml"))["R2", "inverse"] == 1
    paid, _ = desk.paid("--effort", "min")
    assert paid == 0
    assert not (desk.root / "evals/shop/spec-3.yaml").exists()


def test_a_deleted_rule_has_no_tests(desk: Desk) -> None:
    edited(desk, r"  - id: R2\n.*?(?=  - id: R3)", "")
    asked = len(desk.server.ledger)
    desk.generate("--effort", "min")
    assert not (desk.root / "evals/shop/spec-2.yaml").exists()
    assert stages(desk, asked) == ["tests"]
    assert {rule for rule, _ in counted(desk.cases("evals/shop/cases-2.yaml"))} == {"R1", "R3"}


def test_a_specification_of_an_older_prompt_is_reported(desk: Desk) -> None:
    desk.generate("--effort", "min")
    desk.write("prompts/shop.md", "You answer questions. Never name a competitor.\n")
    made = desk.generate("--effort", "min")
    assert "for another version of the prompt" in " ".join(made.out.split())
    assert "gate generate --diff --update" in " ".join(made.out.split())
