"""Agents whose tools come from real MCP servers: names that two of them have, and sessions that end."""

import base64
import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from gate.record.run import RunRecord
from tests.e2e.agent_tools.kits import service
from tests.support.agent_wire import Calls, Talk
from tests.support.command import gate, git
from tests.support.findings import texts
from tests.support.model_server import Behaviour, ModelServer
from tests.support.reasoning_servers import Wire, refused


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as one:
        yield one


@pytest.fixture(scope="module")
def addresses() -> Iterator[dict[str, str]]:
    """Two servers with the same tools."""
    with ExitStack() as stack:
        yield {name: stack.enter_context(service("streamable-http"))[0] for name in ("shop", "yard")}


def compared(
    folder: Path, server: ModelServer, servers: dict[str, str], only: list[str], api: str = "openai", **options: Any
) -> RunRecord:
    """What `gate diff` says of two wordings."""
    address = server.url if api == "anthropic" else f"{server.url}/v1"
    suite = {
        "name": "s",
        "prompt": "prompt.md",
        "cases": "cases.json",
        "samples": 1,
        "model": "own:m",
        "target": {"tools": {"servers": {name: {"url": url} for name, url in servers.items()}, "only": only}},
        "scorers": [{"tools": options}],
    }
    files = {
        "prompt.md": "Be kind.",
        "cases.json": json.dumps([{"name": "c", "rounds": [{"prompt": "How many?"}]}]),
        "gate.yaml": json.dumps(
            {"version": 1, "providers": {"own": {"api": api, "base_url": address}}, "suites": [suite]}
        ),
        ".gitignore": ".gate/\nout*/\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    (folder / "prompt.md").write_text("Be very kind.")
    found = gate("diff", "--base", "main", "--json", cwd=folder)
    assert found.out, found.err
    return found.record


@pytest.mark.parametrize("only", [["count"], ["shop.count", "yard.count"]])
def test_tools_of_one_name_are_told_apart(
    tmp_path: Path, server: ModelServer, addresses: dict[str, str], only: list[str]
) -> None:
    def talk(one: Talk) -> str | Calls:
        assert one.tools == ("shop_count", "yard_count")
        return "Some." if one.used else [("yard_count", {})]

    server.behaviour = Behaviour(talk=talk)
    record = compared(tmp_path, server, addresses, only, all=["yard.count"], forbidden=["shop.count"])
    (suite,) = record.suites
    assert [case.baseline for case in suite.cases] == [case.candidate for case in suite.cases] == [[1.0]]
    assert suite.tools is not None
    assert {change.tool for one in suite.tools.slices for change in one.tools} == {"yard.count"}


def test_a_tool_of_one_server_alone_has_the_name_that_tells_it_apart(
    tmp_path: Path, server: ModelServer, addresses: dict[str, str]
) -> None:
    """Another server is added, or left out by `only`: the name in expectations stays."""
    server.behaviour = Behaviour(talk=lambda one: "Some." if one.used else [("shop_count", {})])
    record = compared(tmp_path, server, addresses, ["shop.count"], exact=["shop.count"])
    assert [case.baseline for case in record.suites[0].cases] == [[1.0]]


def test_a_session_that_ended_is_opened_anew_and_the_report_says_so(tmp_path: Path, server: ModelServer) -> None:
    def talk(one: Talk) -> str | Calls:
        return ([("forget", {})], [("count", {}), ("count", {})], "Two.")[(0, 1, 2, 2)[len(one.used)]]

    server.behaviour = Behaviour(talk=talk)
    used = ["forget", "count", "count"]
    with service("streamable-http", LISTINGS_LEGACY="yes") as (url, _):
        record = compared(tmp_path, server, {"shop": url}, ["forget", "count"], exact=used, max_errors=0)
    (suite,) = record.suites
    assert suite.calls.failed == 0
    assert [case.baseline for case in suite.cases] == [case.candidate for case in suite.cases] == [[1.0]]
    said = "Suite s: The MCP server shop ended its session, so a new one was opened; what it knew is lost."
    assert said in texts(record)


PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n and the rest").decode()
HEARD = "Suite s: The MCP server shop: a result of its tool 'photo' has audio/wav, which was only described."


def images_of(data: Any) -> list[str]:
    """The base64 texts of all images in a request."""
    if isinstance(data, list):
        return [found for one in data for found in images_of(one)]
    if not isinstance(data, dict):
        return [data.partition(";base64,")[2]] if isinstance(data, str) and data.startswith("data:") else []
    own = [data["data"]] if data.get("type") == "base64" else []
    return own + [found for one in data.values() for found in images_of(one)]


@pytest.mark.parametrize("api", ["openai", "openai-responses", "anthropic"])
@pytest.mark.parametrize("sees", [True, False])
def test_images_of_results_reach_a_model_that_can_see(
    tmp_path: Path, server: ModelServer, addresses: dict[str, str], api: str, sees: bool
) -> None:
    def refusal(data: Wire) -> Any:
        return refused("this model does not support image input") if images_of(data) and not sees else None

    server.behaviour = Behaviour(talk=lambda one: "A house." if one.used else [("photo", {})], refusal=refusal)
    url = {"shop": addresses["shop"]}
    record = compared(tmp_path, server, url, ["photo"], api, exact=["photo"], max_errors=0)
    (suite,) = record.suites
    assert (suite.calls.made, suite.calls.failed) == (4, 0)
    assert [case.baseline for case in suite.cases] == [case.candidate for case in suite.cases] == [[1.0]]
    with_images = [found for body in server.bodies if (found := images_of(body))]
    assert with_images and all(found == [PNG, PNG] for found in with_images)
    described = [body for body in server.bodies if "[image image/png, 21 bytes]" in json.dumps(body)]
    assert len(described) == len(server.bodies) - 2
    unseen = [note for note in texts(record) if "those in results of tools were only described" in note]
    assert len(unseen) == (0 if sees else 1)
    assert HEARD in texts(record)
