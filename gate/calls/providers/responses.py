"""OpenAI's Responses interface: at OpenAI, Azure, and compatible servers. Nothing is stored there."""

import json
from collections.abc import Iterable

from gate.calls.endpoints import Endpoint, check_responses, is_openai
from gate.calls.interface import Completion, Request
from gate.calls.providers.clients import ServiceProvider
from gate.calls.providers.dialect import Dialect
from gate.calls.providers.openai import json_form
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
from gate.messages import ContentPart, Message, Tool
from gate.record.transcript import Usage
from gate.values import JsonValue

_REASONING = "reasoning.encrypted_content"


def _items(messages: Iterable[Message], dialect: Dialect) -> list[JsonValue]:
    """The conversation; calls of tools and their results are items of their own."""
    items: list[JsonValue] = []
    for message in messages:
        if dialect.original and (own := _original_items(message)):
            items += own
        elif message.role == "tool":
            seen: list[JsonValue] = [_part(part) for part in message.parts] if dialect.images else []
            result = seen or message.content
            items.append({"type": "function_call_output", "call_id": message.answers, "output": result})
        else:
            parts: list[JsonValue] = [_part(part) for part in message.parts]
            if parts or message.content or not message.tool_calls:
                items.append({"role": message.role, "content": parts or message.content})
            for call in message.tool_calls:
                named: dict[str, JsonValue] = {"call_id": call.id, "name": call.name}
                items.append({"type": "function_call", **named, "arguments": call.arguments or "{}"})
    return items


def _original_items(message: Message) -> list[JsonValue]:
    """The items of the server as they came, with usable ids; empty where they cannot be sent back."""
    items: list[dict[str, JsonValue]] = json.loads(message.original or "[]")
    calls = [item for item in items if item.get("type") == "function_call"]
    said = bool(calls) or any(item.get("type") == "message" for item in items)
    if not said or len(calls) != len(message.tool_calls):
        return []
    for item, call in zip(calls, message.tool_calls, strict=True):
        item["call_id"], item["arguments"] = call.id, call.arguments or "{}"
    return list(items)


def _part(part: ContentPart) -> JsonValue:
    if isinstance(part, str):
        return {"type": "input_text", "text": part}
    return {"type": "input_image", "image_url": part.url}


def _tool(tool: Tool) -> JsonValue:
    told: dict[str, JsonValue] = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    # Strict is the default there, and refuses most schemas.
    return {"type": "function", **told, "strict": False}


def read_completion(data: dict[str, JsonValue], latency_s: float | None, cleaner: Cleaner, asked: str) -> Completion:
    """Read a reply, each field may be missing or hostile; see `gate.calls.providers.openai.read_completion`."""
    output = data.get("output")
    if not isinstance(output, list) or data.get("status") in ("failed", "cancelled"):
        said = ErrorWords.within(data, cleaner).sentence(cleaner)
        raise MalformedReply("the reply has no output" + (f": {said}" if said else ""))
    items = [item for item in output if isinstance(item, dict)]
    texts, refusals = [], []
    for part in (part for item in items if item.get("type") == "message" for part in _parts(item.get("content"))):
        kind = part.get("type")
        text = part.get("refusal" if kind == "refusal" else "text")
        if kind not in ("output_text", "text", "refusal") or not isinstance(text, str):
            raise UnusableReply("the content of the reply is not text")
        (refusals if kind == "refusal" else texts).append(text)
    refused = bool(refusals) and not any(texts)
    stop = object_at(data, "incomplete_details").get("reason") or data.get("status")
    calls = [
        tool_call(item.get("call_id"), item.get("name"), item.get("arguments"), cleaner)
        for item in items
        if item.get("type") == "function_call"
    ]
    return Completion(
        text=cleaner.answer("".join(refusals if refused else texts)),
        model_id=cleaner.line(data.get("model"), 200) or asked,
        usage=_usage(object_at(data, "usage")),
        latency_s=latency_s,
        stop_reason="refusal" if refused else cleaner.line(stop, 64),
        tool_calls=limited_calls(calls),
        thinking=cleaner.thinking(_thoughts(items)),
        original=original_message(list(items), cleaner),
    )


def _parts(content: JsonValue) -> list[dict[str, JsonValue]]:
    """The parts of a content, which may be one text. Raises `UnusableReply`."""
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    if not all(isinstance(part, dict) for part in parts):
        raise UnusableReply("the content of the reply is not text")
    return [part for part in parts if isinstance(part, dict)]


def _thoughts(items: Iterable[dict[str, JsonValue]]) -> list[str]:
    """The reasoning as far as it can be read: its text, or the summary of it."""
    thoughts: list[str] = []
    for item in items:
        for key in ("content", "summary") if item.get("type") == "reasoning" else ():
            parts = item.get(key)
            texts = [part.get("text") for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
            thoughts += [text for text in texts if isinstance(text, str)]
    return thoughts


def _usage(usage: dict[str, JsonValue]) -> Usage:
    """Tokens by kind; all zero, which has no price, if the server does not report them."""
    prompt, output = token_count(usage.get("input_tokens")), token_count(usage.get("output_tokens"))
    if prompt is None or output is None:
        return Usage()
    read = min(token_count(object_at(usage, "input_tokens_details").get("cached_tokens")) or 0, prompt)
    return Usage(prompt - read, read, 0, output)


class ResponsesProvider(ServiceProvider):
    """Responses of one model."""

    path = "/responses"
    reader = staticmethod(read_completion)

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        usual = Dialect(("json_schema", "json_object", "text"), ("max_output_tokens",), asks_reasoning=True)
        super().__init__(endpoint, model, usual)
        self._own = is_openai(endpoint.base_url)

    def check(self, params: Params) -> None:
        check_responses(self.model, params, own=self._own)

    def body(self, request: Request, dialect: Dialect) -> dict[str, JsonValue]:
        """The body of a request."""
        params = dialect.params(request.params)
        body: dict[str, JsonValue] = {
            "model": self.model,
            "input": _items(request.messages, dialect),
            "store": False,
        }
        optional: dict[str, JsonValue] = {
            "max_output_tokens": params.max_output_tokens,
            "temperature": params.temperature,
            "top_p": params.top_p,
            "reasoning": None if params.reasoning_effort is None else {"effort": params.reasoning_effort},
        }
        body.update({key: value for key, value in optional.items() if value is not None})
        if request.tools:
            body["tools"] = [_tool(tool) for tool in request.tools]
            if dialect.original:
                body["include"] = [_REASONING]
        if request.schema is not None and (form := json_form(request.schema, dialect.form)):
            body["text"] = {"format": {"type": form["type"], **object_at(form, "json_schema")}}
        return body
