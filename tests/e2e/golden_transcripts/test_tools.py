"""Golden transcripts of agents that use tools: calls and results in the call so far, and the next turn scored."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent_wire import Talk
from tests.support.command import gate
from tests.support.model_server import Behaviour, ModelServer

SHORT = {"name": "get_slots", "arguments": {"day": "Monday"}}
OPENAI = {"id": "c1", "type": "function", "function": {"name": "get_slots", "arguments": '{"day": "Monday"}'}}
SAID = {"role": "user", "content": "When can you come on Monday?"}
RESULT = {"role": "tool", "content": "8:00, 14:00"}
LATER = [
    {"role": "assistant", "content": "At eight or at two. What suits you?"},
    {"role": "user", "content": "The later one."},
]
CALLS: dict[str, list[dict[str, Any]]] = {
    "a call": [SAID, {"role": "assistant", "tool_calls": [SHORT]}, RESULT],
    "beside a text": [SAID, {"role": "assistant", "content": "Let me see.", "tool_calls": [SHORT]}, RESULT],
    "OpenAI's form": [SAID, {"role": "assistant", "tool_calls": [OPENAI]}, {**RESULT, "tool_call_id": "c1"}],
    "before more turns": [SAID, {"role": "assistant", "tool_calls": [SHORT]}, RESULT, *LATER],
    "an empty text": [SAID, {"role": "assistant", "content": "", "tool_calls": [SHORT]}, RESULT],
    "no text": [SAID, {"role": "assistant", "content": None, "tool_calls": [SHORT]}, RESULT],
    "two calls": [SAID, {"role": "assistant", "tool_calls": [SHORT, SHORT]}, RESULT, RESULT],
}
CONFIG = """\
version: 1
providers: {{own: {{api: {api}, base_url: '{url}'}}}}
suites:
  - name: voice
    prompt: prompt.md
    cases: golden.json
    samples: 1
    model: own:m
    scorers: [{{contains: {{value: "14:00"}}}}{more}]
"""


def talk(one: Talk) -> str:
    return "Then at 14:00."


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(Behaviour(talk=talk)) as running:
        yield running


def check(folder: Path, server: ModelServer, turns: list[dict[str, Any]], api: str, more: str = "") -> Any:
    url = f"{server.url}/v1" if api == "openai" else server.url
    (folder / "gate.yaml").write_text(CONFIG.format(api=api, url=url, more=more))
    (folder / "prompt.md").write_text("You plan visits.")
    (folder / "golden.json").write_text(json.dumps([{"id": "monday", "state": "booking", "conversation": turns}]))
    return gate("check", "--json", cwd=folder)


@pytest.mark.parametrize("api", ["openai", "anthropic"])
@pytest.mark.parametrize("how", CALLS)
def test_calls_and_results_reach_the_model(tmp_path: Path, server: ModelServer, how: str, api: str) -> None:
    outcome = check(tmp_path, server, CALLS[how], api)
    (case,) = outcome.record.new[0].cases
    assert case.check is not None and case.check.state.value == "passed", outcome.err
    turns = [turn for turn in server.bodies[0]["messages"] if turn["role"] != "system"]
    sent = [json.dumps(turn).replace("\\", "") for turn in turns]
    assert all(word in sent[1] for word in ("get_slots", '"day": "Monday"')), sent
    call = turns[1]["tool_calls"][0] if api == "openai" else turns[1]["content"][-1]
    assert RESULT["content"] in sent[2] and call["id"] in sent[2], sent


def test_a_judge_reads_them(tmp_path: Path, server: ModelServer) -> None:
    def judgement(system: str, user: str) -> str:
        seen = '[calls get_slots({"day": "Monday"})]' in user and "tool:" in user and "8:00, 14:00" in user
        return json.dumps({"reason": "It was read.", "score": 1.0 if seen else 0.0})

    server.behaviour = Behaviour(talk=talk, judgement=judgement)
    more = ", {judge: {criteria: Is polite., model: own:j}}"
    outcome = check(tmp_path, server, CALLS["a call"], "openai", more)
    (case,) = outcome.record.new[0].cases
    assert case.check is not None and case.check.state.value == "passed", outcome.err


BAD: dict[str, tuple[list[dict[str, Any]], str]] = {
    "no result": ([SAID, {"role": "assistant", "tool_calls": [SHORT]}], "a call of a tool without a result"),
    "an answer before it": (
        [SAID, {"role": "assistant", "tool_calls": [SHORT]}, SAID],
        "a call of a tool without a result",
    ),
    "no call": ([SAID, RESULT], "no call before it waits for one"),
    "another call": (
        [SAID, {"role": "assistant", "tool_calls": [OPENAI]}, {**RESULT, "tool_call_id": "c2"}],
        "no call before it waits for one",
    ),
    "of the user": ([{**SAID, "tool_calls": [SHORT]}], "belong to a turn of the assistant"),
    "no name": ([SAID, {"role": "assistant", "tool_calls": [{}]}, RESULT], "needs a name"),
    "nothing": ([SAID, {"role": "assistant"}, SAID], "is missing"),
    "at the end": ([SAID, {"role": "assistant", "content": "Yes."}], "must end with the user's turn"),
}


@pytest.mark.parametrize("how", BAD)
def test_a_wrong_transcript_is_an_error_with_its_place(tmp_path: Path, server: ModelServer, how: str) -> None:
    turns, said = BAD[how]
    outcome = check(tmp_path, server, turns, "openai")
    flat = " ".join((outcome.out + outcome.err).split())
    assert (outcome.code, said in flat, "golden.json" in flat) == (2, True, True), flat
