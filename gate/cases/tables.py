"""Reads and writes tables (RFC 4180) as spreadsheets save them: separators, byte order mark, multi-line cells."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import StringIO

from gate.config.documents import BadJson, Problems, one_problem, parse_json, quoted
from gate.values import JsonValue

COLUMNS = 500
"""Columns of one table."""
CELL_CHARS = 131_072
"""One cell: the limit of Python's own reader, four times a spreadsheet's."""
SEPARATORS = (",", ";", "\t", "|")

_NAMED = re.compile(r'"?sep=(.)"?[,;\t|]*\r?\n', re.IGNORECASE)
"""As Excel reads it, and as other programs save that line again."""
_FORMULA = re.compile(r"'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
"""Full-width signs begin a formula, too, where a spreadsheet is set to Japanese or Chinese."""
_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)*%?")


@dataclass(frozen=True, slots=True)
class Record:
    """One non-empty row.

    Args:
        cells: by heading; without empty ones, and without the apostrophe before a formula.
    """

    line: int
    end: int
    cells: dict[str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its headings.

    Args:
        headings: in order; a last one without text is empty.
    """

    headings: tuple[str, ...]
    separator: str
    line: int
    text: str
    file: str

    def records(self, problems: Problems) -> Iterator[Record]:
        """The rows; stops at an error after which nothing can be read."""
        for line, end, cells in _rows(self.text, self.separator, self.file):
            if line <= self.line or not any(cells):
                continue
            more = [cell for cell in cells[len(self.headings) :] if cell]
            if more:
                problems.add(line, *self._too_long(len(cells)))
                continue
            named = zip(self.headings, cells, strict=False)
            found_cells = {heading: cell for heading, cell in named if cell}
            if "" in found_cells:
                at = self.headings.index("") + 1
                problems.add(
                    line, f"column {at} has no heading, but contains {quoted(found_cells[''])}", "add a heading"
                )
                continue
            yield Record(line, end, {heading: unguarded(cell) for heading, cell in found_cells.items()})

    def _too_long(self, cells: int) -> tuple[str, str]:
        named = sum(1 for heading in self.headings if heading)
        message = f"the row has {cells} cells, and the headings are {named}"
        if named == 1:
            # A title above the table is the most frequent reason.
            return message, f"line {self.line} was read as the headings: delete the lines above them"
        return message, "put a cell that holds the separator or a quote into quotes"


def read_table(text: str, file: str) -> Table | None:
    """Read a table; None if the text is empty.

    Args:
        file: the ending `.tsv` means tabs; else the headings decide the separator.
    """
    named = _NAMED.match(text)
    separator = named[1] if named else _separator(text, file)
    for line, _, cells in _rows(text, separator, file):
        if named and line == 1:
            continue
        if any(cell.strip() for cell in cells):
            return Table(_headings(cells, line, file), separator, line, text, file)
    return None


def is_promptfoo(headings: Iterable[str]) -> bool:
    """Do the headings belong to a promptfoo table?"""
    return any(heading.startswith(("__expected", "__metadata:", "__config:")) for heading in headings)


def guarded(text: str) -> str:
    """The text, with an apostrophe in front if a spreadsheet would read it as a formula."""
    return f"'{text}" if _is_formula(text) else text


def unguarded(text: str) -> str:
    """The reverse of `guarded`."""
    return text[1:] if text.startswith("'") and _is_formula(text[1:]) else text


def row_of(cells: list[str], separator: str = ",") -> str:
    """The text of one row, with its line break."""
    return separator.join(_quoted(cell, separator) for cell in cells) + "\n"


def _quoted(cell: str, separator: str) -> str:
    quoted = any(sign in cell for sign in (separator, '"', "\r", "\n")) or cell != cell.strip()
    return '"' + cell.replace('"', '""') + '"' if quoted else cell


def _is_formula(text: str) -> bool:
    return bool(_FORMULA.match(text)) and not _NUMBER.fullmatch(text)


def _separator(text: str, file: str) -> str:
    if file.lower().endswith(".tsv"):
        return "\t"
    head = text.lstrip("\r\n")[:CELL_CHARS].split("\n", 1)[0]
    bare = re.sub(r'"[^"]*"', "", head)
    return max(SEPARATORS, key=bare.count)


def _headings(cells: list[str], line: int, file: str) -> tuple[str, ...]:
    problems = Problems(file)
    headings = [cell.strip() for cell in cells]
    while headings and not headings[-1]:
        headings.pop()
    if len(headings) > COLUMNS:
        message = f"has {len(headings):,} columns; the limit is {COLUMNS}"
        raise one_problem(file, line, message, "delete columns that cases do not need")
    seen: dict[str, int] = {}
    for at, heading in enumerate(headings, start=1):
        if heading and heading in seen:
            problems.add(
                line, f"columns {seen[heading]} and {at} have the same heading {quoted(heading)}", "rename one"
            )
        seen.setdefault(heading, at)
    problems.check()
    return (*headings, "") if len(cells) > len(headings) and "" not in headings else tuple(headings)


