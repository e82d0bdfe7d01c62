"""Requests and replies of the interfaces, and a common format for them."""

import time
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    """One answer that was given.

    Args:
        path, model, system, user, text: what was asked and answered.
        index: how often this system prompt and user message had been answered before, or the request's `seed`.
        right: the answer was the word that the user message names; None for a judgement.
        input_tokens, cache_read_tokens, cache_write_tokens, output_tokens: as reported.
    """

    path: str
    model: str
    system: str
    user: str
    text: str
    index: int
    right: bool | None
    input_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A request of either interface, in common words."""

    path: str
    model: str
    system: str
    user: str
    seed: int | None
    schema: dict[str, Any] | None
    cached: bool

    @property
    def judging(self) -> bool:
        """Is a judge asked? A server that takes no schema knows it by the gate's own words."""
        return self.schema is not None or self.system.startswith("You are a careful evaluator.")


def read_openai(data: dict[str, Any]) -> Asked:
    """What a chat completion asks for."""
    turns = data["messages"]
    system = "\n".join(turn["content"] for turn in turns if turn["role"] in ("system", "developer"))
    users = [text for turn in turns if turn["role"] == "user" for text in _texts(turn["content"])]
    schema = data.get("response_format", {}).get("json_schema", {}).get("schema")
    return Asked("/v1/chat/completions", data["model"], system, users[-1], data.get("seed"), schema, cached=True)


def read_responses(data: dict[str, Any]) -> Asked:
    """What a response asks for."""
    turns = [item for item in data["input"] if "role" in item]
    system = "\n".join(turn["content"] for turn in turns if turn["role"] in ("system", "developer"))
    users = [turn["content"] for turn in turns if turn["role"] == "user"]
    schema = data.get("text", {}).get("format", {}).get("schema")
    return Asked("/v1/responses", data["model"], system, users[-1], None, schema, cached=True)


def read_anthropic(data: dict[str, Any]) -> Asked:
    """What a message asks for."""
    blocks = data.get("system", [])
    system = "\n".join(block["text"] for block in blocks)
    users = [text for turn in data["messages"] if turn["role"] == "user" for text in _texts(turn["content"])]
    schema = data.get("output_config", {}).get("format", {}).get("schema")
    marked = any("cache_control" in block for block in blocks)
    return Asked("/v1/messages", data["model"], system, users[-1], None, schema, cached=marked)


def _texts(content: str | list[dict[str, Any]]) -> list[str]:
    """What a person says in a turn; results of tools are nobody's words."""
    return [content] if isinstance(content, str) else [block["text"] for block in content if block["type"] == "text"]


def openai_reply(entry: Entry) -> dict[str, Any]:
    """A chat completion."""
    prompt = entry.input_tokens + entry.cache_read_tokens + entry.cache_write_tokens
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": entry.model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": entry.text, "refusal": None},
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": entry.output_tokens,
            "total_tokens": prompt + entry.output_tokens,
            "prompt_tokens_details": {"cached_tokens": entry.cache_read_tokens, "audio_tokens": 0},
        },
    }


def responses_reply(entry: Entry) -> dict[str, Any]:
    """A response."""
    text = {"type": "output_text", "text": entry.text, "annotations": [], "logprobs": []}
    message = {"id": "msg_1", "type": "message", "status": "completed", "role": "assistant", "content": [text]}
    prompt = entry.input_tokens + entry.cache_read_tokens + entry.cache_write_tokens
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": int(time.time()),
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "model": entry.model,
        "output": [message],
        "usage": {
            "input_tokens": prompt,
            "input_tokens_details": {"cached_tokens": entry.cache_read_tokens},
            "output_tokens": entry.output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": prompt + entry.output_tokens,
        },
    }


def anthropic_reply(entry: Entry) -> dict[str, Any]:
    """A message."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": entry.model,
        "content": [{"type": "text", "text": entry.text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": entry.input_tokens,
            "cache_read_input_tokens": entry.cache_read_tokens,
            "cache_creation_input_tokens": entry.cache_write_tokens,
            "output_tokens": entry.output_tokens,
        },
    }
