"""What `gate diff` says of calls, dollars and seconds of conversations is what the models' server saw."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent_wire import Calls, Talk
from tests.support.command import Outcome, gate, git
from tests.support.model_server import Behaviour, ModelServer

TOOLS = "tools:\n  - name: get_listings\n    answers:\n      - result: Beach House\n"
CASES = [
    {"name": f"c{i}", "rounds": [{"prompt": f"one {i}"}, {"prompt": f"two {i}"}], "slices": {"g": "ab"[i % 2]}}
    for i in range(20)
]
CONFIG: dict[str, Any] = {
    "version": 1,
    "policy": {"early_stop": False},
    "suites": [
        {
            "name": "s",
            "prompt": "prompt.md",
            "cases": "cases.json",
            "samples": 2,
            "model": "openai:gpt-5-mini",
            "target": {"tools": {"fixtures": "tools.yaml"}},
            "scorers": [{"contains": {"value": "Beach"}}],
        }
    ],
}
TALKS = len(CASES) * 2
"""Of one arm."""
CALLS = 4
"""Of the model in one conversation: two rounds, each with one call of a tool."""


def talk(one: Talk) -> str | Calls:
    return f"Beach House, {one.said[-1]}" if one.used else [("get_listings", {})]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(Behaviour(talk=talk)) as one:
        yield one


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    for name, text in (
        ("prompt.md", "Be kind."),
        ("cases.json", json.dumps(CASES)),
        ("tools.yaml", TOOLS),
        ("gate.yaml", json.dumps(CONFIG)),
        (".gitignore", ".gate/\nout*/\n"),
    ):
        (tmp_path / name).write_text(text)
    git(tmp_path, "init", "-q", "-b", "main")
    committed(tmp_path, "one")
    (tmp_path / "prompt.md").write_text("Be very kind.")
    return tmp_path


def committed(repo: Path, message: str) -> None:
    git(repo, "add", ".")
    git(repo, "commit", "-qm", message)


def diff(repo: Path, server: ModelServer, *options: str) -> tuple[Outcome, dict[str, Any], int]:
    """What was said, the record, and how many requests the models' server had."""
    before = server.requests
    env = {
        "OPENAI_BASE_URL": f"{server.url}/v1",
        "OPENAI_API_KEY": "sk-loopback-0123456789",
        "GATE_PRICE_BY_NAME": "1",
    }
    found = gate("diff", "--base", "main", "--out", "out", *options, cwd=repo, env=env)
    path = repo / "out/run.json"
    return found, json.loads(path.read_text()) if path.exists() else {}, server.requests - before


def spent(run: dict[str, Any], repo: Path) -> float:
    """Dollars by the tokens of every turn of conversations that were asked now."""
    assert run["spent_usd"] is not None
    return float(run["spent_usd"])


def test_a_first_run_counts_every_call(repo: Path, server: ModelServer) -> None:
    _, run, asked = diff(repo, server)
    assert asked == 2 * TALKS * CALLS
    assert run["suites"][0]["calls"] == {"made": asked, "cached": 0, "retried": 0, "failed": 0}


def test_the_same_again_costs_nothing(repo: Path, server: ModelServer) -> None:
    """The candidate is in a working tree, so its conversations are led again, with what its model is known to say."""
    _, first, _ = diff(repo, server)
    _, run, asked = diff(repo, server)
    assert asked == 0
    assert run["suites"][0]["calls"] == {"made": 0, "cached": 2 * TALKS * CALLS, "retried": 0, "failed": 0}
    assert run["spent_usd"] in (None, 0.0) and first["spent_usd"] > 0.0
    assert run["verdict"] == first["verdict"]


def test_a_new_candidate_beside_a_known_baseline(repo: Path, server: ModelServer) -> None:
    _, first, _ = diff(repo, server)
    (repo / "prompt.md").write_text("Be ever so kind.")
    _, run, asked = diff(repo, server)
    assert run["suites"][0]["calls"]["made"] == asked
    assert run["suites"][0]["calls"]["made"] + run["calls"]["cached"] == 2 * TALKS * CALLS
    assert TALKS * CALLS < asked < 2 * TALKS * CALLS, "some of the baseline's are asked again, side by side"
    each = first["spent_usd"] / first["calls"]["made"]
    assert run["spent_usd"] == pytest.approx(asked * each, rel=0.1)


def test_a_page_that_changed_at_the_base_makes_known_answers_of_its_model_no_others(
    repo: Path, server: ModelServer
) -> None:
    config = json.loads((repo / "gate.yaml").read_text())
    server_py = "import sys\nsys.stdin.read()\n"
    (repo / "server.py").write_text(server_py)
    assert config  # the loop alone has no files: nothing of it is led again
    diff(repo, server)
    git(repo, "stash", "-q")
    (repo / "README.md").write_text("A page.\n")
    committed(repo, "two")
    git(repo, "stash", "pop", "-q")
    _, run, asked = diff(repo, server)
    assert asked == 0 and run["suites"][0]["calls"]["made"] == 0