def _rows(text: str, separator: str, file: str) -> Iterator[tuple[int, int, list[str]]]:
    """First line, last line and cells of each row, including empty rows."""
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
    before = 0
    try:
        for cells in reader:
            yield before + 1, reader.line_num, cells
            before = reader.line_num
    except csv.Error as error:
        raise one_problem(file, before + 1, *_row_error(str(error))) from None


def _row_error(said: str) -> tuple[str, str]:
    """Message and hint for an error in the row that begins here."""
    if "field larger" in said:
        message = f"a cell of this row is longer than {CELL_CHARS:,} characters"
        return message, "close the quotes of each cell, or keep such cases in a .jsonl file"
    if "unexpected end of data" in said:
        return "a cell of this row opens quotes that are never closed", "close them, and write a quote inside as two"
    if "expected after" in said:
        return "a cell of this row has a quote in the middle", "write a quote inside quotes as two of them"
    return f"the row cannot be read: {said}", "save the table as CSV again"


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
         "label", "output", "reference", "reference answer", "ground truth", "truth", "correct answer", "correct",
         "gold", "gold answer", "golden", "golden answer", "solution", "erwartet", "esperado", "attendu", "atteso",
         "antwort", "erwartete antwort", "réponse", "respuesta", "risposta"),
        "expected",
    ),
    **dict.fromkeys(("case id", "test id", "nr", "no", "no.", "#"), "id"),
    **dict.fromkeys(("notes", "note", "comment"), "description"),
}  # fmt: skip
"""Other common headings, used where no column has the field's own name."""
_TRUE = frozenset({"true", "yes", "1", "x"})
_FALSE = frozenset({"false", "no", "0"})
_DECIMAL_COMMA = re.compile(r"-?[0-9]*,[0-9]+")


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Args:
        field: field of the case; `slices` or `vars` for one of their entries.
        key: of that entry; empty for a whole field.
        data: cells contain JSON.
    """

    heading: str
    field: str
    key: str = ""
    data: bool = False

    @property
    def meaning(self) -> str:
        """Description for reports."""
        return f"{self.field}.{self.key}" if self.key else self.field


def columns_of(headings: Iterable[str]) -> tuple[Column, ...]:
    """The meaning of each heading; two with the same meaning are an error that `cases_of` reports."""
    found = [heading for heading in headings if heading]
    own = {_plain(heading) for heading in found}
    return tuple(_column(heading, own) for heading in found)


def cases_of(table: Table, problems: Problems) -> Iterator[tuple[Record, dict[str, JsonValue]]]:
    """Each row with its case; without an `id` it gets the name `row-1` of its position."""
    columns = columns_of(table.headings)
    seen: dict[str, str] = {}
    for column in columns:
        if column.meaning in seen:
            both = f"{quoted(seen[column.meaning])} and {quoted(column.heading)}"
            problems.add(table.line, f"the columns {both} both mean {column.meaning}", _choice(column))
        seen[column.meaning] = column.heading
    problems.check()
    for number, record in enumerate(table.records(problems), start=1):
        yield record, _case(record, columns, number, problems)


def _choice(column: Column) -> str:
    """How to say which of two columns counts."""
    if column.key or _plain(column.heading).removesuffix(JSON) == column.field:
        return "rename one of them"
    return f"name the one that counts '{column.field}'; the other is then a variable"


def _plain(heading: str) -> str:
    return " ".join(heading.lower().replace("_", " ").split())


def _column(heading: str, own: set[str]) -> Column:
    name, data = heading, False
    if heading.lower().endswith(JSON) and len(heading) > len(JSON):
        name, data = heading[: -len(JSON)], True
    word = _plain(name)
    field = word.replace(" ", "_")
    if field in FIELDS:
        return Column(heading, field, data=data or field in DATA)
    for start, whole in ((SLICE, "slices"), (VARS, "vars")):
        if name.lower().startswith(start) and name[len(start) :].strip():
            return Column(heading, whole, name[len(start) :].strip(), data)
    other = _OTHERS.get(word, "")
    if other and other not in own and f"{other}{JSON}" not in own:
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


def json_cell(cell: str, column: Column, line: int, problems: Problems) -> JsonValue:
    """The value of a cell in JSON; None, with a problem, where it is no JSON."""
    try:
        return parse_json(cell)
    except BadJson as error:
        problems.add(line, f"column {quoted(column.heading)}: {error.message}", "its cells are JSON")
        return None


def _value(cell: str, column: Column, line: int, problems: Problems) -> JsonValue:
    if column.data:
        return json_cell(cell, column, line, problems)
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
    share = 100 if text.endswith("%") else 1  # spreadsheets save percentages this way
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
