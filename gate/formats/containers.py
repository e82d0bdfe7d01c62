"""The files that rows stand in: JSON Lines, JSON, YAML and tables."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gate.cases.reading import JSON_ENDING, YAML_ENDINGS, documents, is_table
from gate.cases.yaml import dumped
from gate.domain.jsonvalue import JsonValue
from gate.errors import InputErrors, Problem
from gate.formats.shared import Row
from gate.inputs.jsontext import BadJson, parse_json
from gate.inputs.limits import CASES, CASES_CHARS
from gate.inputs.problems import Problems, one_problem
from gate.inputs.sheets.table import guarded, read_table, row_of

WRAPPERS = ("examples", "instances", "request_states", "samples", "rows", "data", "items", "events", "tests", "records")
"""Keys under which an export may have its list."""


@dataclass(frozen=True, slots=True)
class Found:
    """The rows of a file.

    Args:
        rows: each with its line.
        headings: of a table; empty for other files.
    """

    rows: Sequence[tuple[int, Row]]
    headings: tuple[str, ...] = ()


def read_rows(text: str, file: str) -> Found:
    """The rows of a file.

    Args:
        text: without a byte order mark.
        file: its path, whose ending tells the form.

    Raises:
        InputErrors: every mistake.
    """
    if len(text) > CASES_CHARS:
        raise one_problem(file, 0, f"is longer than {CASES_CHARS:,} characters", "split it into several files")
    found = _table(text, file) if is_table(file) else Found(list(_objects(text, file)))
    if not found.rows:
        raise one_problem(file, 0, "holds no rows")
    return found


def _table(text: str, file: str) -> Found:
    problems = Problems(file)
    table = read_table(text, file)
    if table is None:
        return Found(())
    found: list[tuple[int, Row]] = []
    for record in table.records(problems):
        _bounded(len(found), record.line, file)
        found.append((record.line, {key: value_of(cell) for key, cell in record.cells.items()}))
    problems.check()
    return Found(found, table.headings)


def _objects(text: str, file: str) -> Iterable[tuple[int, Row]]:
    count = 0
    problems: list[Problem] = []
    for document in documents(text, file, problems):
        for line, value in _unwrapped(document.data, document.line_of()):
            _bounded(count, line, file)
            count += 1
            yield line, value
    if problems:
        raise InputErrors(problems)


def _unwrapped(value: JsonValue, line: int) -> Iterable[tuple[int, Row]]:
    assert isinstance(value, dict)  # noqa: S101
    wrapper = next((key for key in WRAPPERS if isinstance(value.get(key), list)), None)
    inner = value.get(wrapper) if wrapper is not None else None
    if not isinstance(inner, list) or not all(isinstance(item, dict) for item in inner) or "input" in value:
        return [(line, value)]
    return [(line, _instance(item)) for item in inner if isinstance(item, dict)]


def _instance(item: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """A state of a request of HELM holds the instance that it asks."""
    inner = item.get("instance")
    return inner if isinstance(inner, dict) else item


def _bounded(count: int, line: int, file: str) -> None:
    if count >= CASES:
        raise one_problem(file, line, f"more than {CASES:,} rows", "split the file")


def value_of(cell: str) -> JsonValue:
    """A cell as a value: JSON where it begins like a list, a mapping or a quoted text, and is one; else the text."""
    if cell[:1] in ("[", "{", '"'):
        try:
            return parse_json(cell)
        except BadJson:
            return cell
    return cell


def cell_of(value: JsonValue) -> str:
    """The cell that `value_of` reads the value from; numbers come back as texts."""
    if value is None:
        return ""
    if isinstance(value, str) and value and value_of(value) == value:
        return guarded(value)
    return guarded(json.dumps(value, ensure_ascii=False))


def write_rows(found: Sequence[Row], file: str) -> str:
    """The file that holds the rows, in the form that its ending says; a table has a column for each key."""
    if is_table(file):
        headings = list(dict.fromkeys(key for row in found for key in row))
        separator = "\t" if file.lower().endswith(".tsv") else ","
        lines = [row_of(headings, separator)]
        lines += [row_of([cell_of(row.get(key)) if key in row else "" for key in headings], separator) for row in found]
        return "".join(lines)
    if file.lower().endswith(JSON_ENDING):
        return json.dumps([dict(row) for row in found], ensure_ascii=False, indent=2) + "\n"
    if file.lower().endswith(YAML_ENDINGS):
        return dumped([dict(row) for row in found])
    return "".join(json.dumps(dict(row), ensure_ascii=False) + "\n" for row in found)


def nested(row: Row, spread: Sequence[str]) -> dict[str, JsonValue]:
    """A row of a table whose columns `input_…` are entries of a mapping `inputs`, for each such mapping."""
    found: dict[str, JsonValue] = {}
    for key, value in row.items():
        mapping = next((one for one in spread if key.startswith(_column(one))), None)
        if mapping is None:
            found[key] = value
            continue
        inner = found.setdefault(mapping, {})
        if isinstance(inner, dict):
            inner[key.removeprefix(_column(mapping))] = value
    return found


def flat(row: Row, spread: Sequence[str]) -> dict[str, JsonValue]:
    """The other way round."""
    found: dict[str, JsonValue] = {}
    for key, value in row.items():
        if key in spread and isinstance(value, dict):
            found |= {f"{_column(key)}{name}": inner for name, inner in value.items()}
        else:
            found[key] = value
    return found


def _column(mapping: str) -> str:
    return f"{mapping.removesuffix('s')}_"
