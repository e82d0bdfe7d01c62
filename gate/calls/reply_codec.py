"""A reply as bytes and back; what does not read as a reply is refused, whoever wrote it."""

import json
import math
import struct
from typing import TypeGuard

from gate.domain.sample import Origin, Reply
from gate.domain.tools import ToolCall
from gate.domain.transcript import Transcript
from gate.domain.transcript_json import transcript_json, transcript_of
from gate.domain.usage import Cost, Dollars, Unpriced, Usage

CODEC = 1
"""Goes up when the bytes get another meaning."""

_LENGTH = struct.Struct(">I")
_write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Unreadable(ValueError):
    """Bytes that are not a reply."""


def encode(reply: Reply) -> bytes:
    """Length of the head (4 bytes), head in JSON, text; both in UTF-8, in which lone surrogates survive.

    The origin is left out: it has columns of its own.
    """
    usage, cost = reply.usage, reply.cost
    head: tuple[object, ...] = (
        reply.model_id,
        (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens, usage.output_tokens),
        cost.amount if isinstance(cost, Dollars) else cost.why,
        reply.latency_s,
        reply.attempts,
        reply.stop_reason,
    )
    if reply.tool_calls or reply.transcript is not None:
        calls = [(call.id, call.name, call.arguments) for call in reply.tool_calls]
        head += (calls, None if reply.transcript is None else transcript_json(reply.transcript))
    # The text stays out of the JSON: it is most of the bytes, and would take most of the time.
    blob = _write(head).encode("utf-8", "surrogatepass")
    return _LENGTH.pack(len(blob)) + blob + reply.text.encode("utf-8", "surrogatepass")


def decode(blob: bytes, origin: Origin) -> Reply:
    """The reply that was encoded.

    Raises:
        Unreadable: the bytes are something else.
    """
    try:
        start = _LENGTH.size + _LENGTH.unpack_from(blob)[0]
        text = blob[start:].decode("utf-8", "surrogatepass")
        head = json.loads(blob[_LENGTH.size : start].decode("utf-8", "surrogatepass"))
        model_id, tokens, price, latency_s, attempts, stop_reason, *more = head
        if not (isinstance(model_id, str) and isinstance(stop_reason, str)):
            raise Unreadable("not text")
        if latency_s is not None and not _amount(latency_s):
            raise Unreadable("not a time")
        usage = Usage(*(_count(tokens[i]) for i in range(4)))
        return Reply(
            text, model_id, usage, _cost(price), latency_s, _count(attempts), stop_reason, origin, *_conversation(more)
        )
    except (ValueError, TypeError, LookupError, RecursionError, OverflowError, struct.error):
        raise Unreadable("the bytes are not a reply") from None


def _conversation(more: list[object]) -> tuple[tuple[ToolCall, ...], Transcript | None]:
    """The calls that a reply asks for, and the conversation that it ends; few replies have either."""
    if not more:
        return (), None
    calls, transcript = more
    if not isinstance(calls, list) or not all(isinstance(part, str) for call in calls for part in call):
        raise Unreadable("not calls of tools")
    return tuple(ToolCall(*call) for call in calls), None if transcript is None else transcript_of(transcript)


def _cost(price: object) -> Cost:
    if price == "unknown" or price == "n/a":
        return Unpriced("n/a" if price == "n/a" else "unknown")
    if _amount(price):
        return Dollars(price)
    raise Unreadable("not a price")


def _amount(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0


def _count(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise Unreadable("not a count")
