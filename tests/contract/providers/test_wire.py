"""What is put on the wire."""

from dataclasses import replace
from typing import Any

import pytest

from gate.calls.endpoints import seed_of
from gate.calls.interface import RejectedRequest, Request
from gate.config.models import Params
from gate.messages import Message
from gate.values import JsonValue
from tests.contract.providers.subjects import ANTHROPIC_KEY, MODELS, OPENAI_KEY, SYSTEM, Subject
from tests.support.model_server import ModelServer

SCHEMA: dict[str, JsonValue] = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "score": {"type": "number"}},
    "required": ["reason", "score"],
    "additionalProperties": False,
}
USER = "answer=blue"


def sent(server: ModelServer, subject: Subject, request: Request) -> dict[str, Any]:
    subject.use(lambda provider: provider.complete(request))
    return server.bodies[-1]


def body(server: ModelServer, name: str, params: Params, **changes: Any) -> dict[str, Any]:
    subject = Subject(MODELS[name], server.url, params=params)
    return sent(server, subject, replace(subject.request(USER), **changes))


def test_openai_sends_nothing_that_was_not_asked_for(server: ModelServer) -> None:
    assert body(server, "openai", Params()) == {
        "model": "gpt-4o-mini",
        "messages": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": USER}],
    }


def test_openai_parameters(server: ModelServer) -> None:
    params = Params(
        max_output_tokens=64, temperature=0.5, top_p=0.9, stop=("\n", "END"), seed=7, reasoning_effort="low"
    )
    found = body(server, "openai", params, index=2, schema=SCHEMA)
    assert {key: found[key] for key in found if key not in ("model", "messages")} == {
        "max_tokens": 64,
        "temperature": 0.5,
        "top_p": 0.9,
        "stop": ["\n", "END"],
        "seed": seed_of(Request((Message("system", SYSTEM), Message("user", USER)), MODELS["openai"], params, 2)),
        "reasoning_effort": "low",
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
        },
    }


def test_anthropic_sends_the_limit_that_the_interface_wants(server: ModelServer) -> None:
    assert body(server, "anthropic", Params()) == {
        "model": "claude-sonnet-5-5",
        "max_tokens": 4096,
        "system": [{"type": "text", "text": SYSTEM}],
        "messages": [{"role": "user", "content": USER}],
    }


def test_anthropic_parameters(server: ModelServer) -> None:
    params = Params(max_output_tokens=64, stop=("END",), reasoning_effort="low", prompt_cache=True)
    found = body(server, "anthropic", params, schema=SCHEMA)
    assert found["max_tokens"] == 64
    assert found["stop_sequences"] == ["END"]
    assert found["system"] == [{"type": "text", "text": SYSTEM, "cache_control": {"type": "ephemeral"}}]
    assert found["output_config"]["effort"] == "low"
    assert found["output_config"]["format"]["type"] == "json_schema"
    assert found["output_config"]["format"]["schema"] == SCHEMA


def test_anthropic_takes_every_system_message_and_marks_the_last(server: ModelServer) -> None:
    messages = (
        Message("system", "one"),
        Message("user", "a"),
        Message("assistant", "b"),
        Message("system", "two"),
        Message("system", ""),
        Message("user", "c"),
    )
    found = body(server, "anthropic", Params(prompt_cache=True), messages=messages)
    assert [block["text"] for block in found["system"]] == ["one", "two"]
    assert ["cache_control" in block for block in found["system"]] == [False, True]
    assert [turn["role"] for turn in found["messages"]] == ["user", "assistant", "user"]


@pytest.mark.parametrize("roles", [(), ("system",), ("assistant", "user")])
def test_anthropic_wants_the_user_first(server: ModelServer, roles: tuple[Any, ...]) -> None:
    with pytest.raises(RejectedRequest, match="user message first"):
        body(server, "anthropic", Params(), messages=tuple(Message(role, "x") for role in roles))
    assert server.requests == 0


def test_keys_go_where_the_interfaces_look_for_them(server: ModelServer) -> None:
    for name, key in (("openai", OPENAI_KEY), ("anthropic", ANTHROPIC_KEY)):
        body(server, name, Params())
        headers = {header.lower(): value for header, value in server.headers[-1].items()}
        assert key in headers.get("authorization", "") + headers.get("x-api-key", "")


def test_the_prefix_cache_is_distinguished(server: ModelServer, remote: Subject) -> None:
    subject = replace(remote, system="word " * 2000, params=Params(prompt_cache=True))

    async def work(provider: Any) -> list[Any]:
        return [(await provider.complete(subject.request(f"answer={word}"))).usage for word in ("a", "b")]

    first, second = subject.use(work)
    assert first.cache_read_tokens == 0
    assert second.cache_read_tokens > 2000
    assert first.total_input == second.total_input
    if subject.model.provider == "anthropic":
        assert first.cache_write_tokens == second.cache_read_tokens
