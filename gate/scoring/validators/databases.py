"""Validator of what a database held after a conversation; its values are compared by their types."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from decimal import Decimal, InvalidOperation
from uuid import UUID

from gate.record.transcript import CELL_CHARS, Observation, Unscored, is_cut
from gate.scoring.interface import (
    Finding,
    OptionCheck,
    Options,
    Subject,
    Validator,
    finding,
    listed_texts,
    number_of,
    shown_value,
)
from gate.scoring.validators.json_answers import same_json
from gate.values import JsonValue, as_mapping, counted

_PRECISION: Mapping[str, Decimal] = {"float4": Decimal("1e-6"), "float8": Decimal("1e-15")}
"""Relative differences below the decimal digits that each type of Postgres keeps."""
_ANY_TYPE = ""
"""Of SQLite, and of types that somebody made."""
_JSON = "json"
_JSONS = (_JSON, "jsonb")
_MOMENTS = ("date", "timestamp", "timestamptz", _ANY_TYPE)
_TIMES = ("time", "timetz")
_UUIDS = ("uuid", "bytea", _ANY_TYPE)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:$|[T ])")
_UUID = re.compile(r"(?:\\x)?([0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12})", re.IGNORECASE)


class _Unknown(Exception):
    """A value cannot be compared."""


def database(options: Options, subject: Subject) -> Finding:
    """The conversation exists, it has enough messages, or the rows of a query are as expected.

    `conversation`: a row with the id of the session. `messages`: at least `min` of them. `query`: as many rows as
    `rows` says; `equals`, the only value, or all rows; `match`, which one of the rows has among its columns.
    """
    seen = _seen(options, subject)
    if seen is None:
        return Unscored("the database was not queried after this conversation"), "database"
    if seen.rows is None:
        return Unscored(f"the database query failed: {seen.error}"), "database"
    if "conversation" in options:
        return finding(
            _number(seen) > 0, "the conversation is in the database", "the conversation is not in the database"
        )
    wanted = options.get("messages")
    if isinstance(wanted, dict):
        least, there = wanted.get("min", 2), _number(seen)
        at_least = least if isinstance(least, int) else 2
        said = counted(there, "message")
        return finding(there >= at_least, said, f"{said}, fewer than {at_least}")
    try:
        return _queried(options, seen, seen.rows)
    except _Unknown as unknown:
        return Unscored(str(unknown)), "database"


def _seen(options: Options, subject: Subject) -> Observation | None:
    name, transcript = options.get("scorer"), subject.transcript
    found = () if transcript is None else transcript.observations
    return next((one for one in found if one.scorer == name), None)


def _number(seen: Observation) -> int:
    value = seen.rows[0][0] if seen.rows and seen.rows[0] else 0
    return value if isinstance(value, int) else 0


def _queried(options: Options, seen: Observation, rows: Sequence[Sequence[JsonValue]]) -> Finding:
    count = f"{len(rows)} or more rows" if seen.more else counted(len(rows), "row")
    wanted = options.get("rows")
    if isinstance(wanted, dict):
        least, most = wanted.get("min"), wanted.get("max")
        if isinstance(least, int) and len(rows) < least:
            return 0.0, f"{count}, fewer than {least}"
        if isinstance(most, int) and (len(rows) > most or seen.more):
            return 0.0, f"{count}, more than {most}"
    types = seen.types or (_ANY_TYPE,) * max(len(seen.columns), *map(len, rows), 0)
    tolerance = number_of(options, "tolerance")
    comparison = Comparison(Decimal(0) if tolerance is None else Decimal(repr(tolerance)))
    if "equals" in options:
        expected = options["equals"]
        alone = len(rows) == 1 and len(rows[0]) == 1
        same = alone and comparison.same(rows[0][0], expected, types[0])
        if not same and not _same_rows(comparison, rows, expected, types):
            found: JsonValue = rows[0][0] if alone else [list(row) for row in rows]
            return 0.0, f"{shown_value(found)}, not {shown_value(expected)}"
    if "match" in options:
        expected = as_mapping(options["match"])
        places = {name: _place(name, seen.columns) for name in expected}
        partial = replace(comparison, partial=True)
        if not any(
            all(partial.same(row[at], expected[name], types[at]) for name, at in places.items()) for row in rows
        ):
            first = f"; the first is {shown_value(dict(zip(seen.columns, rows[0], strict=False)))}" if rows else ""
            return 0.0, f"none of {count} has {shown_value(options['match'])}{first}"
    return 1.0, count


def _same_rows(
    comparison: "Comparison", rows: Sequence[Sequence[JsonValue]], expected: JsonValue, types: Sequence[str]
) -> bool:
    return (
        isinstance(expected, list)
        and len(expected) == len(rows)
        and all(
            isinstance(wanted, list) and len(wanted) == len(row) and all(map(comparison.same, row, wanted, types))
            for row, wanted in zip(rows, expected, strict=True)
        )
    )


def _place(name: str, columns: Sequence[str]) -> int:
    """The column of a name, which a database may have written in other letters."""
    if name in columns:
        return columns.index(name)
    alike = [at for at, column in enumerate(columns) if column.lower() == name.lower()]
    if len(alike) == 1:
        return alike[0]
    raise _Unknown(f"the result has no column {listed_texts([name])}; it has {listed_texts(list(columns))}")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Compares values of a database with values of the configuration or a case.

    Args:
        tolerance: allowed difference of numbers.
        partial: objects may have more keys than wanted.
    """

    tolerance: Decimal = Decimal(0)
    partial: bool = False

    def same(self, found: JsonValue, wanted: JsonValue, kind: str) -> bool:
        """Is a value the wanted one, as the type of its column compares?

        Args:
            kind: see `Observation.types`.

        Raises:
            _Unknown: the value is too long to be compared.
        """
        if is_cut(found) and isinstance(wanted, (str, list, dict)):
            raise _Unknown(f"a value has more than {CELL_CHARS:,} characters and was cut: select a part of it")
        if found is None or wanted is None:
            return found is wanted
        if isinstance(found, str) and isinstance(wanted, (list, dict)):
            found = _from_json(found)
        if isinstance(found, (list, dict)):
            # A case may have its expected value as text.
            return self._same_parts(found, _from_json(wanted), kind or _JSON)
        if isinstance(found, str) and kind != "numeric":
            return isinstance(wanted, str) and _same_texts(found, wanted, kind)
        if isinstance(wanted, str) and kind not in _JSONS:
            wanted = {"true": True, "false": False}.get(wanted, wanted)
        if isinstance(found, bool) or isinstance(wanted, bool):
            # SQLite has no booleans but 1 and 0.
            return found is wanted or (kind == _ANY_TYPE and isinstance(found, int) and found == wanted)
        return self._same_numbers(found, wanted, kind)

    def _same_parts(self, found: JsonValue, wanted: JsonValue, kind: str) -> bool:
        if isinstance(found, list) and isinstance(wanted, list):
            same = (self.same(one, other, kind) for one, other in zip(found, wanted, strict=False))
            return len(found) == len(wanted) and all(same)
        if isinstance(found, dict) and isinstance(wanted, dict):
            return (self.partial or found.keys() == wanted.keys()) and all(
                key in found and self.same(found[key], value, kind) for key, value in wanted.items()
            )
        return False

    def _same_numbers(self, found: JsonValue, wanted: JsonValue, kind: str) -> bool:
        one, other = _decimal(found), _decimal(wanted)
        if one is None or other is None or (kind in _JSONS and isinstance(wanted, str)):
            return same_json(found, wanted)
        floats = kind == _ANY_TYPE and isinstance(found, float)
        relative = _PRECISION.get("float8" if floats else kind, Decimal(0))
        return abs(one - other) <= max(self.tolerance, relative * max(abs(one), abs(other)))


