"""Requests and outcomes as JSON values: what travels between processes is data, never code."""

import json
import traceback
from dataclasses import astuple
from functools import lru_cache
from typing import Any, TypeAlias, cast

from gate.domain.jsonvalue import JsonValue
from gate.domain.model import ModelRef, Params
from gate.domain.prompt import Message, Role
from gate.domain.tools import Tool, ToolCall
from gate.domain.usage import Usage
from gate.errors import CannotEvaluate, GateError, MissingKey
from gate.providers.base import Completion, Misconfigured, Rejected, Request, Transient
from gate.providers.headroom import Headroom

Item: TypeAlias = list[JsonValue]

_OK, _TRANSIENT, _REJECTED, _ERROR = "ok", "transient", "rejected", "error"
_ERRORS: dict[str, type[GateError]] = {
    kind.__name__: kind for kind in (GateError, Misconfigured, MissingKey, CannotEvaluate)
}


def dumps(value: Item) -> bytes:
    """JSON in UTF-8; half a surrogate pair travels as it is, for the provider to complain about."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def loads(data: bytes | bytearray) -> Item:
    """What `dumps` made of a list."""
    return cast(Item, json.loads(data.decode("utf-8", "surrogatepass")))


def pack_request(request: Request) -> Item:
    """A request as a list."""
    messages: Item = [_pack_message(message) for message in request.messages]
    schema = None if request.schema is None else dict(request.schema)
    tools: Item = [list(astuple(tool)) for tool in request.tools]
    return [_pack_subject(request.model, request.params), messages, request.index, schema, tools]


def unpack_request(item: Item) -> Request:
    """The request that `pack_request` was given."""
    subject, messages, index, schema, tools = item
    model, params = _unpack_subject(cast(str, subject))
    return Request(
        tuple(_unpack_message(cast(Item, message)) for message in cast(Item, messages)),
        model,
        params,
        cast(int, index),
        cast("dict[str, JsonValue] | None", schema),
        tools=tuple(Tool(*tool) for tool in cast("list[tuple[str, str, str]]", tools)),
    )


def _pack_message(message: Message) -> Item:
    if not (message.tool_calls or message.answers or message.failed):
        return [message.role, message.content]
    return [message.role, message.content, _pack_calls(message.tool_calls), message.answers, message.failed]


def _unpack_message(item: Item) -> Message:
    role, content, *rest = item
    if not rest:
        return Message(cast(Role, role), cast(str, content))
    calls, answers, failed = rest
    return Message(cast(Role, role), cast(str, content), _unpack_calls(calls), cast(str, answers), cast(bool, failed))


def _pack_calls(calls: tuple[ToolCall, ...]) -> Item:
    return [list(astuple(call)) for call in calls]


def _unpack_calls(item: JsonValue) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(*call) for call in cast("list[tuple[str, str, str]]", item))


# Thousands of requests share a model and its parameters; they are spelled out once.
@lru_cache(maxsize=256)
def _pack_subject(model: ModelRef, params: Params) -> str:
    return json.dumps([model.provider, model.name, params.changed()], ensure_ascii=False)


@lru_cache(maxsize=256)
def _unpack_subject(text: str) -> tuple[ModelRef, Params]:
    provider, name, changed = json.loads(text)
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in changed.items()}
    return ModelRef(provider, name), Params(**values)


def pack_completion(done: Completion) -> Item:
    """An answer as a list."""
    usage: Item = list(astuple(done.usage))
    calls, left = _pack_calls(done.tool_calls), _pack_headroom(done.headroom)
    return [_OK, done.text, done.model_id, usage, done.latency_s, done.stop_reason, calls, left]


def pack_error(error: Exception) -> Item:
    """An error as a list. One that nobody foresaw keeps its type and place, not its words, which may hold anything."""
    if isinstance(error, Transient):
        said = (error.reason, error.retry_after_s, error.throttled, error.unheard)
        return [_TRANSIENT, *said, _pack_headroom(error.headroom)]
    if isinstance(error, Rejected):
        return [_REJECTED, error.reason, error.unheard]
    if isinstance(error, GateError):
        kind = next(kind.__name__ for kind in type(error).__mro__ if kind.__name__ in _ERRORS)
        return [_ERROR, kind, error.message, error.hint]
    frames = traceback.extract_tb(error.__traceback__)
    place = f" in {frames[-1].name}, line {frames[-1].lineno}" if frames else ""
    return [_ERROR, "CannotEvaluate", f"a worker failed: {type(error).__name__}{place}", "this is a defect of the gate"]


def unpack_outcome(item: Item) -> Completion | Exception:
    """The answer, or the error to be raised."""
    kind, *rest = item
    if kind == _OK:
        *answer, calls, left = rest
        text, model_id, usage, latency_s, stop_reason = cast("tuple[str, str, list[int], float | None, str]", answer)
        known = Usage(*usage)
        return Completion(text, model_id, known, latency_s, stop_reason, _unpack_headroom(left), _unpack_calls(calls))
    if kind == _TRANSIENT:
        *failure, left = rest
        reason, retry_after_s, throttled, unheard = cast("tuple[str, float | None, bool, bool]", failure)
        headroom = _unpack_headroom(left)
        return Transient(reason, retry_after_s, throttled=throttled, headroom=headroom, unheard=unheard)
    if kind == _REJECTED:
        reason, unheard = cast("tuple[str, bool]", rest)
        return Rejected(reason, unheard=unheard)
    name, message, hint = cast("tuple[str, str, str]", rest)
    return _ERRORS[name](message, hint)


def _pack_headroom(left: Headroom | None) -> JsonValue:
    return None if left is None else [left.used_up, left.reset_s]


def _unpack_headroom(item: JsonValue) -> Headroom | None:
    return None if item is None else Headroom(*cast("tuple[bool, float]", item))
