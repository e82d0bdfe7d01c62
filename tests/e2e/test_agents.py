"""Whole runs of `gate check` with agents: budgets, signals, and runs that go on where one was killed."""

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.python_functions.peeking import ONLY_ITSELF, peeking
from tests.support import forked
from tests.support.agent_wire import Calls, Talk
from tests.support.command import environment, gate, git
from tests.support.model_server import Behaviour, ModelServer

TOOLS = """
tools:
  - name: get_listings
    description: The flats.
    answers:
      - result: Beach House
"""
AGENT = """
import os, pathlib, subprocess, sys, time
def Agent(text, context):
    pathlib.Path(os.environ["AGENT_NOTES"]).joinpath(context.session).touch()
    if text == "hang":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"], start_new_session=True)
        time.sleep(3600)
    return f"you said {text}"
"""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(Behaviour(talk=talk)) as one:
        yield one


def talk(one: Talk) -> str | Calls:
    return f"{one.used[0].result}, {one.said[-1]}" if one.used else [("get_listings", {})]


def project(folder: Path, target: dict[str, Any], cases: list[dict[str, Any]], **more: Any) -> None:
    (folder / "prompt.md").write_text("Use the tools.\n")
    (folder / "cases.json").write_text(json.dumps(cases))
    (folder / "tools.yaml").write_text(TOOLS)
    (folder / "agent.py").write_text(AGENT)
    suite = {"name": "s", "prompt": "prompt.md", "cases": "cases.json", "target": target}
    suite |= {"scorers": [{"contains": {"value": "o"}}], "model": "openai:m"}
    (folder / "gate.yaml").write_text(json.dumps({"version": 1, "defaults": {"samples": 1}, **more, "suites": [suite]}))
    (folder / ".gitignore").write_text(".gate/\nout/\n__pycache__/\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")


def variables(server: ModelServer, folder: Path) -> dict[str, str]:
    notes = folder.parent / f"{folder.name}-notes"
    notes.mkdir(exist_ok=True)
    url = {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "sk-loopback-0123456789"}
    return {**url, "AGENT_NOTES": str(notes)}


LOOP = {"tools": {"fixtures": "tools.yaml"}}
PYTHON = {"python": {"function": "agent:Agent", "env": ["AGENT_NOTES"]}}


def talks(count: int) -> list[dict[str, Any]]:
    return [{"name": f"c{i}", "rounds": [{"prompt": f"one {i}"}, {"prompt": f"two {i}"}]} for i in range(count)]


def samples(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "out/samples.jsonl").read_text().splitlines()]


def test_a_file_of_tools_that_is_not_there_is_named_with_the_line_that_names_it(
    tmp_path: Path, server: ModelServer
) -> None:
    project(tmp_path, {"tools": {"fixtures": "nofile.yaml"}}, talks(1))
    done = gate("check", cwd=tmp_path, env=variables(server, tmp_path))
    assert done.code == 2
    assert "gate.yaml:" in done.err
    assert "has the fixtures 'nofile.yaml', and there is no such file there" in done.err


def test_a_run_whose_budget_ends_within_conversations_goes_on_later(tmp_path: Path, server: ModelServer) -> None:
    project(tmp_path, LOOP, talks(3), budget={"max_calls": 7})
    env = variables(server, tmp_path)
    cut = gate("check", "--out", "out", cwd=tmp_path, env=env)
    assert cut.code == 3, cut.out + cut.err
    assert server.requests == 7
    assert any("the budget of 7 calls is used up" in row["reply"].get("reason", "") for row in samples(tmp_path))
    path = tmp_path / "gate.yaml"
    path.write_text(path.read_text().replace('"max_calls": 7', '"max_calls": 70'))
    rest = gate("check", "--out", "out", cwd=tmp_path, env=env)
    assert rest.code == 0, rest.out + rest.err
    assert server.requests == 3 * 4, "only what was missing is paid for"


