"""An API key is sent to its own service and to the address of the environment, and to no other server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import gate, git, write_jsonl
from tests.support.model_server import ModelServer

CASES = [{"id": "c", "input": "answer=yes", "expected": "yes"}]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def sent(root: Path, server: ModelServer, provider: str, env: dict[str, str], *more: str) -> set[str]:
    """The values of the header with the key; both SDKs send it as a bearer token."""
    (root / "a.md").write_text("Answer. quality=1.0")
    (root / "b.md").write_text("Answer well. quality=1.0")
    write_jsonl(root / "cases.jsonl", CASES)
    key = {f"{provider.upper()}_API_KEY": "sk-the-users-own-key"}
    named = ("a.md", "b.md", "--cases", "cases.jsonl", "--model", f"{provider}:m")
    outcome = gate("diff", *named, "--samples", "1", *more, cwd=root, env={**key, **env})
    assert outcome.code == 0, outcome.err
    return {row["Authorization"] for row in server.headers}


def address(server: ModelServer, provider: str) -> str:
    return f"{server.url}/v1" if provider == "openai" else server.url


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_server_without_a_named_key_gets_no_key(tmp_path: Path, server: ModelServer, provider: str) -> None:
    (tmp_path / "a.md").write_text("Answer. quality=1.0")
    write_jsonl(tmp_path / "cases.jsonl", CASES)
    (tmp_path / "gate.yaml").write_text(
        f"version: 1\nproviders: {{own: {{api: {provider}, base_url: '{address(server, provider)}'}}}}\n"
        "suites: [{name: s, prompt: a.md, cases: cases.jsonl, model: 'own:m', samples: 1, scorers: [contains]}]\n"
    )
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "one")
    (tmp_path / "a.md").write_text("Answer well. quality=1.0")
    env = {
        f"{provider.upper()}_API_KEY": "sk-the-users-own-key",
        f"{provider.upper()}_CUSTOM_HEADERS": "x-proxy-auth: top-secret",
        "OPENAI_ORG_ID": "org-secret",
    }
    outcome = gate("diff", "--base", "main", cwd=tmp_path, env=env)
    assert outcome.code == 0 and server.headers, outcome.err
    assert all("sk-the" not in value and "secret" not in value for row in server.headers for value in row.values())


@pytest.mark.parametrize("provider", ["anthropic"])
def test_the_address_of_the_environment_gets_the_key(tmp_path: Path, server: ModelServer, provider: str) -> None:
    values = sent(tmp_path, server, provider, {f"{provider.upper()}_BASE_URL": address(server, provider)})
    assert {value.removeprefix("Bearer ") for value in values} == {"sk-the-users-own-key"}
