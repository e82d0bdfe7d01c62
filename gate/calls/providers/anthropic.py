"""Anthropic's Messages and Message Batches: at Anthropic, Amazon Bedrock, Google Vertex, and compatible servers."""

import json
from collections.abc import Iterable, Sequence

from gate.calls.endpoints import Endpoint, check_anthropic, schema_without_bounds
from gate.calls.interface import Completion, RejectedRequest, Request
from gate.calls.providers.clients import ServiceProvider
from gate.calls.providers.dialect import Dialect
from gate.calls.untrusted import (
    Cleaner,
    ErrorWords,
    MalformedReply,
    UnusableReply,
    limited_calls,
    object_at,
    original_message,
    token_count,
    tool_call,
)
from gate.config.models import Params
from gate.messages import ContentPart, Message, Tool, ToolCall
from gate.record.transcript import Usage
from gate.values import JsonValue

DEFAULT_MAX_TOKENS = 4096
"""The interface wants a limit; this is the one when the user names none."""


def _turns(messages: Iterable[Message], dialect: Dialect) -> list[JsonValue]:
    """The conversation; results of tools are blocks of a user's turn, those of one step in one turn."""
    turns: list[JsonValue] = []
    results: list[JsonValue] = []
    for message in messages:
        if message.role == "tool":
            if not results:
                turns.append({"role": "user", "content": results})
            results.append(_result(message, images=dialect.images))
            continue
        results = []
        if dialect.original and (blocks := _original_blocks(message)):
            turns.append({"role": "assistant", "content": blocks})
            continue
        calls: list[JsonValue] = [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.parsed or {})}
            for call in message.tool_calls
        ]
        said: list[JsonValue] = [{"type": "text", "text": message.content}] if message.content.strip() else []
        parts: list[JsonValue] = [_block(part) for part in message.parts]
        turns.append({"role": message.role, "content": [*said, *calls] if calls else parts or message.content})
    return turns


def _original_blocks(message: Message) -> list[JsonValue]:
    """The blocks of the server as they came, with usable ids; empty where they cannot be sent back."""
    blocks: list[dict[str, JsonValue]] = [
        block for block in json.loads(message.original or "[]") if block.get("type") != "text" or _has_text(block)
    ]
    uses = [block for block in blocks if block.get("type") == "tool_use"]
    said = bool(uses) or any(block.get("type") == "text" for block in blocks)
    if not said or len(uses) != len(message.tool_calls):
        return []
    for block, call in zip(uses, message.tool_calls, strict=True):
        block["id"], block["input"] = call.id, dict(call.parsed or {})
    return list(blocks)


def _has_text(block: dict[str, JsonValue]) -> bool:
    text = block.get("text")
    return isinstance(text, str) and bool(text.strip())


def _block(part: ContentPart) -> JsonValue:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    return {"type": "image", "source": {"type": "base64", "media_type": part.media_type, "data": part.data}}


def _result(message: Message, *, images: bool) -> JsonValue:
    parts: list[JsonValue] = [_block(part) for part in message.parts] if images else []
    block: dict[str, JsonValue] = {
        "type": "tool_result",
        "tool_use_id": message.answers,
        "content": parts or message.content,
    }
    return {**block, "is_error": True} if message.failed else block


def _tool(tool: Tool) -> JsonValue:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}


