"""What the columns of a table of cases mean.

| heading | is |
|---|---|
| a field of a case (`id`, `input`, `expected`, …), or one of its other words | that field |
| `slice:NAME` | the dimension of that name |
| `vars.NAME`, and any other heading | the variable of that name |
| `…:json` | the same, its cells written in JSON |
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gate.domain.jsonvalue import JsonValue
from gate.inputs.jsontext import BadJson, parse_json
from gate.inputs.problems import Problems, quoted
from gate.inputs.sheets.table import Record, Table

TEXTS = ("id", "input", "expected", "description", "slice", "cluster", "criteria")
NUMBERS = ("threshold",)
FLAGS = ("obsolete",)
DATA = ("messages", "scorers", "extra_scorers", "slices", "vars")
"""Fields that are always written in JSON."""
FIELDS = (*TEXTS, *NUMBERS, *FLAGS, *DATA)
SLICE, VARS, JSON = "slice:", "vars.", ":json"

_OTHERS: Mapping[str, str] = {
    **dict.fromkeys(("question", "prompt", "query", "user input", "user message", "message", "utterance",
                     "frage", "pregunta", "domanda"), "input"),
    **dict.fromkeys(
        ("answer", "expected answer", "expected output", "expected response", "ideal", "ideal answer", "target",
         "label", "output", "reference", "reference answer", "ground truth", "correct answer",
         "antwort", "erwartete antwort", "réponse", "respuesta", "risposta"),
        "expected",
    ),
    **dict.fromkeys(("case id", "test id", "nr", "no", "no.", "#"), "id"),
    **dict.fromkeys(("notes", "note", "comment"), "description"),
}  # fmt: skip
"""What people head such columns with, where no column has the field's own name."""
_TRUE = frozenset({"true", "yes", "1", "x"})
_FALSE = frozenset({"false", "no", "0"})
_DECIMAL_COMMA = re.compile(r"-?[0-9]*,[0-9]+")


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Args:
        heading: as it stands there.
        field: of the case; `slices` or `vars` for one of their entries.
        key: of that entry; empty for a whole field.
        data: its cells are JSON.
    """

    heading: str
    field: str
    key: str = ""
    data: bool = False

    @property
    def meaning(self) -> str:
        """As a report says it."""
        return f"{self.field}.{self.key}" if self.key else self.field


def columns_of(headings: Iterable[str]) -> tuple[Column, ...]:
    """What each heading means; two may mean the same, which is a mistake of the table."""
    found = [heading for heading in headings if heading]
    own = {_plain(heading) for heading in found}
    taken: set[str] = set()
    columns: list[Column] = []
    for heading in found:
        column = _column(heading, own, taken)
        taken.add(column.meaning)
        columns.append(column)
    return tuple(columns)


def cases_of(table: Table, problems: Problems) -> Iterator[tuple[Record, dict[str, JsonValue]]]:
    """Each row with the case that it stands for; without an `id` it is called after its position, `row-1`.

    Args:
        table: with headings.
        problems: gets every mistake, with line and column.
    """
    columns = columns_of(table.headings)
    seen: dict[str, str] = {}
    for column in columns:
        if column.meaning in seen:
            both = f"{quoted(seen[column.meaning])} and {quoted(column.heading)}"
            problems.add(table.line, f"the columns {both} both are {column.meaning}", "rename one of them")
        seen[column.meaning] = column.heading
    problems.check()
    for number, record in enumerate(table.records(problems), start=1):
        yield record, _case(record, columns, number, problems)


def _plain(heading: str) -> str:
    return " ".join(heading.lower().replace("_", " ").split())


def _column(heading: str, own: set[str], taken: set[str]) -> Column:
    name, data = heading, False
    if heading.lower().endswith(JSON) and len(heading) > len(JSON):
        name, data = heading[: -len(JSON)], True
    word = _plain(name)
    field = word.replace(" ", "_")
    if field in FIELDS and field not in taken:
        return Column(heading, field, data=data or field in DATA)
    for start, whole in ((SLICE, "slices"), (VARS, "vars")):
        if name.lower().startswith(start) and name[len(start) :].strip():
            return Column(heading, whole, name[len(start) :].strip(), data)
    other = _OTHERS.get(word, "")
    if other and other not in own and f"{other}{JSON}" not in own and other not in taken:
        return Column(heading, other, data=data)
    return Column(heading, "vars", name, data)


def _case(record: Record, columns: tuple[Column, ...], number: int, problems: Problems) -> dict[str, JsonValue]:
    case: dict[str, JsonValue] = {"id": f"row-{number}"}
    for column in columns:
        cell = record.cells.get(column.heading)
        if cell is None:
            continue
        value = _value(cell, column, record.line, problems)
        if not column.key:
            case[column.field] = value
            continue
        inner = case.setdefault(column.field, {})
        if isinstance(inner, dict):
            inner[column.key] = value
    return case


def _value(cell: str, column: Column, line: int, problems: Problems) -> JsonValue:
    if column.data:
        try:
            return parse_json(cell)
        except BadJson as error:
            problems.add(line, f"column {quoted(column.heading)}: {error.message}", "its cells are JSON")
            return None
    if column.field in NUMBERS:
        return _number(cell, column, line, problems)
    if column.field in FLAGS:
        word = cell.strip().lower()
        if word not in _TRUE | _FALSE:
            problems.add(line, f"column {quoted(column.heading)} must be yes or no, not {quoted(cell)}")
        return word in _TRUE
    labels = column.field in ("id", "slice", "cluster", "slices")
    return cell.strip() if labels else cell


def _number(cell: str, column: Column, line: int, problems: Problems) -> JsonValue:
    text = cell.strip()
    share = 100 if text.endswith("%") else 1  # as a spreadsheet saves a cell that it shows as a percentage
    text = text.removesuffix("%").rstrip()
    if _DECIMAL_COMMA.fullmatch(text):
        text = text.replace(",", ".")
    try:
        if text.isascii() and text.isdigit() and len(text) < 20 and share == 1:
            return int(text)
        return float(text) / share
    except ValueError:
        problems.add(line, f"column {quoted(column.heading)} must be a number, not {quoted(cell)}")
        return None
