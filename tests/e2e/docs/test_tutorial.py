"""The tutorial, from its first command to the comment on the pull request.

A server replaces the embedded model, which would take a minute. It gives the answers that the real model gave.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import git
from tests.support.docsite.blocks import blocks
from tests.support.github_action import run_action
from tests.support.github_server import GitHubServer
from tests.support.how_to import Step, carry_out, missing, steps
from tests.support.model_server import Behaviour, ModelServer
from tests.support.pull_request import PullRequestWorld

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "tutorial.md").read_text(encoding="utf-8")
CASES = (DOCS / "examples/tutorial-cases.jsonl").read_text(encoding="utf-8")
NOT_RUN = {block.text for block in blocks(PAGE) if block.why_not}
STEPS = [Step("evals/cases.jsonl", CASES), *(step for step in steps(PAGE) if step.text not in NOT_RUN)]
EMBEDDED = ("model: local:gemma3-270m", ", chat_template: passthrough}")
SERVED = ("model: openai:gpt-4.1-mini", "}")


def contents(file: str) -> list[str]:
    """The contents of a file that the reader writes, in order."""
    return [step.text for step in STEPS if step.file == file]


RIGHT = {case["input"]: case["expected"] for case in map(json.loads, CASES.splitlines())}
GERMAN = {case["input"] for case in map(json.loads, CASES.splitlines()) if case["slices"]["lang"] == "de"}


def answer(system: str, user: str) -> str:
    """Without examples, the model labels all German text as praise."""
    return f" {RIGHT[user] if 'Der Film war langweilig' in system or user not in GERMAN else 'positive'}"


@pytest.fixture
def model() -> Iterator[dict[str, str]]:
    with ModelServer(Behaviour(answer=answer)) as server:
        yield {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "k", "COLUMNS": "100"}


def served(step: Step) -> Step:
    """The step with a model server instead of the embedded model."""
    text = step.text
    for ours, theirs in zip(EMBEDDED, SERVED, strict=True):
        text = text.replace(ours, theirs) if step.file == "gate.yaml" else text
    return Step(step.file, text, step.shown)


def test_every_command_prints_the_shown_output(tmp_path: Path, model: dict[str, str]) -> None:
    assert all(word in contents("gate.yaml")[0] for word in EMBEDDED)
    run = 0
    for step in STEPS:
        printed = carry_out(served(step), tmp_path, model)
        if not step.file:
            run += 1
        # A model server has prices and parallel calls.
        if step.shown and "gate plan" not in step.text:
            assert missing(step.shown, printed) == [], printed
    assert run == 6
    assert git(tmp_path, "log", "--format=%s") == "A prompt with its eval set"


def test_the_cases_that_are_shown_are_in_the_file() -> None:
    (shown,) = (block.text for block in blocks(PAGE) if block.language == "jsonl")
    assert set(shown.splitlines()) < set(CASES.splitlines())


def test_the_comment_starts_as_shown(tmp_path: Path, model: dict[str, str]) -> None:
    good, short, _ = contents("prompts/sentiment.txt")
    files = {"gate.yaml": contents("gate.yaml")[-1], "prompts/sentiment.txt": good, "evals/cases.jsonl": CASES}
    assert EMBEDDED[0] not in files["gate.yaml"]
    with GitHubServer() as server:
        world = PullRequestWorld.make(tmp_path, server, files)
        request = world.open({"prompts/sentiment.txt": short})
        checkout = request.checkout("merge", depth=2)
        outcome = run_action(checkout, request.environment(checkout) | model)
        (comment,) = server.comments("acme/support-bot", 7)
        assert (outcome.code, outcome.outputs["verdict"]) == (1, "BLOCK"), outcome.err
        (shown,) = (line.strip(">* ") for line in PAGE.splitlines() if line.startswith("> "))
        assert shown in [line.lstrip("# ") for line in comment.body.splitlines()]
        server.assert_clean()
