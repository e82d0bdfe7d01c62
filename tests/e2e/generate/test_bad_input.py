"""Invalid prompts, models and options: a clear message, an exit code and no traceback."""

import json
import re
from collections.abc import Callable

import pytest

from tests.e2e.generate.desk import MODEL, PROMPT, Desk, given
from tests.support.model_server import Behaviour
from tests.support.prompt_reader import reader, stage_of


def twisted(desk: Desk, stage: str, twist: Callable[[str], str]) -> None:
    """Change the model's reply in one stage."""

    def judgement(system: str, user: str) -> str:
        said = reader(system, user)
        return twist(said) if stage_of(system) == stage else said

    desk.server.behaviour = Behaviour(judgement=judgement)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--instructions", "tests"], "has no text"),
        (["--set", "turn=3"], "did you mean 'turns'?"),
        (["--set", "write_back=true"], ".prompt.yml"),
        (["--update"], "--update needs --diff"),
        (["--diff", "--evaluate", f"{MODEL},openai:other"], "one model answers tests"),
    ],
)
def test_invalid_options_are_refused(desk: Desk, arguments: list[str], word: str) -> None:
    made = desk.generate(*arguments)
    assert made.code == 2, made
    assert word in made.err
    assert "Traceback" not in made.err
    assert desk.asked == 0


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        ("empty.md", "", "empty"),
        ("broken.j2", "{{ question", "broken.j2"),
    ],
)
def test_unreadable_prompts_are_errors(desk: Desk, name: str, text: str, word: str) -> None:
    desk.write(f"prompts/{name}", text)
    made = desk.generate(prompt=f"prompts/{name}")
    assert made.code == 2, made
    assert word in made.err
    assert "Traceback" not in made.err
    assert desk.asked == 0


@pytest.mark.parametrize("prompt", ["prompts/none.md", "python:prompts:build"])
def test_missing_prompts_are_errors(desk: Desk, prompt: str) -> None:
    made = desk.generate(prompt=prompt)
    assert made.code == 2, made
    assert "Traceback" not in made.err
    assert desk.asked == 0


@pytest.mark.parametrize(
    ("reply", "word"),
    [
        ("I'm sorry, but I can't help with that.", "the model refused"),
        ('{"rules": []}', "there is no rule"),
    ],
)
def test_a_model_without_rules_is_an_error(desk: Desk, reply: str, word: str) -> None:
    twisted(desk, "rules", lambda _: reply)
    made = desk.generate()
    assert made.code == 3, made
    assert "the model found no rule in the prompt" in made.err
    assert word in made.err
    assert not (desk.root / "evals").exists()
    assert sum(stage_of(entry.system) == "rules" for entry in desk.server.ledger) == 2


def test_a_model_without_tests_is_an_error(desk: Desk) -> None:
    twisted(desk, "tests", lambda _: '{"tests": [{"statement": "S9"}]}')
    made = desk.generate("--effort", "low")
    assert made.code == 3, made
    assert "no usable test is left" in made.err
    assert set(desk.files()) == {"prompts/shop.md", "evals/shop/spec.yaml"}


def test_a_prompt_in_another_language(desk: Desk) -> None:
    desk.write("prompts/shop.md", "あなたは店員です。答えは80文字以内 must。競合の名前は never 言わない。😀")
    made = desk.generate("--effort", "min")
    assert made.code == 0, made.err
    assert all(rule.grounding == "verbatim" for rule in desk.spec().rules)
    assert len(desk.cases()) == 2 * len(desk.spec().rules)


def test_too_many_rules_are_an_error(desk: Desk) -> None:
    desk.write("prompts/shop.md", " ".join(f"You must mention item {number}." for number in range(14)))
    made = desk.generate("--effort", "low", *given(max_rules=4, tests_per_rule=1, validate="false"))
    assert made.code == 0, made.err
    assert len(desk.spec().rules) == 4
    assert len(desk.cases()) == 8
    told = " ".join(made.out.split())
    assert "10 rules left out, the limit is 4: 'You must mention item 4.', " in told
    assert "and 7 more" in told and "item 13" not in told
    found = json.loads((desk.root / ".gate/generate/shop/generation.json").read_text(encoding="utf-8"))
    assert found["left_out"] == [f"You must mention item {number}." for number in range(4, 14)]


def test_quiet_is_one_line(desk: Desk) -> None:
    desk.write("prompts/shop.md", " ".join(f"You must mention item {number}." for number in range(30)))
    made = desk.generate("--effort", "min", "--quiet")
    assert made.code == 0, made.err
    assert made.out.splitlines() == ["prompts/shop.md: 12 tests for 6 rules, 0 checked by code, 6 by a judge"]
    assert made.err == ""


def test_far_more_calls_than_planned_are_an_error(desk: Desk) -> None:
    desk.write("prompts/shop.md", " ".join(f"The answer must not mention item {number}." for number in range(66)))
    calls, made = desk.paid()
    assert made.code == 3, made
    assert "the tests of its 66 rules need about" in made.err
    assert all(word in made.err for word in ("--max-calls", "--max-usd", "--set max_rules=6", "evals/shop/spec.yaml"))
    assert len(desk.spec().rules) == 66
    most = re.findall(r"--max-calls (\d+)", made.err)
    more, made = desk.paid("--max-calls", most[0], *given(tests_per_rule=1, validate="false"))
    assert made.code == 0, made.err
    assert calls < 12
    assert more == 2 * 66  # the rules are cached from the first run


def test_a_prompt_without_a_name(desk: Desk) -> None:
    desk.write("prompts/...md", PROMPT)
    made = desk.generate("--effort", "min", prompt="prompts/...md")
    assert made.code == 2, made
    assert "--out" in made.err
    assert not (desk.root / "spec.yaml").exists()


def test_the_specification_of_another_prompt(desk: Desk) -> None:
    assert desk.generate("--effort", "min").code == 0
    before = desk.files()
    desk.write("other/shop.md", "Translate into French. Always keep the numbers.")
    calls, made = desk.asked, desk.generate("--effort", "min", prompt="other/shop.md")
    assert made.code == 2, made
    assert "is for another prompt" in made.err
    assert desk.asked == calls
    assert {name: text for name, text in desk.files().items() if name in before} == before
