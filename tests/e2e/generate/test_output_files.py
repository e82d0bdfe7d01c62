"""Output files, the printed plan, and refused options."""

import pytest

from tests.e2e.generate.desk import PROMPT, Desk, document, planned


def test_a_specification_next_to_its_prompt_is_found(desk: Desk) -> None:
    """Two prompts with one file name in different folders do not share an output folder."""
    for name in ("one", "two"):
        desk.write(f"exams/{name}/prompt.md", PROMPT)
        made = desk.generate("--effort", "min", "--out", f"exams/{name}", prompt=f"exams/{name}/prompt.md")
        assert made.code == 0, made.err
    before = desk.asked
    for name in ("one", "two"):
        again = desk.generate("--effort", "min", prompt=f"exams/{name}/prompt.md")
        assert again.code == 0, again.err
        assert f"exams/{name}/spec.yaml is next to the prompt, so the files are written there" in again.err
    assert desk.asked == before
    assert not (desk.root / "evals").exists()


@pytest.mark.parametrize(
    "spec",
    ["openapi: 3.1.0\n", "version: 1\nprompt: x\nintent: i\nrules: [{rule: It rhymes., evidence: Rhyme always.}]\n"],
)
def test_another_file_of_that_name_is_not_changed(desk: Desk, spec: str) -> None:
    beside = desk.write("prompts/spec.yaml", spec)
    made = desk.generate("--effort", "min")
    assert made.code == 0, made.err
    assert (desk.root / "evals/shop/spec.yaml").is_file()
    assert beside.read_text(encoding="utf-8") == spec


def test_the_plan_can_be_json(desk: Desk) -> None:
    shown = desk.generate("--effort", "low", "--plan")
    plan = document(desk.generate("--effort", "low", "--plan", "--json"))
    assert plan["schema"] == "prompt-gate/generation-plan/1"
    assert plan["calls"] == sum(one["calls"] for one in plan["stages"]) == planned(shown)
    assert plan["rules_assumed"] is True
    quiet = desk.generate("--effort", "low", "--plan", "--quiet")
    assert quiet.out == shown.out.splitlines()[0] + "\n"
