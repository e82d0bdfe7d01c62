"""The suite that a generation ends in: the configuration reader takes it, whatever the rules say."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.cases.case import Case, fill
from gate.config.gatefile import load
from gate.config.models import ModelRef
from gate.config.specification import OutputRule
from gate.testgen.files import SuiteModels, SuitePaths, suite_models, suite_yaml, untemplated
from gate.testgen.rules.compiler import compile_rules
from tests.testgen.texts import SAID

FILES = SuitePaths("shop", Path("prompts/shop.md"), Path("evals/shop/cases.yaml"))
MODELS = SuiteModels(ModelRef("openai", "gpt-5-mini"), ModelRef("anthropic", "claude-haiku-4-5"))


def written(*texts: str) -> str:
    rules = [OutputRule(f"R{number}", text) for number, text in enumerate(texts, start=1)]
    return suite_yaml(FILES, MODELS, rules, compile_rules(rules))


def test_code_checks_what_it_can_and_a_judge_the_rest() -> None:
    [suite] = load(written("The answer has at most 80 words.", "Be polite.", "Answer in German."), "gate.yaml").suites
    words, language, judge = suite.scorers
    assert [words.name, language.name, judge.name] == ["R1", "R3", "rules"]
    assert str(judge.options["criteria"]).splitlines()[1:] == ["- Be polite."]
    assert (suite.prompt, str(suite.model)) == ("prompts/shop.md", "openai:gpt-5-mini")


@given(st.lists(SAID, min_size=1, max_size=4))
def test_any_rule_can_be_written(texts: list[str]) -> None:
    [suite] = load(written(*texts), "gate.yaml").suites
    assert suite.scorers


@given(st.text(st.sampled_from("{%#} a"), max_size=12))
def test_a_rule_is_no_template(text: str) -> None:
    plain = untemplated(text)
    assert plain.replace(" ", "") == text.replace(" ", "")
    assert fill(plain, Case("c", "Hello")) == plain


def test_a_file_that_no_configuration_can_name() -> None:
    files = SuitePaths("shop", Path("/elsewhere/shop.md"), Path("evals/shop/cases.yaml"))
    assert suite_yaml(files, MODELS, [OutputRule("R1", "Be polite.")], ()) == ""


OWN, TESTED, REFERENCE, JUDGE = (ModelRef("openai", name) for name in ("own", "tested", "reference", "judge"))


@pytest.mark.parametrize(
    ("own", "tested", "model", "why"),
    [
        (OWN, (TESTED,), OWN, "the model from the prompt's file"),
        (None, (TESTED, JUDGE), TESTED, "the first model of --evaluate"),
        (None, (), REFERENCE, "the model of this command"),
    ],
)
def test_the_model_is_that_of_production_as_far_as_anybody_knows(
    own: ModelRef | None, tested: tuple[ModelRef, ...], model: ModelRef, why: str
) -> None:
    text = suite_yaml(FILES, suite_models(own, tested, REFERENCE, JUDGE), [OutputRule("R1", "Be polite.")], ())
    lines = text.splitlines()
    place = lines.index(f"    # {why}; replace it with your production model")
    assert lines[place + 1] == f'    model: "{model}"'
    [suite] = load(text, "gate.yaml").suites
    assert (suite.model, suite.scorers[0].options["model"]) == (model, str(JUDGE))
