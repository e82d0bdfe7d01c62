"""A name of a tool that no arm has is an error with the right one, or keeps the check from counting; never a pass."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent_wire import Calls, Talk
from tests.support.command import Outcome, gate, git
from tests.support.findings import texts
from tests.support.model_server import Behaviour, ModelServer
from tests.support.repository import make, write

FIXTURES = """\
tools:
  - {name: get_listings, description: The flats., answers: [{result: Beach House}]}
  - {name: delete_listing, description: Deletes one., answers: [{result: gone}]}
"""
SERVER = """\
from mcp.server.mcpserver import MCPServer
server = MCPServer("listings", log_level="CRITICAL")

@server.tool()
def get_listings() -> str:
    "The flats."
    return "Beach House"

@server.tool()
def delete_listing() -> str:
    "Deletes one."
    return "gone"

server.run("stdio")
"""
USED = '[{"name": "get_listings", "arguments": {}, "result": "Beach House"}]'
FUNCTION = f"""\
def agent(text, context):
    return {{"text": "Beach House", "tools": {USED}}}
"""
LISTING = f"""\
{FUNCTION}
agent.tool_names = ["get_listings", "delete_listing"]
"""
CLASS = f"""\
class Agent:
    tool_names = ("get_listings", "delete_listing")
    def __init__(self, context):
        pass
    def send(self, text):
        return {{"text": "Beach House", "tools": {USED}}}
"""
PROGRAM = f"""\
import json, sys
for line in sys.stdin:
    kind = json.loads(line)["type"]
    reply = {{"type": "ok", "tool_names": ["get_listings", "delete_listing"]}}
    if kind == "send":
        reply = {{"type": "answer", "text": "Beach House", "tools": {USED}}}
    print(json.dumps(reply), flush=True)
"""
TARGETS: dict[str, dict[str, Any]] = {
    "recorded": {"tools": {"fixtures": "tools.yaml"}},
    "a server": {"tools": {"servers": {"flats": {"command": [sys.executable, "server.py"]}}}},
    "a function that lists": {"python": "listing:agent"},
    "a class that lists": {"python": "own:Agent"},
    "a program that lists": {"command": [sys.executable, "program.py"]},
    "a function": {"python": "function:agent"},
}
LISTS = tuple(name for name in TARGETS if name != "a function")
FILES = {
    "tools.yaml": FIXTURES,
    "server.py": SERVER,
    "function.py": FUNCTION,
    "listing.py": LISTING,
    "own.py": CLASS,
    "program.py": PROGRAM,
    "p.md": "Use the tools.",
}


def talk(one: Talk) -> str | Calls:
    return "Beach House" if one.used else [("get_listings", {})]


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer(Behaviour(talk=talk)) as running:
        yield running


def project(folder: Path, server: ModelServer, target: dict[str, Any], case: dict[str, Any], **more: Any) -> None:
    suite: dict[str, Any] = {"name": "s", "prompt": "p.md", "cases": "c.json", "model": "own:m", "samples": 1}
    suite |= {"target": target, "scorers": [{"contains": "Beach"}], **more}
    config = {"version": 1, "suites": [suite], "providers": {"own": {"api": "openai", "base_url": f"{server.url}/v1"}}}
    cases = [{"name": f"c{number}", "prompt": f"Which flats, {number}?", **case} for number in range(2)]
    make(folder, {**FILES, "c.json": json.dumps(cases), "gate.yaml": json.dumps(config)})


def checked(folder: Path) -> Outcome:
    return gate("check", "--json", cwd=folder)


def places(name: str) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Where a name of a tool stands: keys of the case, and of the suite."""
    tools = {"tools": {"forbidden": [name]}}
    return {
        "forbidden": ({"expected_tools": {"forbidden": [name]}}, {}),
        "all": ({"expected_tools": [name]}, {}),
        "any": ({"expected_tools": {"any": ["get_listings", name]}}, {}),
        "in_order": ({"expected_tools": {"in_order": ["get_listings", name]}}, {}),
        "exact": ({"expected_tools": {"exact": ["get_listings", name]}}, {}),
        "arguments": ({"expected_tools": {"arguments": {name: {"subset": {}}}}}, {}),
        "a round": (
            {"prompt": None, "rounds": [{"prompt": "Which?"}, {"prompt": "And?", "expected_tools": {"any": [name]}}]},
            {},
        ),
        "the suite": ({}, {"scorers": [{"contains": "Beach"}, tools]}),
        "the case's scorers": ({"extra_scorers": [tools]}, {}),
        "a slice": ({"slices": {"tool": name}}, {}),
    }


@pytest.mark.parametrize("place", places(""))
@pytest.mark.parametrize("name", ["delete_listng", "Delete_Listing", "deleteListing"])
def test_a_misspelt_recorded_tool_is_an_error_before_any_call(
    tmp_path: Path, server: ModelServer, place: str, name: str
) -> None:
    case, suite = places(name)[place]
    project(tmp_path, server, TARGETS["recorded"], case, **suite)
    before = server.requests
    for done in (
        gate("validate", cwd=tmp_path),
        checked(tmp_path),
        gate("diff", "--base", "HEAD", "--all", cwd=tmp_path),
    ):
        assert done.code == 2
        assert f"names the tool '{name}', which is not among the recorded tools" in done.err
        assert "did you mean 'delete_listing'?" in done.err
        assert "c.json" in done.err
    assert server.requests == before


