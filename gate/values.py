"""JSON values and their digests, files of our own as JSON, ranges of numbers, counts in sentences."""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from inspect import cleandoc
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic import JsonValue as JsonValue
from pydantic_core import from_json

DEPTH = 64
"""Nesting of lists and objects in any JSON or YAML."""


def too_deep(value: JsonValue) -> bool:
    """Are lists and objects nested more than `DEPTH` levels deep?"""
    level: list[JsonValue] = [value]
    for _ in range(DEPTH + 1):
        level = _inside(level)
        if not level:
            return False
    return True


def as_mapping(value: JsonValue) -> dict[str, JsonValue]:
    """The value if it is a mapping, else an empty one."""
    return value if isinstance(value, dict) else {}


def more_than(most: int, value: JsonValue) -> bool:
    """Does a value contain more than `most` texts, numbers, lists and objects?"""
    level: list[JsonValue] = [value]
    seen = 0
    while level and seen <= most:
        seen += len(level)
        level = _inside(level)
    return seen > most


def _inside(level: list[JsonValue]) -> list[JsonValue]:
    """The items of all lists and objects of a level."""
    inner: list[JsonValue] = []
    for item in level:
        if isinstance(item, list):
            inner.extend(item)
        elif isinstance(item, dict):
            inner.extend(item.values())
    return inner


def digest(value: JsonValue) -> str:
    """SHA-256 (64 hex digits) of the canonical JSON of `value`: sorted keys, no spaces, UTF-8."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(slots=True)
class FreeNames:
    """Makes names unique: a second `refund` becomes `refund-2`.

    Args:
        reserved: names that are never created by numbering.
    """

    mark: str = "-"
    reserved: frozenset[str] = frozenset()
    taken: set[str] = field(default_factory=set)
    _next: dict[str, int] = field(default_factory=dict)

    def take(self, name: str) -> str:
        """The name, with the next free number if it is taken."""
        free, number = name, self._next.get(name, 2)
        while free in self.taken or (free != name and free in self.reserved):
            free, number = f"{name}{self.mark}{number}", number + 1
        self._next[name] = number  # starting at 2 each time would be quadratic for many equal names
        self.taken.add(free)
        return free


Value = TypeVar("Value")


def written(adapter: TypeAdapter[Value], value: Value, exclude: set[str] | None = None) -> bytes:
    """A value as JSON in one line."""
    try:
        return adapter.dump_json(value, exclude=exclude, by_alias=True)
    except ValueError:  # half a surrogate pair, which a model may send: it stays an escape, since UTF-8 has none
        return json.dumps(adapter.dump_python(value, mode="json", exclude=exclude, by_alias=True)).encode()


def parsed(data: bytes) -> JsonValue:
    """JSON from anywhere.

    Raises:
        ValueError: it is not JSON; the message is one line.
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
    """The first error and its place."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    # An unknown key is untrusted text of any length.
    where = ".".join(str(part) for part in first["loc"])[:100]
    return f"{where}: {first['msg']}" if where else first["msg"]


def _refuse(name: str) -> JsonValue:
    raise ValueError(f"{name} is not a number")


_ARGUMENT = re.compile(r"^    ([a-z0-9_, ]+): (.*)$")

_PYTHON = re.compile(r"\b(?:None|True|False)\b")


def describe(schema: dict[str, Any], kind: type) -> None:
    """Move the lines under `Args:` of a class to the properties of its JSON Schema, in the words of JSON."""
    text = _PYTHON.sub(lambda found: "null" if found[0] == "None" else found[0].lower(), cleandoc(kind.__doc__ or ""))
    about, _, arguments = text.partition("\n\nArgs:\n")
    schema["description"] = " ".join(about.split())
    keys: list[dict[str, Any]] = []
    for line in arguments.splitlines():
        if started := _ARGUMENT.match(line):
            keys = [schema["properties"].get(name, {}) for name in started[1].split(", ")]
            for key in keys:
                key["description"] = started[2]
        else:
            for key in keys:
                key["description"] += f" {line.strip()}"


WRITTEN = ConfigDict(extra="forbid", json_schema_extra=describe, defer_build=True)
"""`__pydantic_config__` of dataclasses that are saved to files."""

COMPLETE = ConfigDict(**WRITTEN, json_schema_serialization_defaults_required=True)
"""The same, for those that write every key."""


class RecordPart(BaseModel):
    """Any part of a record: frozen, without unknown keys."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        populate_by_name=True,
        defer_build=True,
        json_schema_extra=describe,
        json_schema_serialization_defaults_required=True,
    )


