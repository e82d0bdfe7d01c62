"""The examples of the guide to judges and rubrics work."""

import re
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from gate.cases.case import Case
from gate.config.documents import read_yaml
from gate.config.rubrics import parse_rubric
from gate.config.scorer import Scorers, ScorerSpec
from gate.config.scorer_options import Judge, RubricScorer
from gate.config.validation import validate
from gate.scoring.judge_prompt import judge_messages
from gate.values import JsonValue

TEXT = (Path(__file__).parents[2] / "docs/how-to/judges-and-rubrics.md").read_text(encoding="utf-8")
YAML = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
TEMPLATE = re.findall(r"```jinja\n(.*?)```", TEXT, re.DOTALL)[0]


def scorers(text: str) -> tuple[ScorerSpec, ...]:
    return validate(TypeAdapter(Scorers), read_yaml(text, "docs").part("scorers"))


@pytest.mark.parametrize("text", [text for text in YAML if text.startswith("scorers:")])
def test_the_scorers_can_be_read(text: str) -> None:
    assert scorers(text)[0].judged


def test_the_rubric_and_the_template_make_a_judge_request() -> None:
    (rubric,) = [text for text in YAML if text.startswith("# evals")]
    options: dict[str, JsonValue] = {
        "template": "judge.md.j2",
        "instructions": TEMPLATE,
        **parse_rubric(rubric, "docs"),
    }
    spec = ScorerSpec("rubric", "voice", options)
    case = Case("c", input="My AC is warm.", expected="Since yesterday, got it. What is your name?")
    system, user = (message.content for message in judge_messages(spec, case, "Hello."))
    assert system.startswith("You are head of a dispatch centre")
    assert "You score: brevity, tone, from 1 to 5." in system
    assert "got it" in system
    assert "  3: Three sentences." in system
    assert "Hello." in user and "Hello." not in system


def test_every_option_and_every_combination_is_documented() -> None:
    for option in {*Judge.model_fields, *RubricScorer.model_fields} - {"name", "weight", "required"}:
        assert f"`{option}`" in TEXT or f"{option}:" in TEXT or option == "calibration", option
    for word in ("mean", "median", "majority"):
        assert f"`{word}`" in TEXT, word