@pytest.mark.parametrize("kind", [kind for kind in LISTS if kind != "recorded"])
@pytest.mark.parametrize("place", ["forbidden", "any", "a slice"])
def test_a_misspelt_tool_of_a_server_or_agent_is_inconclusive(
    tmp_path: Path, server: ModelServer, kind: str, place: str
) -> None:
    case, suite = places("delete_listng")[place]
    project(tmp_path, server, TARGETS[kind], case, **suite)
    done = checked(tmp_path)
    assert (done.code, done.record.verdict) == (3, "INCONCLUSIVE"), done.out + done.err
    assert "names the tool delete_listng, which no version has. Write delete_listing" in texts(done.record)[0]


@pytest.mark.parametrize("kind", TARGETS)
@pytest.mark.parametrize("place", ["forbidden", "any", "a round", "the suite", "the case's scorers"])
def test_a_tool_that_nobody_has_keeps_the_check_from_passing(
    tmp_path: Path, server: ModelServer, kind: str, place: str
) -> None:
    case, suite = places("send_invoice")[place]
    if place == "a round":
        case["rounds"][1]["expected_tools"] = {"any": ["get_listings", "send_invoice"]}
    project(tmp_path, server, TARGETS[kind], case, **suite)
    done = checked(tmp_path)
    assert (done.code, done.record.verdict) == (0, "HOLD"), done.out + done.err
    reason = texts(done.record)[0]
    assert "names the tool send_invoice, which no version has. Its check shows nothing" in reason
    assert ("let the agent list its tools under tool_names" in reason) == (
        not kind.startswith(("recorded", "a server"))
    )
    told = " ".join(gate("check", cwd=tmp_path).out.split())
    assert told.startswith("HOLD s: case c0 names the tool send_invoice, which no version has")


@pytest.mark.parametrize("kind", TARGETS)
def test_a_tool_that_an_agent_has_need_not_be_called(tmp_path: Path, server: ModelServer, kind: str) -> None:
    project(tmp_path, server, TARGETS[kind], {"expected_tools": {"forbidden": ["delete_listing"]}})
    done = checked(tmp_path)
    assert (done.code, done.record.verdict) == (0, "PASS" if kind in LISTS else "HOLD"), done.out + done.err
    again = checked(tmp_path)
    assert again.record.verdict == done.record.verdict, "an answer that is reused says which tools there were"


@pytest.mark.parametrize("kind", ["recorded", "a function that lists"])
def test_a_comparison_holds_too(tmp_path: Path, server: ModelServer, kind: str) -> None:
    case = {"expected_tools": {"forbidden": ["send_invoice"]}}
    project(tmp_path, server, TARGETS[kind], case, policy={"max_latency_increase": 9})
    path = tmp_path / "c.json"
    rows = json.loads(path.read_text())
    path.write_text(json.dumps([{**rows[0], "name": f"c{number}"} for number in range(40)]))
    git(tmp_path, "commit", "-qam", "more")
    write(tmp_path, {"p.md": "Use the tools well."})
    done = gate("diff", "--base", "HEAD", "--json", cwd=tmp_path)
    assert (done.code, done.record.verdict) == (0, "HOLD"), done.out + done.err
    assert any("send_invoice" in reason for reason in texts(done.record))


def test_a_tool_that_only_the_change_has_is_known(tmp_path: Path, server: ModelServer) -> None:
    project(tmp_path, server, TARGETS["recorded"], {"expected_tools": {"any": ["get_listings", "get_listing"]}})
    assert gate("validate", cwd=tmp_path).code == 2
    more = FIXTURES + "  - {name: get_listing, description: One flat., answers: [{result: x}]}\n"
    write(tmp_path, {"tools.yaml": more})
    assert gate("validate", cwd=tmp_path).code == 0
    assert gate("diff", "--base", "HEAD", cwd=tmp_path).code != 2


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"only": ["get_listngs"]}, "only of its target names 'get_listngs', which is not among the recorded tools"),
        ({"only": ["send_invoice"]}, "only of its target names 'send_invoice'"),
        ({"inject": {"tokn": "TOKEN"}}, "inject of its target names 'tokn', which no recorded tool has as an argument"),
    ],
)
def test_names_of_a_target_are_looked_up_where_all_tools_are_recorded(
    tmp_path: Path, server: ModelServer, more: dict[str, Any], said: str
) -> None:
    project(tmp_path, server, {"tools": {"fixtures": "tools.yaml", **more}}, {})
    done = gate("validate", cwd=tmp_path)
    assert done.code == 2
    assert said in done.err and "gate.yaml:" in done.err


def test_names_that_are_no_list_are_refused(tmp_path: Path, server: ModelServer) -> None:
    project(tmp_path, server, TARGETS["a function"], {})
    write(tmp_path, {"function.py": FUNCTION + "agent.tool_names = [1, 2]\n"})
    done = checked(tmp_path)
    assert done.code == 3
    assert "tool_names that are not a list of at most 1,000 names" in done.out
