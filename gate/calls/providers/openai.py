"""OpenAI's Chat Completions and Batch interfaces: at OpenAI, Azure, and compatible servers."""

import json
from collections.abc import Iterable, Mapping

from gate.calls.endpoints import (
    Endpoint,
    check_openai,
    is_openai,
    schema_without_bounds,
    seed_of,
    takes_new_token_limit,
)
from gate.calls.interface import Completion, Request
from gate.calls.providers.clients import ServiceProvider
from gate.calls.providers.dialect import Dialect, JsonForm
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


def _turns(messages: Iterable[Message], dialect: Dialect) -> list[JsonValue]:
    """The conversation. Results of tools are only text there, so their images follow in a turn of the user's."""
    turns: list[JsonValue] = []
    images: list[JsonValue] = []
    for message in messages:
        if message.role != "tool" and images:
            turns.append({"role": "user", "content": images})
            images = []
        turns.append(_turn(message, original=dialect.original))
        if message.role == "tool" and message.images and dialect.images:
            images += [_part(f"Images of the result {message.answers}:"), *map(_part, message.images)]
    return [*turns, {"role": "user", "content": images}] if images else turns


def _turn(message: Message, *, original: bool) -> JsonValue:
    if message.original and original:
        return _original_turn(message)
    parts: list[JsonValue] = [] if message.role == "tool" else [_part(part) for part in message.parts]
    turn: dict[str, JsonValue] = {"role": message.role, "content": parts or message.content}
    if message.tool_calls:
        turn["content"] = message.content or None
        turn["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments or "{}"}}
            for call in message.tool_calls
        ]
    if message.answers:
        turn["tool_call_id"] = message.answers
    return turn


def _original_turn(message: Message) -> JsonValue:
    """The message of the server as it came, with usable ids; without its calls where they got no results."""
    turn: dict[str, JsonValue] = json.loads(message.original)
    turn["role"] = "assistant"
    calls = turn.pop("tool_calls", None)
    if message.tool_calls and isinstance(calls, list):
        turn["tool_calls"] = [_original_call(own, call) for own, call in zip(calls, message.tool_calls, strict=True)]
    elif _is_blank(turn.get("content")):
        turn["content"] = message.content
    return turn


def _is_blank(content: JsonValue) -> bool:
    return not (content.strip() if isinstance(content, str) else content)


def _original_call(own: JsonValue, call: ToolCall) -> JsonValue:
    function = {**object_at(own, "function"), "arguments": call.arguments or "{}"}
    return {"type": "function", **(own if isinstance(own, dict) else {}), "id": call.id, "function": function}


def _part(part: ContentPart) -> JsonValue:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    return {"type": "image_url", "image_url": {"url": part.url}}


def _tool(tool: Tool) -> JsonValue:
    told: dict[str, JsonValue] = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": told}


def read_completion(data: dict[str, JsonValue], latency_s: float | None, cleaner: Cleaner, asked: str) -> Completion:
    """Read a reply, every field of which may be missing or hostile. Raises `MalformedReply`, `UnusableReply`.

    Args:
        latency_s: duration in seconds; None if it has no meaning.
        asked: the requested model, for a reply without a model name.
    """
    choices = data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        said = ErrorWords.within(data, cleaner).sentence(cleaner)
        raise MalformedReply("the reply has no choice with a message" + (f": {said}" if said else ""))
    (content, thoughts), refusal = _content(message.get("content"), cleaner), message.get("refusal")
    thinking = [text for key in _THINKING if isinstance(text := message.get(key), str)][:1]
    thinking += thoughts
    refused = isinstance(refusal, str) and bool(refusal) and not content
    return Completion(
        text=cleaner.answer(str(refusal) if refused else content),
        model_id=cleaner.line(data.get("model"), 200) or asked,
        usage=_usage(object_at(data, "usage")),
        latency_s=latency_s,
        stop_reason="refusal" if refused else cleaner.line(choice.get("finish_reason"), 64),
        tool_calls=_calls(message.get("tool_calls"), cleaner),
        thinking=cleaner.thinking(thinking),
        original=original_message(_without_nulls(message), cleaner),
    )


