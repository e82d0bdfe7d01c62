"""Options of the scorer that looks at a database: where it is, what is asked, what should be found."""

import re
from dataclasses import dataclass

from gate.domain.jsonvalue import JsonValue
from gate.inputs import schemaparts
from gate.inputs.fields import Fields, Range
from gate.inputs.limits import NAME_CHARS
from gate.inputs.nodes import described, plain
from gate.inputs.problems import quoted
from gate.inputs.scorers.options import Option

STATEMENT_CHARS = 20_000
COUNT = Range(0, 1_000_000)

_VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"
_NAME = r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*){0,2}$"
_ASKS = ("rows", "equals", "match")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_READS = re.compile(r"\s*(--[^\n]*\n\s*|/\*.*?\*/\s*)*(select|with|values|table)\b", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable(Option):
    """Name of an environment variable: what it holds is no part of any file."""

    def read(self, fields: Fields, key: str) -> JsonValue:
        name = fields.text(key)
        if name and not re.fullmatch(_VARIABLE, name):
            hint = "the address, which holds a password, stays in the environment"
            said = f"{fields.name}.{key} must be the name of an environment variable"
            fields.problems.add(fields.line_of(key), said, hint)
            return None
        return name or None

    def schema(self) -> JsonValue:
        return {**schemaparts.string(NAME_CHARS), "pattern": _VARIABLE}


@dataclass(frozen=True, slots=True, kw_only=True)
class TableKey(Option):
    """A table, and the column that holds the id of the session.

    Args:
        least: how many rows there have to be, 2 unless it says otherwise.
    """

    least: bool = False

    def read(self, fields: Fields, key: str) -> JsonValue:
        if not fields.has(key):
            return None
        inner = fields.mapping(key)
        inner.only(("table", "key", *(["min"] if self.least else [])))
        found: dict[str, JsonValue] = {}
        for part, example in (("table", "table: conversations"), ("key", "key: id")):
            name = inner.text(part) if inner.require(part, example) else ""
            if name and not re.fullmatch(_NAME, name):
                message = f"{inner.name}.{part} {quoted(name)} is no plain name"
                inner.problems.add(inner.line_of(part), message, "a query can name anything")
            found[part] = name
        if self.least:
            found["min"] = inner.integer("min", 2, COUNT)
        return found

    def schema(self) -> JsonValue:
        name: JsonValue = {**schemaparts.string(NAME_CHARS), "pattern": _NAME}
        parts: dict[str, JsonValue] = {"table": name, "key": name}
        if self.least:
            parts["min"] = schemaparts.integer(COUNT)
        return schemaparts.mapping(parts, required=("table", "key"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement(Option):
    """One statement of SQL that reads; `:session` is the id of the session."""

    def read(self, fields: Fields, key: str) -> JsonValue:
        if not fields.has(key):
            return None
        text = fields.text(key, most=STATEMENT_CHARS)
        if text and not _READS.match(text):
            hint = "begin with SELECT or WITH; the transaction can only read, too"
            fields.problems.add(fields.line_of(key), f"{fields.name}.{key} does not read", hint)
        if ";" in _QUOTED.sub("", text).rstrip().rstrip(";"):
            fields.problems.add(fields.line_of(key), f"{fields.name}.{key} holds more than one statement")
        return text.rstrip().rstrip(";") or None

    def schema(self) -> JsonValue:
        return schemaparts.string(STATEMENT_CHARS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows(Option):
    """How many rows: a number, or `min` and `max`."""

    def read(self, fields: Fields, key: str) -> JsonValue:
        node = fields.get(key)
        if node is None:
            return None
        if isinstance(node.value, int) and not isinstance(node.value, bool):
            number = fields.integer(key, 0, COUNT)
            return {"min": number, "max": number}
        inner = fields.mapping(key)
        inner.only(("min", "max"))
        found: dict[str, JsonValue] = {
            part: inner.integer(part, 0, COUNT) for part in ("min", "max") if inner.has(part)
        }
        if not found:
            inner.problems.add(inner.line, f"{inner.name} needs min or max", "rows: {min: 1}")
        return found or None

    def schema(self) -> JsonValue:
        count = schemaparts.integer(COUNT)
        return {"anyOf": [count, {**schemaparts.mapping({"min": count, "max": count}), "minProperties": 1}]}


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonMapping(Option):
    """Names of columns to values."""

    def read(self, fields: Fields, key: str) -> JsonValue:
        node = fields.get(key)
        if node is None:
            return None
        value = plain(node)
        if not isinstance(value, dict) or not value:
            message = f"{fields.name}.{key} must be a mapping of columns, not {described(node.value)}"
            fields.problems.add(node.line, message, "match: {status: booked}")
            return None
        return value

    def schema(self) -> JsonValue:
        return {"type": "object", "minProperties": 1}


def check_database(fields: Fields, options: dict[str, JsonValue]) -> None:
    """A query says what should be found, and nothing else does."""
    given = [key for key in _ASKS if fields.has(key)]
    if fields.has("query") and not given:
        fields.problems.add(
            fields.line, f"{fields.name} needs rows, equals or match beside its query", "rows: {min: 1}"
        )
    if given and not fields.has("query"):
        message = f"{fields.name}.{given[0]} is for a query"
        fields.problems.add(fields.line_of(given[0]), message, "messages has a min of its own")
