"""The content address of a request: two requests with one key are the same question, asked in the same way."""

import hashlib
import json
import struct
from functools import lru_cache

from gate.domain.jsonvalue import JsonValue, digest
from gate.domain.model import ModelRef, Params
from gate.providers.base import Request

FORMAT = 1
"""Goes up when the same request gets another meaning, so that older answers are not found any more."""

UNSENT = frozenset({"timeout_s"})
"""Parameters that no request carries: a waiting time."""


def request_key(request: Request, address: str) -> bytes:
    """SHA-256 (32 bytes) of everything that is sent: model, address, parameters, messages, schema, tools, sample
    index.

    And of what it is asked for: two cases with the same question are two samples.

    Args:
        request: what is sent.
        address: where it is sent, after environment and defaults: the URL of the interface. Where a path is the model
            (`local:`, `replay:`), something that changes with the content of the file.
    """
    # A model fills a schema in the order in which it is written, so its keys are not sorted.
    schema = "" if request.schema is None else json.dumps(dict(request.schema), ensure_ascii=False)
    parts = [_head(request.model, request.params, address), schema, str(request.index), request.about]
    for message in request.messages:
        parts += message.told
    for tool in request.tools:
        parts += ("tool", tool.name, tool.description, tool.schema)
    # Each part says how long it is, so no two lists of parts look alike. JSON would take three times as long.
    encoded = [part.encode("utf-8", "surrogatepass") for part in parts]
    lengths = struct.pack(f">{len(encoded)}Q", *map(len, encoded))
    return hashlib.sha256(b"".join((struct.pack(">Q", len(encoded)), lengths, *encoded))).digest()


@lru_cache(maxsize=256)
def _head(model: ModelRef, params: Params, address: str) -> str:
    sent: dict[str, JsonValue] = {k: _plain(v) for k, v in params.changed().items() if k not in UNSENT}
    return digest([FORMAT, model.provider, model.name, address, sent])


def _plain(value: JsonValue) -> JsonValue:
    """1.0 is 1: parameters that are equal have one key, whichever of them came first."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
