"""`providers:` in gate.yaml: a server of one's own, with its own key, named by the base of a change alone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import example
from tests.support.command import Outcome, gate
from tests.support.example import PROMPT, REWORDED
from tests.support.github_action import run_action
from tests.support.github_server import GitHubServer
from tests.support.model_server import ModelServer
from tests.support.pull_request import PullRequestWorld
from tests.support.repository import make, write

CASES = "evals/support.jsonl"
FILES = {**example.FILES, CASES: "".join(example.FILES[CASES].splitlines(keepends=True)[:12])}
KEY = "groq-key-0123456789abcdef"


@pytest.fixture
def models() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def github() -> Iterator[GitHubServer]:
    with GitHubServer() as running:
        yield running


def config(url: str, api: str = "openai", model: str = "groq:llama-3.3-70b") -> str:
    return (
        f"version: 1\nproviders: {{groq: {{api: {api}, base_url: '{url}', api_key_env: GROQ_API_KEY}}}}\n"
        f"defaults: {{model: '{model}', samples: 1}}\n"
        f"suites: [{{name: support, prompt: {PROMPT}, cases: evals/support.jsonl, scorers: [contains]}}]\n"
    )


def address(models: ModelServer, api: str) -> str:
    return f"{models.url}/v1" if api == "openai" else models.url


def compared(repo: Path, env: dict[str, str]) -> Outcome:
    return gate("diff", "--base", "main", "--quiet", cwd=repo, env=env)


@pytest.mark.parametrize("api", ["openai", "anthropic"])
def test_a_named_server_gets_its_own_key(tmp_path: Path, models: ModelServer, api: str) -> None:
    repo = make(tmp_path, {**FILES, "gate.yaml": config(address(models, api), api)})
    write(repo, {PROMPT: REWORDED})
    keys = {"OPENAI_API_KEY": "sk-of-openai-0123456789", "ANTHROPIC_API_KEY": "sk-ant-0123456789-other"}
    outcome = compared(repo, keys | {"GROQ_API_KEY": KEY})
    assert outcome.code == 0, outcome.err
    assert {headers["Authorization"] for headers in models.headers} == {f"Bearer {KEY}"}
    assert {entry.model for entry in models.ledger} == {"llama-3.3-70b"}
    if api == "anthropic":
        return
    outcome = compared(repo, keys)
    assert outcome.code == 3
    assert "groq:llama-3.3-70b needs a key, and GROQ_API_KEY is not set" in outcome.err


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (("api: openai", "api: openapi"), "providers.groq.api must be openai, openai-responses or anthropic, not"),
        (("api_key_env: GROQ_API_KEY", "api_key_env: gsk_live_1234"), "must be the name of an environment variable"),
        (("providers: {groq", "providers: {openai"), "providers.openai is a built-in provider"),
    ],
)
def test_errors_are_reported_with_their_line(tmp_path: Path, changed: tuple[str, str], said: str) -> None:
    repo = make(tmp_path, {**FILES, "gate.yaml": config("http://127.0.0.1:9/v1").replace(*changed)})
    outcome = gate("validate", cwd=repo)
    assert outcome.code == 2
    assert said in (outcome.out + outcome.err).replace("\n", " ")


@pytest.mark.parametrize(("name", "model"), [("openai", "grok:m"), ("Groq", "Groq:m")])
def test_an_error_on_both_sides_is_reported_once(tmp_path: Path, name: str, model: str) -> None:
    wrong = config("http://127.0.0.1:9/v1", model=model).replace("{groq", "{" + name)
    repo = make(tmp_path, {**FILES, "gate.yaml": wrong})
    write(repo, {PROMPT: REWORDED})
    outcome = compared(repo, {})
    assert outcome.code == 2
    assert outcome.err.count("gate.yaml:2: ") == outcome.err.count(f"providers.{name} ") == 1, outcome.err
    assert "did you mean" not in outcome.err
    assert outcome.err.count("unknown provider") == (name == "openai")
    assert "replay, openai" not in outcome.err


def test_a_typing_error_names_the_server_that_was_meant(tmp_path: Path, models: ModelServer) -> None:
    wrong = config(models.url).replace("'groq:llama", "'grok:llama")
    outcome = gate("validate", cwd=make(tmp_path, {**FILES, "gate.yaml": wrong}))
    assert "did you mean 'groq'?" in outcome.out + outcome.err


@pytest.mark.threat("outside-key")
def test_what_only_a_pull_request_names_is_asked_by_nobody(
    tmp_path: Path, github: GitHubServer, models: ModelServer
) -> None:
    plain = FILES["gate.yaml"]
    world = PullRequestWorld.make(tmp_path, github, FILES)
    own = "providers: {mine: {api: openai, base_url: '" + models.url + "/v1', api_key_env: OPENAI_API_KEY}}\n"
    pr = world.open({"gate.yaml": plain.replace("fake:oracle", "mine:m") + own, PROMPT: REWORDED})
    checkout = pr.checkout("merge", depth=2)
    outcome = run_action(checkout, pr.environment(checkout) | {"OPENAI_API_KEY": KEY})
    assert outcome.code == 2
    assert "a change cannot send a key to another address" in outcome.summary
    assert models.requests == 0


@pytest.mark.threat("outside-key")
def test_the_address_of_the_base_counts(tmp_path: Path, github: GitHubServer, models: ModelServer) -> None:
    base = config(f"{models.url}/v1")
    world = PullRequestWorld.make(tmp_path, github, {**FILES, "gate.yaml": base})
    pr = world.open({"gate.yaml": base.replace(models.url, "http://127.0.0.1:9"), PROMPT: REWORDED})
    checkout = pr.checkout("merge", depth=2)
    outcome = run_action(checkout, pr.environment(checkout) | {"GROQ_API_KEY": KEY})
    assert outcome.code == 0, outcome.err
    assert {headers["Authorization"] for headers in models.headers} == {f"Bearer {KEY}"}
    assert "The change edits providers (`groq`)" in outcome.summary