def _same_texts(found: str, wanted: str, kind: str) -> bool:
    if kind == "bpchar":
        found, wanted = found.rstrip(" "), wanted.rstrip(" ")
    return same_json(found, wanted) or any(
        kind in kinds and (value := read(found)) is not None and value == read(wanted) for kinds, read in _READINGS
    )


def _decimal(value: JsonValue) -> Decimal | None:
    try:
        number = Decimal(value if isinstance(value, str) else repr(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _from_json(value: JsonValue) -> JsonValue:
    """The value of a text that is JSON; another value as it is."""
    try:
        parsed: JsonValue = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value
    return parsed


def _moment(text: str) -> datetime | None:
    """A date or a point in time; one without a zone is in UTC, and a date is its midnight."""
    try:
        moment = datetime.fromisoformat(text) if _MOMENT.match(text) else None
    except ValueError:
        return None
    return moment if moment is None or moment.tzinfo else moment.replace(tzinfo=UTC)


def _time(text: str) -> datetime | None:
    """A time of day."""
    try:
        moment = datetime.combine(date(2000, 1, 1), time.fromisoformat(text))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _uuid(text: str) -> UUID | None:
    found = _UUID.fullmatch(text)
    return UUID(found[1]) if found else None


_READINGS: Sequence[tuple[Sequence[str], Callable[[str], object]]] = (
    (_MOMENTS, _moment),
    (_TIMES, _time),
    (_UUIDS, _uuid),
)
"""Types of columns whose values may be written in several ways, and how to read one."""

VALIDATORS: Mapping[str, Validator] = {"database": database}
CHECKS: Mapping[str, OptionCheck] = {}
