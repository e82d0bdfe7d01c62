"""Lines of a batch: what goes up as JSON, what comes down as anything."""

import json
from typing import TypeAlias

from gate.domain.absence import Failed
from gate.domain.jsonvalue import JsonValue
from gate.providers.base import Rejected
from gate.providers.untrusted import Cleaner, Malformed, json_object

Table: TypeAlias = dict[str, JsonValue]


def encoded(value: Table) -> bytes:
    """Compact JSON in UTF-8, without a line break.

    Raises:
        Rejected: half a surrogate pair.
    """
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        raise Rejected("the request holds half a surrogate pair, which is not valid Unicode") from None


def row_of(line: bytes) -> Table | Failed:
    """The object in a line of results."""
    try:
        return json_object(line)
    except Malformed as error:
        return Failed(str(error).replace("the reply", "a line of the results"))


def tables(page: Table) -> list[Table]:
    """The objects of a listing."""
    listed = page.get("data")
    return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []


def unanswered(service: str, said: str) -> Failed:
    """A request that a batch did not answer.

    Args:
        service: who, as a reader knows it.
        said: why, one clean line, or empty.
    """
    return Failed(f"{service} could not answer in the batch" + (f": {said}" if said else ""))


def message_of(error: Table, cleaner: Cleaner) -> str:
    """What an error object says, or its code."""
    return cleaner.line(error.get("message")) or cleaner.line(error.get("code"), 80)