def read_completion(data: dict[str, JsonValue], latency_s: float | None, cleaner: Cleaner, asked: str) -> Completion:
    """Read a reply, each field may be missing or hostile; see `gate.calls.providers.openai.read_completion`."""
    blocks = data.get("content")
    if isinstance(blocks, (str, dict)):
        raise UnusableReply("the content of the reply is not a list of blocks")
    if not isinstance(blocks, list):
        said = ErrorWords.within(data, cleaner).sentence(cleaner)
        raise MalformedReply("the reply has no content" + (f": {said}" if said else ""))
    texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    if not all(isinstance(text, str) for text in texts):
        raise UnusableReply("the content of the reply is not text")
    text = "".join(str(text) for text in texts)
    stop = cleaner.line(data.get("stop_reason"), 64)
    if stop == "refusal" and not text:
        text = cleaner.line(object_at(data, "stop_details").get("explanation"), 2000)
    return Completion(
        text=cleaner.answer(text),
        model_id=cleaner.line(data.get("model"), 200) or asked,
        usage=_usage(object_at(data, "usage")),
        latency_s=latency_s,
        stop_reason=stop,
        tool_calls=_calls(blocks, cleaner),
        thinking=cleaner.thinking(
            text
            for block in blocks
            if isinstance(block, dict)
            and block.get("type") == "thinking"
            and isinstance(text := block.get("thinking"), str)
        ),
        original=original_message([block for block in blocks if isinstance(block, dict)], cleaner),
    )


def _calls(blocks: Sequence[JsonValue], cleaner: Cleaner) -> tuple[ToolCall, ...]:
    """The tool calls in a reply; raises `MalformedReply` where one has no name."""
    calls = []
    for block in blocks:
        if not isinstance(block, dict) or block.get("type") != "tool_use":
            continue
        calls.append(tool_call(block.get("id"), block.get("name"), block.get("input"), cleaner))
    return limited_calls(calls)


def _system(messages: tuple[Message, ...], *, mark: bool) -> list[JsonValue]:
    """System messages as text blocks; the cache mark on the last one covers them all."""
    texts = [message.content for message in messages if message.role == "system" and message.content]
    blocks: list[JsonValue] = [{"type": "text", "text": text} for text in texts]
    if mark and texts:
        blocks[-1] = {"type": "text", "text": texts[-1], "cache_control": {"type": "ephemeral"}}
    return blocks


def _usage(usage: dict[str, JsonValue]) -> Usage:
    """Tokens by kind; all zero, which has no price, if the server does not report them."""
    fresh, output = token_count(usage.get("input_tokens")), token_count(usage.get("output_tokens"))
    if fresh is None or output is None:
        return Usage()
    read, write = usage.get("cache_read_input_tokens"), usage.get("cache_creation_input_tokens")
    return Usage(fresh, token_count(read) or 0, token_count(write) or 0, output)


class AnthropicProvider(ServiceProvider):
    """Messages of one model."""

    path = "/v1/messages"
    reader = staticmethod(read_completion)

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        super().__init__(endpoint, model, Dialect(("json_schema", "text"), ("max_tokens",)))

    def check(self, params: Params) -> None:
        check_anthropic(self.model, params)

    def body(self, request: Request, dialect: Dialect) -> dict[str, JsonValue]:
        """The body of a request, for one call or a line of a batch."""
        params = request.params
        turns = [message for message in request.messages if message.role != "system"]
        if not turns or turns[0].role != "user":
            raise RejectedRequest("Anthropic needs a user message first")
        body: dict[str, JsonValue] = {
            "model": self.model,
            "max_tokens": DEFAULT_MAX_TOKENS if params.max_output_tokens is None else params.max_output_tokens,
            "messages": _turns(turns, dialect),
        }
        if system := _system(request.messages, mark=params.prompt_cache):
            body["system"] = system
        if request.tools:
            body["tools"] = [_tool(tool) for tool in request.tools]
        elif names := dict.fromkeys(call.name for message in turns for call in message.tool_calls):
            # A conversation with calls of tools is only taken together with tools.
            body["tools"] = [_tool(Tool(name, "", '{"type": "object"}')) for name in names]
            body["tool_choice"] = {"type": "none"}
        if params.stop:
            body["stop_sequences"] = list(params.stop)
        output: dict[str, JsonValue] = {}
        if params.reasoning_effort is not None:
            output["effort"] = params.reasoning_effort
        if request.schema is not None and dialect.form == "json_schema":
            output["format"] = {"type": "json_schema", "schema": schema_without_bounds(dict(request.schema))}
        if output:
            body["output_config"] = output
        return body