def _without_nulls(message: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """A server may refuse an empty field that it sends; one for thinking must come back even so."""
    return {key: value for key, value in message.items() if value is not None or key in (*_THINKING, "content")}


_THINKING = ("reasoning_content", "reasoning")
"""Where compatible servers put what a model thinks."""
_ASIDE = frozenset({*_THINKING, "thinking", "reference"})
"""Parts of a content that belong to no answer."""


def _content(content: JsonValue, cleaner: Cleaner) -> tuple[str, list[str]]:
    """The text of a content: a text, nothing, or parts; and the thinking in it. Raises `UnusableReply`."""
    if content is None or isinstance(content, str):
        return content or "", []
    texts, thinking = [], []
    for part in content if isinstance(content, list) else [content]:
        fields = part if isinstance(part, dict) else {"text": part}
        kind = fields.get("type", "text")
        text = fields.get("refusal") if kind == "refusal" else fields.get("text")
        if kind in ("text", "output_text", "refusal") and isinstance(text, str):
            texts.append(text)
        elif kind in _ASIDE:
            thinking += _thoughts(fields.get("thinking", text))
        else:
            named = cleaner.line(kind, 40) or "without a type"
            raise UnusableReply(f"the content of the reply is not text, but holds a part that is no text ({named})")
    return "".join(texts), thinking


def _thoughts(thought: JsonValue) -> list[str]:
    """The texts of a part with thinking."""
    parts = thought if isinstance(thought, list) else [{"text": thought}]
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return [text for text in texts if isinstance(text, str)]


def _calls(found: JsonValue, cleaner: Cleaner) -> tuple[ToolCall, ...]:
    """The tool calls in a reply; raises `MalformedReply` where one does not call a function."""
    if found is None:
        return ()
    calls = []
    for call in found if isinstance(found, list) else [None]:
        function = object_at(call, "function")
        if not isinstance(call, dict) or not isinstance(function.get("name"), str):
            raise MalformedReply("a tool call of the reply is not the call of a function")
        calls.append(tool_call(call.get("id"), function["name"], function.get("arguments"), cleaner))
    return limited_calls(calls)


def _usage(usage: dict[str, JsonValue]) -> Usage:
    """Tokens by kind; all zero, which has no price, if the server does not report them."""
    prompt, output = token_count(usage.get("prompt_tokens")), token_count(usage.get("completion_tokens"))
    if prompt is None or output is None:
        return Usage()
    details = object_at(usage, "prompt_tokens_details")
    read = min(token_count(details.get("cached_tokens")) or 0, prompt)
    write = min(token_count(details.get("cache_write_tokens")) or 0, prompt - read)
    return Usage(prompt - read - write, read, write, output)


class OpenAIProvider(ServiceProvider):
    """Chat Completions of one model."""

    path = "/chat/completions"
    reader = staticmethod(read_completion)

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        azure = endpoint.api == "azure"
        missing = f"check that the Azure resource has a deployment named {model}" if azure else ""
        limits = ("max_tokens", "max_completion_tokens")
        newer = azure or takes_new_token_limit(endpoint.base_url)
        usual = Dialect(("json_schema", "json_object", "text"), limits[::-1] if newer else limits)
        super().__init__(endpoint, model, usual, missing)
        self._own = azure or is_openai(endpoint.base_url)

    def check(self, params: Params) -> None:
        check_openai(self.model, params, own=self._own)

    def body(self, request: Request, dialect: Dialect) -> dict[str, JsonValue]:
        """The body of a request, for one call or a line of a batch."""
        params = dialect.params(request.params)
        body: dict[str, JsonValue] = {"model": self.model, "messages": _turns(request.messages, dialect)}
        optional: dict[str, JsonValue] = {
            dialect.limit: params.max_output_tokens,
            "temperature": params.temperature,
            "top_p": params.top_p,
            "stop": list(params.stop) or None,
            "seed": None if params.seed is None else seed_of(request),
            "reasoning_effort": params.reasoning_effort,
        }
        body.update({key: value for key, value in optional.items() if value is not None})
        if request.tools:
            body["tools"] = [_tool(tool) for tool in request.tools]
        if request.schema is not None and (form := json_form(request.schema, dialect.form)):
            body["response_format"] = form
        return body


def json_form(schema: Mapping[str, JsonValue], form: JsonForm) -> dict[str, JsonValue]:
    """The field `response_format`; empty for plain text."""
    if form == "json_schema":
        strict: dict[str, JsonValue] = {"name": "answer", "strict": True, "schema": schema_without_bounds(dict(schema))}
        return {"type": form, form: strict}
    return {"type": form} if form == "json_object" else {}
