"""What `gate diff` says of calls, dollars and seconds of conversations is what the models' server saw."""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import forked
from tests.support.agent_wire import Calls, Talk
from tests.support.command import environment, gate, git
from tests.support.model_server import Behaviour, ModelServer

TOOLS = "tools:\n  - name: get_listings\n    description: The flats.\n    answers:\n      - result: Beach House\n"
CASES = [{"name": f"c{i}", "rounds": [{"prompt": f"one {i}"}], "slices": {"g": "ab"[i % 2]}} for i in range(16)]
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
SERVER = """
import json, sys
TOOL = {"name": "get_listings", "description": "The flats.", "inputSchema": {"type": "object", "properties": {}}}
SAID = {
    "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                   "serverInfo": {"name": "listings", "version": "1"}},
    "tools/list": {"tools": [TOOL]},
    "tools/call": {"content": [{"type": "text", "text": "Beach House"}]},
}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        unknown = {"error": {"code": -32601, "message": "no such method"}}
        reply = {"result": SAID[asked["method"]]} if asked["method"] in SAID else unknown
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **reply}), flush=True)
"""
PROGRAM = {"tools": {"servers": {"listings": {"command": [sys.executable, "-S", "server.py"]}}}}
"""An agent whose tools run in the files of an arm's own commit."""
TALKS = len(CASES) * 2
"""Of one arm."""
CALLS = 2
"""Of the model in one conversation: one round, with one call of a tool."""


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


def variables(server: ModelServer) -> dict[str, str]:
    return {
        "OPENAI_BASE_URL": f"{server.url}/v1",
        "OPENAI_API_KEY": "sk-loopback-0123456789",
    }


def diff(repo: Path, server: ModelServer, *options: str) -> tuple[dict[str, Any], int]:
    """The record, and how many requests the models' server had."""
    before = server.requests
    found = gate("diff", "--base", "main", "--out", "out", *options, cwd=repo, env=variables(server))
    assert found.code in (0, 1, 3), found.out + found.err
    return json.loads((repo / "out/run.json").read_text()), server.requests - before


def test_the_same_again_costs_nothing_and_a_new_candidate_only_what_is_new(repo: Path, server: ModelServer) -> None:
    """The candidate is in a working tree, so its conversations are led again, with what its model is known to say."""
    first, asked = diff(repo, server)
    assert asked == 2 * TALKS * CALLS
    assert first["calls"] == {"made": asked, "cached": 0, "retried": 0, "failed": 0}
    run, asked = diff(repo, server)
    assert asked == 0
    assert run["calls"] == {"made": 0, "cached": 2 * TALKS * CALLS, "retried": 0, "failed": 0}
    assert run["spent_usd"] in (None, 0.0) and first["spent_usd"] > 0.0
    assert run["verdict"] == first["verdict"]
    (repo / "prompt.md").write_text("Be ever so kind.")
    run, asked = diff(repo, server)
    assert run["calls"]["made"] == asked
    assert run["calls"]["made"] + run["calls"]["cached"] == 2 * TALKS * CALLS
    assert TALKS * CALLS < asked < 2 * TALKS * CALLS, "some of the baseline's are asked again, side by side"
    each = first["spent_usd"] / first["calls"]["made"]
    assert run["spent_usd"] == pytest.approx(asked * each, rel=0.1)


def with_program(repo: Path, *names: str) -> None:
    """Let the tools come from a program, on a branch for each name, whose prompt is the name."""
    git(repo, "checkout", "-q", "prompt.md")
    suite = {**CONFIG["suites"][0], "target": PROGRAM}
    (repo / "gate.yaml").write_text(json.dumps({**CONFIG, "suites": [suite]}))
    (repo / "server.py").write_text(SERVER)
    committed(repo, "a program")
    for name in names:
        git(repo, "checkout", "-q", "-b", name, "main")
        (repo / "prompt.md").write_text(f"Be {name}.")
        committed(repo, name)
    git(repo, "checkout", "-q", "main")


def test_a_run_that_is_killed_goes_on_with_what_it_had(repo: Path, server: ModelServer) -> None:
    server.behaviour = Behaviour(talk=talk, latency_s=0.05)
    with_program(repo, "warm")
    command = ["diff", "--base", "main", "--head", "warm", "--out", "out"]
    running = forked.start(command, repo, environment(repo, variables(server)))
    until = time.monotonic() + 60
    while server.requests < 100:
        assert running.running and time.monotonic() < until
        time.sleep(0.01)
    running.kill()
    running.wait(60)
    lost = server.requests
    run, asked = diff(repo, server, "--head", "warm")
    assert run["calls"]["made"] == asked
    assert run["calls"]["made"] + run["calls"]["cached"] == 2 * TALKS * CALLS
    # Only what was on its way when the process was killed is asked twice.
    assert lost + asked <= 2 * TALKS * CALLS + 64
    assert run["calls"]["failed"] == 0
