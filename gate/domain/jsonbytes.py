"""Files of our own as JSON and back: pydantic writes and reads them, and an error says in one line where it is."""

import json
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from gate.domain.jsonvalue import JsonValue

Value = TypeVar("Value")


def written(adapter: TypeAdapter[Value], value: Value, exclude: set[str] | None = None) -> bytes:
    """A value as JSON in one line.

    Args:
        adapter: of its type.
        value: what to write.
        exclude: names of fields that are left out.
    """
    try:
        return adapter.dump_json(value, exclude=exclude, by_alias=True)
    except ValueError:  # half a surrogate pair, which a model may send and UTF-8 cannot hold: it stays an escape
        return json.dumps(adapter.dump_python(value, mode="json", exclude=exclude, by_alias=True)).encode()


def parsed(data: bytes) -> JsonValue:
    """JSON from anywhere.

    Raises:
        ValueError: it is none, in one line.
    """
    found: JsonValue
    try:
        found = from_json(data, allow_inf_nan=False)
        return found
    except ValueError as error:
        if b"\\ud" not in data.lower():
            raise ValueError(f"is not JSON: {error}") from None
    try:  # half a surrogate pair, see `written`
        found = json.loads(data, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is not JSON: {error}") from None
    return found


def complaint(error: ValidationError) -> str:
    """The first mistake, and where it is."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    # A key that should not be there is a stranger's text, and may be of any length.
    where = ".".join(str(part) for part in first["loc"])[:100]
    return f"{where}: {first['msg']}" if where else first["msg"]


def _refuse(name: str) -> JsonValue:
    raise ValueError(f"{name} is no number")
