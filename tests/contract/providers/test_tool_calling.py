"""Tools over both interfaces: what is sent, and what of a reply is believed."""

import json
from dataclasses import replace
from typing import Any

import pytest

from gate.calls.interface import Completion, Request, Transient
from gate.messages import Message, Tool, ToolCall
from tests.contract.providers.subjects import MODELS, OPENAI_KEY, Subject
from tests.support.agent_wire import Talk
from tests.support.model_server import Behaviour, ModelServer, Raw

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = (Tool("get_listings", "The flats.", json.dumps(SCHEMA)), Tool("count", "", '{"type": "object"}'))
CALLS = (ToolCall("call_1", "get_listings", '{"city": "Zürich"}'), ToolCall("call_2", "count", "{}"))
TALK = (
    Message("system", "Be kind."),
    Message("user", "Which flats?"),
    Message("assistant", "Let me see.", CALLS),
    Message("tool", "Beach House", answers="call_1"),
    Message("tool", "Error: no", answers="call_2", failed=True),
    Message("assistant", "One."),
    Message("user", "And now?"),
)


def asked(subject: Subject, messages: tuple[Message, ...] = TALK) -> Request:
    return replace(subject.request(), messages=messages, tools=TOOLS)


def answered(subject: Subject, messages: tuple[Message, ...] = TALK) -> Completion:
    return subject.use(lambda provider: provider.complete(asked(subject, messages)))


def test_a_model_calls_tools(server: ModelServer, remote: Subject) -> None:
    def talk(one: Talk) -> list[tuple[str, dict[str, Any]]]:
        assert one.tools == ("get_listings", "count")
        assert [(use.name, use.arguments, use.result) for use in one.before] == [
            ("get_listings", {"city": "Zürich"}, "Beach House"),
            ("count", {}, "Error: no"),
        ]
        assert [use.failed for use in one.before] == [False, True]
        return [("get_listings", {"city": "Köln"}), ("nowhere", {})]

    server.behaviour = Behaviour(talk=talk)
    done = answered(remote)
    assert [(call.name, json.loads(call.arguments)) for call in done.tool_calls] == [
        ("get_listings", {"city": "Köln"}),
        ("nowhere", {}),
    ]
    assert len({call.id for call in done.tool_calls}) == 2
    assert done.text == "" and done.stop_reason in ("tool_calls", "tool_use", "completed")


def test_openai_gets_tools_and_results(server: ModelServer) -> None:
    answered(Subject(MODELS["openai"], server.url))
    (body,) = server.bodies
    assert body["tools"][0] == {
        "type": "function",
        "function": {"name": "get_listings", "description": "The flats.", "parameters": SCHEMA},
    }
    assert body["messages"][2] == {
        "role": "assistant",
        "content": "Let me see.",
        "tool_calls": [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in CALLS
        ],
    }
    assert body["messages"][3] == {"role": "tool", "content": "Beach House", "tool_call_id": "call_1"}


def test_anthropic_gets_tools_and_results(server: ModelServer) -> None:
    answered(Subject(MODELS["anthropic"], server.url))
    (body,) = server.bodies
    assert body["tools"][0] == {"name": "get_listings", "description": "The flats.", "input_schema": SCHEMA}
    assert [turn["role"] for turn in body["messages"]] == ["user", "assistant", "user", "assistant", "user"]
    assert body["messages"][1]["content"] == [
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "call_1", "name": "get_listings", "input": {"city": "Zürich"}},
        {"type": "tool_use", "id": "call_2", "name": "count", "input": {}},
    ]
    assert body["messages"][2]["content"] == [
        {"type": "tool_result", "tool_use_id": "call_1", "content": "Beach House"},
        {"type": "tool_result", "tool_use_id": "call_2", "content": "Error: no", "is_error": True},
    ]


def test_arguments_that_are_no_json_go_back_as_far_as_an_interface_takes_them(server: ModelServer) -> None:
    said = (*TALK[:2], Message("assistant", " \n", (ToolCall("a", "count", "{broken"),)), TALK[3], TALK[-1])
    for name in ("openai", "anthropic"):
        answered(Subject(MODELS[name], server.url), said)
    assert server.bodies[0]["messages"][2]["tool_calls"][0]["function"]["arguments"] == "{broken"
    # A block of text must not be blank there, and arguments are an object.
    assert server.bodies[1]["messages"][1]["content"] == [{"type": "tool_use", "id": "a", "name": "count", "input": {}}]


def openai_reply(calls: Any) -> bytes:
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    return json.dumps({"model": "m", "choices": [{"finish_reason": "tool_calls", "message": message}]}).encode()


def anthropic_reply(blocks: list[Any]) -> bytes:
    return json.dumps({"model": "m", "stop_reason": "tool_use", "content": blocks}).encode()


def call(call_id: Any = "a", name: Any = "count", arguments: Any = "{}") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def use(call_id: Any = "a", name: Any = "count", given: Any = None) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": {} if given is None else given}


NO_NAME = "has no tool name"
MALFORMED = [
    ("openai", openai_reply("count"), "is not the call of a function"),
    ("openai", openai_reply([None]), "is not the call of a function"),
    ("openai", openai_reply([call(name=None)]), "is not the call of a function"),
    ("openai", openai_reply([call(name="")]), NO_NAME),
    ("openai", openai_reply([call(name="\u200b\x00")]), NO_NAME),
    ("openai", openai_reply([call(name="x" * 201)]), NO_NAME),
    ("openai", openai_reply([call(str(number)) for number in range(129)]), "calls 129 tools"),
    ("anthropic", anthropic_reply([use(name=7)]), NO_NAME),
    ("anthropic", anthropic_reply([use(name="x" * 201)]), NO_NAME),
    ("anthropic", anthropic_reply([use(str(number)) for number in range(129)]), "calls 129 tools"),
]


@pytest.mark.parametrize(("name", "body", "wanted"), MALFORMED)
def test_calls_that_cannot_be_answered_are_malformed(server: ModelServer, name: str, body: bytes, wanted: str) -> None:
    server.behaviour = Behaviour(raw=Raw(body=body, headers={"Content-Type": "application/json"}))
    subject = Subject(MODELS[name], server.url)
    with pytest.raises(Transient) as caught:
        answered(subject)
    assert wanted in caught.value.reason and OPENAI_KEY not in caught.value.reason


def test_a_key_in_a_call_is_masked(server: ModelServer) -> None:
    body = openai_reply([call(f"a {OPENAI_KEY}", arguments=json.dumps({"key": OPENAI_KEY}))])
    server.behaviour = Behaviour(raw=Raw(body=body, headers={"Content-Type": "application/json"}))
    done = answered(Subject(MODELS["openai"], server.url))
    assert done.tool_calls[0] == ToolCall("", "count", '{"key": "[key]"}')
    assert OPENAI_KEY not in done.original
