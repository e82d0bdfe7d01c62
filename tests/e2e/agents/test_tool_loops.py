"""Tool loops on servers as they are: models that think between calls, calls of any form, and calls that are cut off."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from gate.record.run import RunRecord
from tests.support.agent_wire import Calls, Talk
from tests.support.command import gate, git
from tests.support.findings import texts
from tests.support.model_server import Behaviour, ModelServer
from tests.support.reasoning_servers import Wire, calls_are_answered, families, refused
from tests.support.refusing_server import fastapi_words

KEY = "loopback-key-0123456789"
TOOLS = """tools:
  - name: get_listings
    description: The flats.
    parameters: {type: object, properties: {city: {type: string}}}
    answers:
      - result: Beach House
  - name: count
    description: How many.
    answers:
      - result: "1"
"""
CASES = [{"name": "two rounds", "rounds": [{"prompt": "Which flats?"}, {"prompt": "And now?"}]}]
APIS = ("openai", "openai-responses", "anthropic")


def talk(one: Talk) -> str | Calls:
    """Two steps with tools in each round, the first with two calls."""
    steps: list[str | Calls] = [[("get_listings", {"city": "Köln"}), ("count", {})], [("count", {})], "Beach House"]
    return steps[{0: 0, 2: 1, 3: 2}[len(one.used)]]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as one:
        yield one


def compared(folder: Path, server: ModelServer, api: str, **suite: Any) -> RunRecord:
    """The record of a comparison of two wordings."""
    address = server.url if api == "anthropic" else f"{server.url}/v1"
    config = {
        "version": 1,
        "providers": {"own": {"api": api, "base_url": address, "api_key_env": "OWN_KEY"}},
        "suites": [
            {
                "name": "s",
                "prompt": "prompt.md",
                "cases": "cases.json",
                "samples": 1,
                "model": "own:m",
                "target": {"tools": {"fixtures": "tools.yaml"}},
                "scorers": [{"contains": {"value": "Beach"}}, {"tools": {"all": ["get_listings", "count"]}}],
                **suite,
            }
        ],
    }
    files = {
        "prompt.md": "Be kind.",
        "cases.json": json.dumps(CASES),
        "tools.yaml": TOOLS,
        "gate.yaml": json.dumps(config),
        ".gitignore": ".gate/\nout*/\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    (folder / "prompt.md").write_text("Be very kind.")
    found = gate("diff", "--base", "main", "--json", cwd=folder, env={"OWN_KEY": KEY})
    assert found.out, found.err
    return found.record


@pytest.mark.parametrize("name", families())
def test_what_a_model_thought_before_its_calls_goes_back(tmp_path: Path, server: ModelServer, name: str) -> None:
    family = families()[name]
    server.behaviour = Behaviour(talk=talk, shape=family.shape, refusal=family.refusal)
    record = compared(tmp_path, server, family.api)
    (suite,) = record.suites
    # Two arms, two rounds, three steps.
    assert (suite.calls.made, suite.calls.failed, suite.calls.retried, server.requests) == (12, 0, 0, 12)
    assert [case.baseline for case in suite.cases] == [case.candidate for case in suite.cases] == [[1.0]]
    assert len(family.sent) == 8


def calls_of(wire: Wire) -> list[Wire]:
    """The calls of a reply, to be changed in place."""
    if "choices" in wire:
        return wire["choices"][0]["message"].get("tool_calls", [])
    items = wire["output"] if "output" in wire else wire["content"]
    return [item for item in items if item["type"] in ("function_call", "tool_use")]


def with_id(value: object) -> Callable[[str, Wire], None]:
    def change(api: str, call: Wire) -> None:
        call["call_id" if api == "openai-responses" else "id"] = value

    return change


def with_arguments(value: object) -> Callable[[str, Wire], None]:
    def change(api: str, call: Wire) -> None:
        place = call["function"] if api == "openai" else call
        place["input" if api == "anthropic" else "arguments"] = value

    return change


def without(name: str) -> Callable[[str, Wire], None]:
    def change(api: str, call: Wire) -> None:
        for place in (call, call.get("function", {})):
            for key in {"id": ("id", "call_id"), "arguments": ("arguments", "input")}[name]:
                place.pop(key, None)

    return change


ODD_CALLS: Mapping[str, Callable[[str, Wire], None]] = {
    "no id": without("id"),
    "the id null": with_id(None),
    "the id empty": with_id(""),
    "the id a number": with_id(7),
    "an id of two lines": with_id("a\nb"),
    "an id with the key": with_id(f"a {KEY}"),
    "a long id": with_id("x" * 201),
    "one id for all": with_id("call_0"),
    "an id like those of the gate": with_id("call00002"),
    "no arguments": without("arguments"),
    "the arguments null": with_arguments(None),
    "the arguments empty": with_arguments(""),
    "the arguments an object": with_arguments({"city": "Köln"}),
    "the arguments a text": with_arguments('{"city": "Köln"}'),
}


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("odd", ODD_CALLS)
def test_calls_of_any_form_are_answered(tmp_path: Path, server: ModelServer, odd: str, api: str) -> None:
    def shape(wire: Wire) -> Wire:
        for call in calls_of(wire):
            ODD_CALLS[odd](api, call)
        return wire

    def refusal(data: Wire) -> Any:
        return None if calls_are_answered(data) else refused("messages: each call needs an id of its own, and a result")

    results: list[list[str]] = []

    def noted(one: Talk) -> str | Calls:
        said = talk(one)
        results.extend([[use.result for use in one.used]] if isinstance(said, str) else [])
        return said

    server.behaviour = Behaviour(talk=noted, shape=shape, refusal=refusal)
    (suite,) = compared(tmp_path, server, api).suites
    assert (suite.calls.made, suite.calls.failed, suite.calls.retried, server.requests) == (12, 0, 0, 12)
    assert [case.baseline for case in suite.cases] == [case.candidate for case in suite.cases] == [[1.0]]
    assert results == [["Beach House", "1", "1"]] * 4


CUT: Mapping[str, Wire] = {
    "openai": {"finish_reason": "length"},
    "openai-responses": {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
    "anthropic": {"stop_reason": "max_tokens"},
}


@pytest.mark.parametrize("api", APIS)
def test_a_call_that_is_cut_off_is_not_made(tmp_path: Path, server: ModelServer, api: str) -> None:
    def shape(wire: Wire) -> Wire:
        if calls_of(wire):
            (wire["choices"][0] if api == "openai" else wire).update(CUT[api])
        return wire

    def refusal(data: Wire) -> Any:
        return None if calls_are_answered(data) else refused("messages: a call has no result")

    server.behaviour = Behaviour(talk=talk, shape=shape, refusal=refusal)
    (suite,) = compared(tmp_path, server, api).suites
    assert (suite.calls.made, suite.calls.failed, server.requests) == (4, 0, 4)
    assert (suite.baseline.cut_off, suite.candidate.cut_off, suite.tools) == (1, 1, None)
    assert [case.baseline for case in suite.cases] == [[None]]


def test_a_server_that_refuses_the_fields_of_its_own_replies_is_asked_without(
    tmp_path: Path, server: ModelServer
) -> None:
    def refusal(data: Wire) -> Any:
        extra = any("reasoning_content" in turn for turn in data["messages"])
        return fastapi_words("messages.2.assistant.reasoning_content", "") if extra else None

    server.behaviour = Behaviour(talk=talk, shape=families()["Qwen"].shape, refusal=refusal)
    record = compared(tmp_path, server, "openai")
    (suite,) = record.suites
    assert (suite.calls.made, suite.calls.failed, len(server.ledger)) == (12, 0, 12)
    assert [case.baseline for case in suite.cases] == [case.candidate for case in suite.cases] == [[1.0]]
    assert any("does not take back the reasoning of its own replies" in note for note in texts(record))


def test_what_a_model_thought_is_in_the_cache(tmp_path: Path, server: ModelServer) -> None:
    """The first run gets no further than the first step, and the second goes on from there."""
    family = families()["DeepSeek"]

    def refusal(data: Wire) -> Any:
        return refused("no") if any(turn["role"] == "tool" for turn in data["messages"]) else None

    server.behaviour = Behaviour(talk=talk, shape=family.shape, refusal=refusal)
    (suite,) = compared(tmp_path, server, family.api).suites
    assert len(server.ledger) == 2
    server.behaviour = Behaviour(talk=talk, shape=family.shape, refusal=family.refusal)
    found = gate("diff", "--base", "main", "--json", cwd=tmp_path, env={"OWN_KEY": KEY})
    (suite,) = found.record.suites
    assert (suite.calls.made, suite.calls.cached, suite.calls.failed) == (10, 2, 0)
    assert [case.baseline for case in suite.cases] == [[1.0]]
