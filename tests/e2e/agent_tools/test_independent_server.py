"""A server that others wrote: `mcp-server-time` of PyPI, over stdio, in whole runs of `gate check`."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent_wire import Calls, Talk
from tests.support.command import gate
from tests.support.model_server import Behaviour, ModelServer

SERVER = {"command": [sys.executable, "-m", "mcp_server_time", "--local-timezone", "Asia/Tokyo"]}
NOON = {"source_timezone": "Asia/Tokyo", "time": "12:00", "target_timezone": "Asia/Kathmandu"}
ASKED: dict[str, Calls] = {
    "What time is it?": [("get_current_time", {"timezone": "Asia/Tokyo"})],
    "And at noon, over there?": [("convert_time", NOON)],
    "What time is it on the moon?": [("get_current_time", {"timezone": "Moon/Tycho"})],
}
"""What the model calls for each question."""


def talk(one: Talk) -> str | Calls:
    return one.used[0].result if one.used else ASKED[one.said[-1]]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(Behaviour(talk=talk)) as one:
        yield one


def check(folder: Path, server: ModelServer, case: dict[str, Any]) -> dict[str, Any]:
    """The sample of a run with one case, which passes."""
    suite = {"name": "clock", "prompt": "p.md", "cases": "cases.json", "model": "openai:m", "samples": 1}
    suite |= {"target": {"tools": {"servers": {"time": SERVER}}}, "scorers": [{"characters": {"max": 4000}}]}
    (folder / "p.md").write_text("Use the tools.\n")
    (folder / "cases.json").write_text(json.dumps([case]))
    (folder / "gate.yaml").write_text(json.dumps({"version": 1, "suites": [suite]}))
    env = {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "sk-loopback-0123456789"}
    done = gate("check", "--out", "out", cwd=folder, env=env)
    assert done.code == 0, done.out + done.err
    (line,) = (folder / "out/samples.jsonl").read_text().splitlines()
    sample: dict[str, Any] = json.loads(line)["reply"]
    return sample


def test_its_tools_are_offered_and_their_results_come_back(tmp_path: Path, server: ModelServer) -> None:
    rounds = [
        {"prompt": "What time is it?", "expected_tools": ["get_current_time"]},
        {"prompt": "And at noon, over there?", "expected_tools": ["convert_time"]},
        {"prompt": "What time is it on the moon?"},
    ]
    sample = check(tmp_path, server, {"name": "noon", "rounds": rounds})
    functions = [tool["function"] for tool in server.bodies[0]["tools"]]
    assert {function["name"] for function in functions} == {"get_current_time", "convert_time"}
    assert all("Asia/Tokyo" in json.dumps(function["parameters"]) for function in functions)
    now, noon, moon = sample["transcript"]["turns"]
    assert [use["name"] for use in now["tools"] + noon["tools"]] == ["get_current_time", "convert_time"]
    assert json.loads(now["tools"][0]["result"])["timezone"] == "Asia/Tokyo"
    assert "T08:45:00+05:45" in json.loads(noon["tools"][0]["result"])["target"]["datetime"]
    assert "T08:45:00+05:45" in noon["answer"]
    (use,) = moon["tools"]
    assert use["failed"]
    assert "Moon/Tycho" in use["result"]
    assert "Moon/Tycho" in moon["answer"]
