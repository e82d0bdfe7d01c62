"""Conversations with tools on the interfaces: parsing the request, and replies that call tools."""

import json
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Calls: TypeAlias = list[tuple[str, dict[str, Any]]]
"""Name and arguments of each call."""


@dataclass(frozen=True, slots=True)
class Used:
    """A tool call and its result."""

    name: str
    arguments: dict[str, Any]
    result: str
    failed: bool


@dataclass(frozen=True, slots=True)
class Talk:
    """A request of either interface, as a scripted model sees it.

    Args:
        system: the system messages, joined.
        said: the user's turns.
        tools: names of the tools that it may call.
        used: calls since the last turn of the user's.
        before: calls before that.
    """

    system: str
    said: tuple[str, ...]
    tools: tuple[str, ...]
    used: tuple[Used, ...] = ()
    before: tuple[Used, ...] = field(default=())


def talk_of(data: dict[str, Any]) -> Talk:
    """What stands in a request; only Anthropic's has a limit of that name."""
    if "input" in data:
        return _responses(data)
    return _anthropic(data) if "max_tokens" in data else _openai(data)


def _openai(data: dict[str, Any]) -> Talk:
    system = "\n".join(turn["content"] for turn in data["messages"] if turn["role"] == "system")
    asked: dict[str, tuple[str, dict[str, Any]]] = {}
    said: list[str] = []
    used: list[Used] = []
    before: list[Used] = []
    for turn in data["messages"]:
        if turn["role"] == "user" and isinstance(turn["content"], str):
            said.append(turn["content"])
            before, used = before + used, []
        for call in turn.get("tool_calls") or ():
            asked[call["id"]] = call["function"]["name"], json.loads(call["function"]["arguments"])
        if turn["role"] == "tool":
            used.append(Used(*asked[turn["tool_call_id"]], turn["content"], turn["content"].startswith("Error")))
    names = tuple(tool["function"]["name"] for tool in data.get("tools", ()))
    return Talk(system, tuple(said), names, tuple(used), tuple(before))


def _responses(data: dict[str, Any]) -> Talk:
    system = "\n".join(item["content"] for item in data["input"] if item.get("role") == "system")
    asked: dict[str, tuple[str, dict[str, Any]]] = {}
    said: list[str] = []
    used: list[Used] = []
    before: list[Used] = []
    for item in data["input"]:
        if item.get("role") == "user":
            said.append(item["content"])
            before, used = before + used, []
        if item.get("type") == "function_call":
            asked[item["call_id"]] = item["name"], json.loads(item["arguments"])
        if item.get("type") == "function_call_output":
            used.append(Used(*asked[item["call_id"]], item["output"], str(item["output"]).startswith("Error")))
    names = tuple(tool["name"] for tool in data.get("tools", ()))
    return Talk(system, tuple(said), names, tuple(used), tuple(before))


def _anthropic(data: dict[str, Any]) -> Talk:
    system = "\n".join(block["text"] for block in data.get("system", ()))
    asked: dict[str, tuple[str, dict[str, Any]]] = {}
    said: list[str] = []
    used: list[Used] = []
    before: list[Used] = []
    for turn in data["messages"]:
        blocks = turn["content"] if isinstance(turn["content"], list) else [{"type": "text", "text": turn["content"]}]
        for block in blocks:
            if block["type"] == "text" and turn["role"] == "user":
                said.append(block["text"])
                before, used = before + used, []
            if block["type"] == "tool_use":
                asked[block["id"]] = block["name"], block["input"]
            if block["type"] == "tool_result":
                used.append(Used(*asked[block["tool_use_id"]], block["content"], block.get("is_error", False)))
    names = tuple(tool["name"] for tool in data.get("tools", ()))
    return Talk(system, tuple(said), names, tuple(used), tuple(before))


def with_calls(reply: dict[str, Any], calls: Calls, number: int) -> dict[str, Any]:
    """The reply, asking for calls of tools.

    Args:
        reply: of either interface.
        calls: what is wanted; none leaves the reply as it is.
        number: of the request, for ids of its own.
    """
    if not calls:
        return reply
    ids = [f"call_{number}_{place}" for place in range(len(calls))]
    if "choices" in reply:
        choice = reply["choices"][0]
        choice["finish_reason"] = "tool_calls"
        choice["message"]["tool_calls"] = [
            {"id": one, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for one, (name, arguments) in zip(ids, calls, strict=True)
        ]
        return reply
    if "output" in reply:
        called = [
            {"type": "function_call", "id": f"fc_{one}", "call_id": one, "name": name, "arguments": json.dumps(given)}
            for one, (name, given) in zip(ids, calls, strict=True)
        ]
        reply["output"] = [item for item in reply["output"] if item["content"][0]["text"]] + called
        return reply
    reply["stop_reason"] = "tool_use"
    reply["content"] = [block for block in reply["content"] if block["text"]] + [
        {"type": "tool_use", "id": one, "name": name, "input": arguments}
        for one, (name, arguments) in zip(ids, calls, strict=True)
    ]
    return reply