@pytest.mark.threat("agent-left-over")
def test_a_signal_ends_the_run_and_leaves_no_process(tmp_path: Path, server: ModelServer) -> None:
    project(tmp_path, PYTHON, [{"name": name, "rounds": [{"prompt": name}]} for name in ("hello", "hang")])
    env = {**environment(tmp_path, variables(server, tmp_path)), "PYTHONDONTWRITEBYTECODE": "1"}
    notes = Path(env["AGENT_NOTES"])
    running = forked.start(["check", "--out", "out"], tmp_path, env)
    try:
        until = time.monotonic() + 60
        while len(list(notes.iterdir())) < 2 or not (tmp_path / "out/samples.jsonl").exists():
            assert running.running and time.monotonic() < until
            time.sleep(0.02)
        running.send_signal(signal.SIGTERM)
        said = "".join(running.communicate(timeout=60))
    finally:
        running.kill()
    assert running.returncode == 3, said
    assert "INCONCLUSIVE" in said
    wanted = f"AGENT_NOTES={notes}".encode()
    assert [pid for pid in filter(str.isdigit, os.listdir("/proc")) if wanted in variables_of(pid)] == []


# Root loses its capabilities, such as CAP_SYS_PTRACE, for good; another user has none to lose.
UNPRIVILEGED = """
import ctypes, struct
libc = ctypes.CDLL(None)
for capability in range(64):
    libc.prctl(24, capability, 0, 0, 0)
assert libc.capset(struct.pack("Ii", 0x20080522, 0), bytes(24)) == 0
from gate.cli.app import main
main()
"""
SERVED = {"tools": {"servers": {"s": {"command": [sys.executable, "peek.py"]}}}}


@pytest.mark.threat("process-memory")
def test_neither_the_gate_nor_the_keeper_is_open_to_a_program(tmp_path: Path, server: ModelServer) -> None:
    target = SERVED
    found = tmp_path.parent / f"{tmp_path.name}-found"
    project(tmp_path, target, talks(1))
    (tmp_path / "peek.py").write_text(peeking(found))
    (tmp_path / "agent.py").write_text(peeking(found) + AGENT)
    (tmp_path / "unprivileged.py").write_text(UNPRIVILEGED)
    env = environment(tmp_path, variables(server, tmp_path))
    forked.run(["unprivileged.py", "check"], tmp_path, env, timeout_s=60, module=None)
    assert found.read_text() == ONLY_ITSELF


def variables_of(pid: str) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


@pytest.mark.threat("event-agent")
@pytest.mark.parametrize("event", ["pull_request_target", "issue_comment"])
def test_no_agent_runs_on_an_event_that_anybody_can_cause(tmp_path: Path, server: ModelServer, event: str) -> None:
    project(tmp_path, PYTHON, talks(1))
    env = {**variables(server, tmp_path), "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": event}
    refused = gate("check", "--out", "out", cwd=tmp_path, env=env)
    assert refused.code != 0
    assert "code of the repository does not run here" in refused.out + refused.err
    assert list(Path(env["AGENT_NOTES"]).iterdir()) == []


def test_a_python_agent_that_is_not_there_is_told_before_the_run(tmp_path: Path, server: ModelServer) -> None:
    function = "agent:Missing"
    said = "there is no Missing in agent.py"
    project(tmp_path, {"python": function}, talks(2))
    outcome = gate("check", "--out", "out", cwd=tmp_path, env=variables(server, tmp_path))
    assert outcome.code == 2
    assert f"{said} in the working tree" in outcome.err


def test_a_local_model_with_tools_is_refused_before_anything_is_spent(tmp_path: Path, server: ModelServer) -> None:
    project(tmp_path, LOOP, talks(1))
    text = (tmp_path / "gate.yaml").read_text().replace("openai:m", "local:m.gguf")
    (tmp_path / "gate.yaml").write_text(text)
    refused = gate("check", "--out", "out", cwd=tmp_path, env=variables(server, tmp_path))
    assert refused.code == 2
    assert "suite s has tools, and local:m.gguf cannot call tools" in refused.err
    assert "Traceback" not in refused.err
