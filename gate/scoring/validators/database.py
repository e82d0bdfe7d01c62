"""Holds what a database held after a conversation against what it should have held; nothing is looked up here."""

import json
from collections.abc import Sequence

from gate.domain.absence import Unscored
from gate.domain.jsonvalue import JsonValue
from gate.domain.transcript import Observation
from gate.domain.words import counted
from gate.scoring.subject import Subject
from gate.scoring.validators.json_path import same
from gate.scoring.validators.port import Finding, Options, finding, shown
from gate.scoring.validators.tools import holds


def database(options: Options, subject: Subject) -> Finding:
    """The conversation is there, it has so many messages, or the rows of a query are as they should be.

    `conversation`: a row with the id of the session. `messages`: at least `min` of them. `query`: as many rows as
    `rows` says; `equals`, the only value, or all rows; `match`, which one of the rows has among its columns.
    """
    seen = _seen(options, subject)
    if seen is None:
        return Unscored("nobody has looked at the database after this conversation"), "database"
    if seen.rows is None:
        return Unscored(f"the database gave no answer: {seen.error}"), "database"
    if "conversation" in options:
        return finding(_number(seen) > 0, "the conversation is there", "there is no such conversation")
    wanted = options.get("messages")
    if isinstance(wanted, dict):
        least, there = wanted.get("min", 2), _number(seen)
        at_least = least if isinstance(least, int) else 2
        said = counted(there, "message")
        return finding(there >= at_least, said, f"{said}, fewer than {at_least}")
    return _queried(options, seen, seen.rows)


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
    if "equals" in options:
        found: JsonValue = rows[0][0] if len(rows) == 1 and len(rows[0]) == 1 else [list(row) for row in rows]
        if not same(found, options["equals"]):
            return 0.0, f"{shown(found)}, not {shown(options['equals'])}"
    if "match" in options:
        objects = [{name: _unfolded(cell) for name, cell in zip(seen.columns, row, strict=False)} for row in rows]
        if not any(holds(one, options["match"]) for one in objects):
            first = f"; the first is {shown(objects[0])}" if objects else ""
            return 0.0, f"none of {count} has {shown(options['match'])}{first}"
    return 1.0, count


def _unfolded(cell: JsonValue) -> JsonValue:
    """A JSON column is an object again."""
    if not isinstance(cell, str) or cell[:1] not in ("{", "["):
        return cell
    try:
        value: JsonValue = json.loads(cell)
    except (ValueError, RecursionError):
        return cell
    return value
