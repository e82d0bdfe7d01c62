"""Names and values of OpenTelemetry's semantic conventions for generative AI, as far as a run has something to say.

The conventions are those of https://github.com/open-telemetry/semantic-conventions-genai (status: development, read in
November 2026). What they have no word for begins with `prompt_gate.`.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias
from urllib.parse import urlsplit

from gate.domain.absence import Failed
from gate.domain.jsonvalue import JsonValue
from gate.domain.message import Message
from gate.domain.record import RunRecord
from gate.domain.sample import Reply
from gate.domain.tools import ToolCall
from gate.domain.usage import Dollars
from gate.providers.base import Request
from gate.providers.servers import ANTHROPIC_URL, OPENAI_URL

Value: TypeAlias = str | bool | int | float | Sequence[str]
Attributes: TypeAlias = dict[str, Value]
Mask: TypeAlias = Callable[[str], str]
"""Puts something else in the place of keys."""

LONGEST = 20_000
"""Characters of one message, of what a tool gave, or of a reason."""
LONGEST_NAME = 100
"""Characters of what stands in the name of a span."""
MESSAGES = 100
"""Messages of one request, the newest first kept."""
REASONS = 10
"""Reasons of a verdict."""
_HOSTED = {"openai": OPENAI_URL, "anthropic": ANTHROPIC_URL}
_HERE = ("local", "replay", "fake")
_CLOUDS = {"azure": "azure.ai.openai", "bedrock": "aws.bedrock", "vertex": "gcp.vertex_ai"}
"""The conventions' words for providers whose name is another."""
_PORTS = {"http": 80, "https": 443}
_STATUS = re.compile(r"\bHTTP (\d{3})\b")


def asked(request: Request, address: str) -> Attributes:
    """What a request says of itself, its content left out.

    Args:
        request: to a model.
        address: of the service; empty for its maker's own.
    """
    params, provider = request.params, request.model.provider
    found: Attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": _CLOUDS.get(provider, provider),
        "gen_ai.request.model": request.model.name,
        "gen_ai.output.type": "text" if request.schema is None else "json",
        **_server(address or _HOSTED.get(provider, ""), remote=provider not in _HERE),
    }
    if str(found.get("server.address", "")).endswith(".openai.azure.com"):
        found["gen_ai.provider.name"] = "azure.ai.openai"
    named = {
        "gen_ai.request.max_tokens": params.max_output_tokens,
        "gen_ai.request.temperature": params.temperature,
        "gen_ai.request.top_p": params.top_p,
        "gen_ai.request.seed": params.seed,
        "gen_ai.request.stop_sequences": params.stop or None,
    }
    return found | {name: value for name, value in named.items() if value is not None}


def _server(address: str, *, remote: bool) -> Attributes:
    """Host and port; neither path nor anything else that an address may hold."""
    if not remote:
        return {}
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return {}
    return {"server.address": host, **({"server.port": port} if port else {})} if host else {}


def answered(reply: Reply) -> Attributes:
    """What a reply says of itself, its content left out."""
    usage = reply.usage
    found: Attributes = {
        "gen_ai.response.model": reply.model_id,
        "gen_ai.usage.input_tokens": usage.total_input,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cache_read_tokens,
        "gen_ai.usage.cache_creation.input_tokens": usage.cache_write_tokens,
        "prompt_gate.attempts": reply.attempts,
    }
    if reply.stop_reason:
        found["gen_ai.response.finish_reasons"] = [reply.stop_reason]
    if isinstance(reply.cost, Dollars):
        found["prompt_gate.cost_usd"] = reply.cost.amount
    return found


def error_type(failed: Failed | BaseException) -> str:
    """A status code, `timeout`, the name of an exception, or `_OTHER`."""
    if isinstance(failed, BaseException):
        return type(failed).__name__
    if status := _STATUS.search(failed.reason):
        return status[1]
    return "timeout" if "time-out" in failed.reason or "timed out" in failed.reason else "_OTHER"


def sent(request: Request, mask: Mask) -> Attributes:
    """The content of a request: instructions apart from the conversation."""
    system = [message for message in request.messages if message.role == "system"]
    others = [message for message in request.messages if message.role != "system"][-MESSAGES:]
    found: Attributes = {"gen_ai.input.messages": json.dumps([_message(one, mask) for one in others])}
    if system:
        found["gen_ai.system_instructions"] = json.dumps([_text(one.content, mask) for one in system])
    return found


def came(reply: Reply, mask: Mask) -> Attributes:
    """The content of a reply."""
    parts = [*([_text(reply.text, mask)] if reply.text else []), *_calls(reply.tool_calls, mask)]
    message = {"role": "assistant", "parts": parts, "finish_reason": reply.stop_reason or "stop"}
    return {"gen_ai.output.messages": json.dumps([message])}


def verdict(run: RunRecord) -> Attributes:
    """What came of a run."""
    found: Attributes = {
        "prompt_gate.verdict": run.verdict.value,
        "prompt_gate.exit_code": run.exit_code,
        "prompt_gate.reasons": run.reasons[:REASONS],
        "prompt_gate.kind": run.kind or "diff",
        "prompt_gate.calls.made": run.calls.made,
        "prompt_gate.calls.cached": run.calls.cached,
        "prompt_gate.calls.failed": run.calls.failed,
    }
    if run.waived:
        found["prompt_gate.waived"] = run.waived
    if run.commit:
        found["vcs.ref.head.revision"] = run.commit
    if run.spent_usd is not None:
        found["prompt_gate.cost_usd"] = run.spent_usd
    return found


def safe(found: Attributes) -> Attributes:
    """The same with texts that can be sent: half of a surrogate pair would take the whole batch with it."""
    return {name: _sendable(value) for name, value in found.items()}


def named(what: str, name: str) -> str:
    """The name of a span: what is done, and by whom, who may be called anything."""
    return f"{what} {name.encode('utf-8', 'replace').decode()[:LONGEST_NAME]}"


def _sendable(value: Value) -> Value:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return value if isinstance(value, int | float) else [text.encode("utf-8", "replace").decode() for text in value]


def cut(text: str, mask: Mask) -> str:
    """Text without keys, and not of any length."""
    told = mask(text)
    return told if len(told) <= LONGEST else f"{told[:LONGEST]} […{len(told) - LONGEST:,} characters left out]"


def _message(message: Message, mask: Mask) -> JsonValue:
    if message.role == "tool":
        given: JsonValue = {"type": "tool_call_response", "id": message.answers, "response": cut(message.content, mask)}
        return {"role": "tool", "parts": [given]}
    said = [_text(message.content, mask)] if message.content else []
    return {"role": message.role, "parts": [*said, *_calls(message.tool_calls, mask)]}


def _text(text: str, mask: Mask) -> JsonValue:
    return {"type": "text", "content": cut(text, mask)}


def _calls(calls: Iterable[ToolCall], mask: Mask) -> list[JsonValue]:
    return [
        {"type": "tool_call", "id": call.id, "name": call.name, "arguments": cut(call.arguments, mask)}
        for call in calls
    ]
