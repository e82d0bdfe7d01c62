"""Reads tables of labelled answers as mappings, as a line of JSON Lines has them."""

import re
from collections.abc import Collection, Iterator, Mapping

from gate.cases.tables import JSON, SLICE, VARS, Column, Record, Table, json_cell, read_table
from gate.config.documents import Document, Problems, did_you_mean, one_problem, quoted
from gate.limits import CASES_CHARS
from gate.values import JsonValue

_LABEL = "label:"
"""Begins the heading of one person's labels."""
_DATA = ("messages", "labels", "slices", "vars")
_NUMBER = re.compile(r"[+-]?[0-9]{1,15}(?:[.,][0-9]{1,15})?\s?%?")


def labelled_rows(
    text: str, file: str, fields: Collection[str], meant: Mapping[str, str], others: Collection[str]
) -> Iterator[Document]:
    """The rows of a table.

    Args:
        fields: names of columns; others are an error.
        meant: the field for names that other tools use.
        others: headings that are taken as they are, so that the caller explains them.

    Raises:
        InputErrors: the table or its headings.
    """
    if len(text) > CASES_CHARS:
        raise one_problem(file, 0, f"is longer than {CASES_CHARS:,} characters", "split it into several files")
    table, problems = read_table(text, file), Problems(file)
    if table is None:
        return
    columns = _columns(table, fields, meant, others, problems)
    for record in table.records(problems):
        yield Document(file, _row(record, columns, problems), line=record.line)
    problems.check()


def _columns(
    table: Table, fields: Collection[str], meant: Mapping[str, str], others: Collection[str], problems: Problems
) -> list[Column]:
    found: dict[str, Column] = {}
    for heading in filter(None, table.headings):
        column = _column(heading, {*fields, *others})
        if column is None:
            name = _plain(heading)
            hint = f"did you mean {quoted(meant[name])}?" if name in meant else did_you_mean(name, fields)
            problems.add(table.line, f"unknown column {quoted(heading)}", f"{hint}; or name it {VARS}{heading}")
        elif column.meaning in found:
            both = f"{quoted(found[column.meaning].heading)} and {quoted(heading)}"
            problems.add(table.line, f"the columns {both} both mean {column.meaning}", "rename one of them")
        else:
            found[column.meaning] = column
    if "label" in found and any(column.field == "labels" for column in found.values()):
        problems.add(table.line, "the columns of several people and 'label' cannot be combined", f"write {_LABEL}NAME")
    problems.check()
    return list(found.values())


def _plain(heading: str) -> str:
    return "_".join(heading.lower().replace("_", " ").split())


def _column(heading: str, fields: Collection[str]) -> Column | None:
    data = heading.lower().endswith(JSON)
    name = heading[: -len(JSON)] if data else heading
    if _plain(name) in fields:
        return Column(heading, _plain(name), data=data or _plain(name) in _DATA)
    for start, field in ((_LABEL, "labels"), (SLICE, "slices"), (VARS, "vars")):
        if name.lower().startswith(start) and name[len(start) :].strip():
            return Column(heading, field, name[len(start) :].strip(), data)
    return None


def _row(record: Record, columns: list[Column], problems: Problems) -> dict[str, JsonValue]:
    row: dict[str, JsonValue] = {}
    labels: list[JsonValue] = []
    for column in columns:
        cell = record.cells.get(column.heading)
        value = None if cell is None else _value(cell, column, record.line, problems)
        if column.field == "labels" and column.key:
            labels.append(value)
        elif column.field == "output" and cell is None:
            row["output"] = ""  # An empty answer is one, too.
        elif cell is not None and column.key:
            inner = row.setdefault(column.field, {})
            if isinstance(inner, dict):
                inner[column.key] = value
        elif cell is not None:
            row[column.field] = value
    return {**row, "labels": labels} if labels else row


def _value(cell: str, column: Column, line: int, problems: Problems) -> JsonValue:
    if column.data:
        return json_cell(cell, column, line, problems)
    if column.field in ("label", "labels"):
        return _label(cell.strip())
    return cell.strip() if column.field in ("id", "cluster", "slices") else cell


def _label(text: str) -> JsonValue:
    """A number or truth value as spreadsheets write them; any other text as it is."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if not _NUMBER.fullmatch(text):
        return text
    number = float(text.rstrip("% ").replace(",", "."))
    return number / 100 if text.endswith("%") else number
