"""Cases as a table: written so that the gate reads the same cases again, and changed row by row."""

import io
import json
from collections.abc import Mapping, Sequence

from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import Entry
from gate.errors import GateError
from gate.inputs.problems import Problems, quoted
from gate.inputs.promptfoo.sheet import is_sheet
from gate.inputs.sheets.columns import DATA, FIELDS, FLAGS, JSON, NUMBERS, SLICE, VARS, Column, columns_of
from gate.inputs.sheets.table import Table, guarded, read_table, row_of

_ELSEWHERE = "write the cases to a .jsonl file"
_ORDER = (
    "id", "input", "messages", "expected", "slice", "slices", "vars", "description", "cluster", "criteria",
    "threshold", "scorers", "extra_scorers", "obsolete",
)  # fmt: skip
_KEYED = {"slices": SLICE, "vars": VARS}


def table_of(rows: Sequence[Entry], file: str) -> str:
    """A new table.

    Args:
        rows: cases of the plain form, one at least.
        file: its path, whose ending says what separates the cells.

    Raises:
        GateError: a case has what no column can hold.
    """
    return _table(rows, file, "\t" if file.lower().endswith(".tsv") else ",")


def _table(rows: Sequence[Entry], file: str, separator: str) -> str:
    columns = [column for field in _ORDER for column in _columns(field, rows)]
    _check(rows, columns, file)
    head = row_of([column.heading for column in columns], separator)
    return head + "".join(row_of(_cells(row, columns), separator) for row in rows)


def changed_table(text: str, file: str, puts: Mapping[int, Entry], gone: frozenset[int], more: Sequence[Entry]) -> str:
    """A table with some rows changed, removed or added; all others stay as they are.

    Args:
        text: the table.
        file: its path.
        puts: by position among the rows, what is to stand there.
        gone: positions of rows that go.
        more: rows to add at the end.

    Raises:
        GateError: it has no column for something, or it is one of another tool.
    """
    table, mark = _read(text, file), "\ufeff" if text.startswith("\ufeff") else ""
    columns = list(columns_of(table.headings))
    _check([*puts.values(), *more], columns, file)
    end = "\r\n" if "\r\n" in text else "\n"
    lines = _lines(table.text)
    for at, record in reversed(list(enumerate(table.records(Problems(file))))):
        if at in puts or at in gone:
            new = [] if at in gone else [row_of(_cells(puts[at], columns), table.separator)[:-1] + end]
            lines[record.line - 1 : record.end] = new
    whole = "".join(lines)
    added = "".join(row_of(_cells(row, columns), table.separator)[:-1] + end for row in more)
    return mark + whole + (end if added and not whole.endswith(("\n", "\r")) else "") + added


def rewritten(text: str, file: str, rows: Sequence[Entry]) -> str:
    """A table whose columns are made anew, so that they can hold all of its cases.

    Args:
        text: the table as it is; what separates its cells stays.
        file: its path.
        rows: all that it is to hold.

    Raises:
        GateError: a case has what no column can hold, or the table is one of another tool.
    """
    return ("\ufeff" if text.startswith("\ufeff") else "") + _table(rows, file, _read(text, file).separator)


def _read(text: str, file: str) -> Table:
    table = read_table(text.removeprefix("\ufeff"), file)
    if table is None or is_sheet(table.headings):
        raise GateError(f"{file} is a table of another tool, which is not changed in place", _ELSEWHERE)
    return table


def _lines(text: str) -> list[str]:
    """Lines as the reader of tables counts them, with their ends."""
    return list(io.StringIO(text, newline=""))


def _columns(field: str, rows: Sequence[Entry]) -> list[Column]:
    """The columns that a field of these cases needs."""
    given = [row[field] for row in rows if field in row]
    if not given:
        return []
    if field in _KEYED and all(isinstance(value, dict) and value for value in given):
        keys = list(dict.fromkeys(key for value in given if isinstance(value, dict) for key in value))
        columns = [_keyed(field, key, given) for key in keys]
        if columns_of([column.heading for column in columns]) == tuple(columns):
            return columns
    if field in (*DATA, *NUMBERS, *FLAGS) or all(isinstance(value, str) and value for value in given):
        return [Column(field, field, data=field in DATA)]
    return [Column(field + JSON, field, data=True)]


def _keyed(field: str, key: str, given: Sequence[JsonValue]) -> Column:
    values = [value[key] for value in given if isinstance(value, dict) and key in value]
    plain = all(isinstance(value, str) and value for value in values)
    return Column(_KEYED[field] + key + ("" if plain else JSON), field, key, not plain)


def _check(rows: Sequence[Entry], columns: Sequence[Column], file: str) -> None:
    whole = {column.field for column in columns if not column.key}
    keyed = {(column.field, column.key) for column in columns if column.key}
    for row in rows:
        if other := [field for field in row if field not in FIELDS]:
            # Such a case has a name where others have an id; what it asks with says more.
            named, what = row.get("id", row.get("name", "")), next((one for one in other if one != "name"), "name")
            raise GateError(f"the case {named} has {what}, which a table cannot hold", _ELSEWHERE)
        for field, value in row.items():
            lacking = [
                f"{_KEYED[field]}{key}"
                for key in (value if isinstance(value, dict) and field in _KEYED else ())
                if (field, key) not in keyed
            ]
            missing = lacking[0] if lacking else "" if field in _KEYED and value else field
            # A row of a table without ids is called after its position.
            if field not in whole and missing and field != "id":
                raise GateError(f"{file} has no column {quoted(missing)}", "add the column, or " + _ELSEWHERE)


def _cells(row: Entry, columns: Sequence[Column]) -> list[str]:
    return [_cell(row, column) for column in columns]


def _cell(row: Entry, column: Column) -> str:
    value = row.get(column.field)
    if column.field not in row:
        return ""
    if column.key:
        if not isinstance(value, dict) or column.key not in value:
            return ""
        value = value[column.key]
    if column.data:
        return guarded(json.dumps(value, ensure_ascii=False))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return guarded(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
