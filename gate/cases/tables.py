"""Cases as a table, written so that the gate reads the same cases again."""

import json
from collections.abc import Sequence

from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import Entry
from gate.errors import GateError
from gate.inputs.problems import quoted
from gate.inputs.promptfoo.sheet import is_sheet
from gate.inputs.sheets.columns import DATA, FIELDS, FLAGS, JSON, NUMBERS, SLICE, VARS, Column, columns_of
from gate.inputs.sheets.table import guarded, read_table, row_of

_ELSEWHERE = "write the cases to a .jsonl file"
_ORDER = (
    "id", "input", "messages", "expected", "slice", "slices", "vars", "description", "cluster", "criteria",
    "threshold", "scorers", "extra_scorers", "obsolete",
)  # fmt: skip
_KEYED = {"slices": SLICE, "vars": VARS}


def new_table(rows: Sequence[Entry], file: str) -> str:
    """A table with the columns that the cases need.

    Args:
        rows: cases of the plain form, one at least.
        file: its path, whose ending says what separates the cells.

    Raises:
        GateError: a case has what no column can hold.
    """
    return _written(rows, _columns(rows, file), "\t" if file.lower().endswith(".tsv") else ",")


def changed_table(text: str, file: str, rows: Sequence[Entry]) -> str:
    """A table that holds other cases, with its columns as they are where they can hold them.

    Args:
        text: the table as it is.
        file: its path.
        rows: all that it is to hold.

    Raises:
        GateError: a case has what no column can hold, or the table is one of another tool.
    """
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    table = read_table(text.removeprefix("\ufeff"), file)
    if table is None or is_sheet(table.headings):
        raise GateError(f"{file} is a table of another tool, which is not changed in place", _ELSEWHERE)
    columns = columns_of(table.headings)
    if not all(_holds(columns, row) for row in rows):
        columns = _columns(rows, file)
    end = "\r\n" if "\r\n" in text else "\n"
    return mark + _written(rows, columns, table.separator, end)


def _written(rows: Sequence[Entry], columns: Sequence[Column], separator: str, end: str = "\n") -> str:
    lines = [[column.heading for column in columns], *([_cell(row, column) for column in columns] for row in rows)]
    return "".join(row_of(cells, separator).removesuffix("\n") + end for cells in lines)


def _columns(rows: Sequence[Entry], file: str) -> tuple[Column, ...]:
    """The columns that cases need."""
    for row in rows:
        if other := [field for field in row if field not in FIELDS]:
            # Such a case has a name where others have an id; what it asks with says more.
            named, what = row.get("id", row.get("name", "")), next((one for one in other if one != "name"), "name")
            raise GateError(f"the case {named} has {what}, which a table cannot hold", _ELSEWHERE)
    columns = tuple(column for field in _ORDER for column in _columns_of_field(field, rows))
    if lost := next((row for row in rows if not _holds(columns, row)), None):
        raise GateError(f"the case {quoted(str(lost.get('id', '')))} fits into no columns of {file}", _ELSEWHERE)
    return columns


def _columns_of_field(field: str, rows: Sequence[Entry]) -> list[Column]:
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


def _holds(columns: Sequence[Column], row: Entry) -> bool:
    """Can the columns hold all of a case, and would it be read back as it is?"""
    whole = {column.field: column for column in columns if not column.key}
    keyed = {(column.field, column.key): column for column in columns if column.key}
    for field, value in row.items():
        if field in whole:
            if not _fits(value, whole[field]):
                return False
        elif not isinstance(value, dict) or not value:
            return False
        elif not all((field, key) in keyed and _fits(inner, keyed[field, key]) for key, inner in value.items()):
            return False
    return True


def _fits(value: JsonValue, column: Column) -> bool:
    """A cell that is not JSON gives a text back that is not empty, or the number or flag of its field."""
    if column.data or column.field in (*NUMBERS, *FLAGS):
        return True
    return isinstance(value, str) and value != ""


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
