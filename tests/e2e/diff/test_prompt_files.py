"""Prompt files of other tools, from the repository to the verdict, with a local server."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.record.comparison import Verdict
from tests.git.repository import commit, git, repository
from tests.support.command import Outcome, gate
from tests.support.example import cases
from tests.support.findings import texts
from tests.support.model_server import ModelServer

YML = """\
model: openai/gpt-4o-mini
modelParameters: {temperature: 0.5}
messages:
  - {role: system, content: "Answer. quality=1.0 {% not jinja"}
  - {role: user, content: "{{input}} in {{ lang }}"}
testData:
"""
DATA = [{"input": f"answer=word{number} slice=any", "expected": f"word{number}", "lang": "de"} for number in range(16)]
PROMPTY = """\
---
name: bot
model: {api: chat}
---
system:
Answer. quality=1.0
user: is a word here
user:
{{ input }}
"""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def repo(tmp_path: Path, server: ModelServer) -> Path:
    root = repository(tmp_path / "repo", "--initial-branch", "main")
    config = (
        f"version: 1\nproviders: {{own: {{api: openai, base_url: '{server.url}/v1'}}}}\n"
        "defaults: {model: 'own:m', samples: 1}\n"
        "suites:\n"
        "  - {name: yml, prompt: bot.prompt.yml, cases: bot.prompt.yml, scorers: [contains]}\n"
        "  - {name: prompty, prompt: bot.prompty, cases: cases.jsonl, scorers: [contains]}\n"
    )
    data = "".join(f"  - {json.dumps(row)}\n" for row in DATA)
    commit(root, {"gate.yaml": config, "cases.jsonl": cases(16), "bot.prompt.yml": YML + data, "bot.prompty": PROMPTY})
    git(root, "switch", "--quiet", "--create", "change")
    return root


def diff(repo: Path) -> Outcome:
    return gate("diff", "--base", "main", "--head", "change", "--json", cwd=repo)


def edited(repo: Path, name: str, old: str, new: str) -> None:
    commit(repo, {name: (repo / name).read_text().replace(old, new)})


def test_a_prompt_of_github_models_that_got_worse_blocks(repo: Path, server: ModelServer) -> None:
    edited(repo, "bot.prompt.yml", "quality=1.0", "quality=0.1")
    outcome = diff(repo)
    assert (outcome.code, outcome.record.verdict) == (1, Verdict.BLOCK)
    assert [(suite.name, len(suite.cases)) for suite in outcome.record.suites] == [("yml", 16)]
    assert "bot.prompt.yml sets model, modelParameters, which the gate does not use" in str(texts(outcome.record))


@pytest.mark.parametrize(
    ("name", "old", "new", "key", "values"),
    [
        ("bot.prompt.yml", "temperature: 0.5", "temperature: 0.9", "temperature", {0.5, 0.9}),
        ("bot.prompt.yml", "temperature: 0.5", "topP: 0.5", "top_p", {None, 0.5}),
        ("bot.prompt.yml", "model: openai/gpt-4o-mini", "model: own/m2", "model", {"gpt-4o-mini", "m2"}),
        ("bot.prompty", "{api: chat}", "{api: chat, parameters: {max_tokens: 9}}", "max_tokens", {None, 9}),
        ("bot.prompty", "{api: chat}", "{api: chat, configuration: {type: openai, name: m3}}", "model", {"m", "m3"}),
    ],
)
def test_an_edited_setting_of_a_prompt_file_is_a_change_of_the_prompt(
    repo: Path,
    server: ModelServer,
    name: str,
    old: str,
    new: str,
    key: str,
    values: set[object],
) -> None:
    edited(repo, name, old, new)
    env = {"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": f"{server.url}/v1"}
    outcome = gate("diff", "--base", "main", "--head", "change", "--json", cwd=repo, env=env)
    assert outcome.code == 0, outcome.err
    assert len(outcome.record.suites) == 1
    assert {body.get(key) for body in server.bodies} == values
    assert f"{name} edits" in str(texts(outcome.record))


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("bot.prompt.yml", "temperature: 0.5", "frequencyPenalty: 2", "modelParameters.frequencyPenalty"),
        ("bot.prompt.yml", "model: openai/gpt-4o-mini", "model: meta/llama-4", "model"),
        ("bot.prompt.yml", "messages:", "responseFormat: json_object\nmessages:", "responseFormat"),
        ("bot.prompt.yml", "messages:", "tools: [{type: function}]\nmessages:", "tools"),
        ("bot.prompty", "{api: chat}", "{api: responses}", "model.api"),
    ],
)
def test_an_edited_setting_that_the_gate_cannot_send_is_no_pass(
    repo: Path, server: ModelServer, name: str, old: str, new: str, said: str
) -> None:
    edited(repo, name, old, new)
    outcome = diff(repo)
    assert (outcome.code, server.ledger) == (3, [])
    assert f"{name} edits {said}, which the gate cannot send" in " ".join(outcome.err.split())


def test_a_check_calls_both_models(repo: Path, server: ModelServer) -> None:
    outcome = gate("check", "--json", cwd=repo)
    assert (outcome.code, outcome.record.verdict) == (0, Verdict.PASS), outcome.err
    assert len(server.ledger) == 2 * 16
    assert "bot.prompty sets model, which the gate does not use" in str(texts(outcome.record))
