"""A judge with `sees: [tools]` reads the calls of tools and their results, behind its fence; without, it sees none."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent_wire import Calls, Talk
from tests.support.command import gate, git
from tests.support.model_server import Behaviour, ModelServer
from tests.support.repository import commit, make

TOOLS = "tools:\n  - name: get_price\n    description: A price.\n    answers:\n      - result: %s\n"
CASES = [{"name": f"c{n}", "rounds": [{"prompt": f"How much is number {n}?"}]} for n in range(12)]
KEYS = {
    "judge": {"criteria": "The figures are right."},
    "rubric": {"dimensions": [{"name": "facts", "weight": 1, "description": "The figures are right."}]},
    "pairwise": {"criteria": "The figures are right."},
}
LONG = f"31 euro {'x' * 30_000} and no refund"
SILENT = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    reply = {"type": "ok"} if asked["type"] != "send" else {"type": "answer", "text": "31 euro"}
    print(json.dumps(reply), flush=True)
"""


def talk(one: Talk) -> str | Calls:
    right = "Be exact." in one.system
    return ("31 euro" if right else "99 euro") if one.used else [("get_price", {"of": "it"})]


def by_the_tools(system: str, user: str) -> str:
    """A judge that believes only what a tool said."""
    seen = 'get_price({"of": "it"})' in user.replace("\\", "") and "31 euro" in user.split("get_price", 1)[1]
    fenced = user.count("<<<") == user.count(">>>")
    reason = "It was read."
    if "better" in system:
        first, second = user.split("# First", 1)[1].split("# Second", 1)
        worth = ["assistant\n31 euro" in part for part in (first, second)]
        better = "tie" if not seen or worth[0] == worth[1] else "first" if worth[0] else "second"
        return json.dumps({"reason": reason, "better": better})
    right = seen and fenced and "31 euro" in user.rpartition("# Answer")[2]
    if "facts" in system:
        return json.dumps({"facts": {"reason": reason, "score": 5 if right else 1}})
    return json.dumps({"reason": reason, "score": 1.0 if right else 0.0})


def suite(kind: str, target: dict[str, Any], sees: list[str]) -> str:
    scorer = {kind: {**KEYS[kind], "name": "facts", "model": "openai:j", **({"sees": sees} if sees else {})}}
    one = {"name": "s", "prompt": "prompt.md", "cases": "cases.json", "samples": 1, "model": "openai:m"}
    return json.dumps({"version": 1, "suites": [one | {"target": target, "scorers": [scorer]}]})


def diff(folder: Path, config: str, result: str = "31 euro") -> tuple[int, str]:
    files = {"gate.yaml": config, "prompt.md": "Be exact.", "cases.json": json.dumps(CASES), "agent.py": SILENT}
    repo = make(folder / "repo", files | {"tools.yaml": TOOLS % json.dumps(result)})
    git(repo, "switch", "--quiet", "--create", "change")
    commit(repo, {"prompt.md": "Be quick."})
    with ModelServer(Behaviour(talk=talk, judgement=by_the_tools)) as server:
        env = {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "sk-loopback-0123456789"}
        outcome = gate("diff", "--base", "main", cwd=repo, env=env)
    return outcome.code, " ".join((outcome.out + outcome.err).split())


FIXTURES = {"tools": {"fixtures": "tools.yaml"}}


@pytest.mark.parametrize("kind", KEYS)
def test_a_wrong_figure_is_seen_by_the_tools_results(tmp_path: Path, kind: str) -> None:
    code, said = diff(tmp_path, suite(kind, FIXTURES, ["tools"]))
    assert code == 1, said


@pytest.mark.parametrize("kind", KEYS)
def test_without_the_option_no_call_is_shown(tmp_path: Path, kind: str) -> None:
    code, said = diff(tmp_path, suite(kind, FIXTURES, []))
    assert code == 0, said


def test_a_long_result_is_shortened_in_the_middle(tmp_path: Path) -> None:
    code, said = diff(tmp_path, suite("judge", FIXTURES, ["tools"]), LONG)
    assert code == 1, said


def test_calls_that_an_agent_does_not_report_are_not_judged(tmp_path: Path) -> None:
    code, said = diff(tmp_path, suite("judge", {"command": [sys.executable, "agent.py"]}, ["tools"]))
    assert (code, "does not report its calls of tools" in said) == (3, True), said


def test_a_suite_without_an_agent_has_no_calls_to_show(tmp_path: Path) -> None:
    config = json.loads(suite("judge", {}, ["tools"]))
    del config["suites"][0]["target"]
    code, said = diff(tmp_path, json.dumps(config))
    assert (code, "sees tools" in said) == (2, True), said