ROUNDING = 1e-9
"""Means may leave their range by rounding."""

Count: TypeAlias = Annotated[int, Field(ge=0, le=10**12)]
"""Cases, calls, characters, positions."""

Tries: TypeAlias = Annotated[int, Field(ge=0, le=65_535)]
"""Requests for one sample or one score."""

Tokens: TypeAlias = Annotated[int, Field(ge=0, le=10**18)]
"""Summed over replies."""

SampleCount: TypeAlias = Annotated[int, Field(ge=1, le=100)]
"""k; the same range as `samples` in `gate.yaml`."""

Share: TypeAlias = Annotated[float, Field(ge=-ROUNDING, le=1.0 + ROUNDING)]
"""Scores, rates, probabilities."""

Delta: TypeAlias = Annotated[float, Field(ge=-1.0 - ROUNDING, le=1.0 + ROUNDING)]
"""A difference of scores or rates, and the bounds of one."""

Level: TypeAlias = Annotated[float, Field(ge=1e-17, lt=0.5)]
"""A one-sided level."""

Amount: TypeAlias = Annotated[float, Field(ge=0.0, le=1e12)]
"""Seconds or dollars."""

Difference: TypeAlias = Annotated[float, Field(ge=-1e12, le=1e12)]
"""Of seconds, dollars or shares."""

Relative: TypeAlias = Annotated[float, Field(ge=-1.0 - ROUNDING, allow_inf_nan=False)]
"""A relative change: 0.12 is +12 %. Nothing bounds it from above."""

Scores: TypeAlias = Annotated[list[Share | None], Field(max_length=100)]
"""Of the samples of one arm on one case; None where there is no score."""


def counted(count: int, one: str, many: str = "") -> str:
    """A count with its noun: `1 case`, `1,200 cases`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


NAMES_SHOWN = 3
"""Names in a sentence; the rest is counted."""


def listed(names: Sequence[str], most: int = NAMES_SHOWN) -> str:
    """`a, b, c and 2 more`; `most` is another number only where readers choose from the names."""
    return ", ".join(names[:most]) + and_more(len(names) - most)


def and_more(rest: int) -> str:
    """` and 2 more`, behind the names that are shown; empty where these are all."""
    return f" and {rest:,} more" if rest > 0 else ""


def clipped(text: str, most: int) -> str:
    """The text, cut to `most` characters with an ellipsis."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def without_score(samples: int, total: int) -> str:
    """`1 of 20 samples has no score`."""
    return f"{samples:,} of {counted(total, 'sample')} {'has' if samples == 1 else 'have'} no score"


def exact_dollars(amount: float) -> str:
    """A limit with up to six digits and no exponent: `$0.5`, `$0.000395`, `$1,250`."""
    return f"${Decimal(f'{amount:.6g}'):,f}"


def about_dollars(amount: float) -> str:
    """An amount with cents; below one dollar with two significant digits."""
    if abs(amount) >= 0.995 or amount == 0:
        return f"${amount:,.2f}"
    return f"${Decimal(f'{amount:#.2g}'):f}"


def is_subset(part: JsonValue, whole: JsonValue) -> bool:
    """Is a value part of another one?

    An object is part of every object that has its entries, compared in the same way. Lists must have the same length.
    Numbers are compared by value: 1 is 1.0, but true is not a number.
    """
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and is_subset(part[key], whole[key]) for key in part)
    if isinstance(part, list):
        same = isinstance(whole, list) and len(part) == len(whole)
        return same and all(map(is_subset, part, whole if isinstance(whole, list) else ()))
    if isinstance(part, bool) or isinstance(whole, bool):
        return part is whole
    return part == whole
