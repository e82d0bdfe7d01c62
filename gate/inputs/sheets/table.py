"""Tables as text, RFC 4180 and what spreadsheets make of it: separators, byte order mark, cells of several lines."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO

from gate.inputs.problems import Problems, one_problem, quoted

ENDINGS = (".csv", ".tsv")
COLUMNS = 500
"""Columns of one table."""
CELL_CHARS = 131_072
"""One cell: what Python's own reader takes, four times what a spreadsheet's does."""
SEPARATORS = (",", ";", "\t", "|")

_NAMED = re.compile(r'"?sep=(.)"?[,;\t|]*\r?\n', re.IGNORECASE)
"""As Excel reads it, and as other programs save that line again."""
_FORMULA = re.compile(r"'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
"""Full-width signs begin a formula, too, where a spreadsheet is set to Japanese or Chinese."""
_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)*%?")


@dataclass(frozen=True, slots=True)
class Record:
    """One row that is not empty.

    Args:
        line: 1-based line on which it begins.
        end: the last one.
        cells: by heading; empty ones are left out, and the apostrophe in front of what looks like a formula.
    """

    line: int
    end: int
    cells: dict[str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose headings are known.

    Args:
        headings: of the columns, in their order; one without a heading, at the end, is empty.
        separator: between cells.
        line: of the headings.
        text: all of it.
        file: its path, for messages.
    """

    headings: tuple[str, ...]
    separator: str
    line: int
    text: str
    file: str

    def records(self, problems: Problems) -> Iterator[Record]:
        """The rows, in their order; a mistake after which nothing can be read is the last.

        Args:
            problems: gets every mistake with its line.
        """
        reader = _Lines(self.text, self.separator, self.file)
        for line, end, cells in reader.rows():
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
                problems.add(line, f"column {at} has no heading, and holds {quoted(found_cells[''])}", "name it")
                continue
            yield Record(line, end, {heading: unguarded(cell) for heading, cell in found_cells.items()})

    def _too_long(self, cells: int) -> tuple[str, str]:
        named = sum(1 for heading in self.headings if heading)
        message = f"the row has {cells} cells, and the headings are {named}"
        if named == 1:
            # A title above the table is the most frequent reason.
            return message, f"line {self.line} is taken for the headings: take away what stands above them"
        return message, "put a cell that holds the separator or a quote into quotes"


def read_table(text: str, file: str) -> Table | None:
    """The table that a text is; None where it holds nothing.

    Args:
        text: without a byte order mark.
        file: its path; the ending `.tsv` says that tabs separate, otherwise the headings tell.

    Raises:
        InputErrors: headings that cannot be used.
    """
    named = _NAMED.match(text)
    separator = named[1] if named else _separator(text, file)
    for line, _, cells in _Lines(text, separator, file).rows():
        if named and line == 1:
            continue
        if any(cell.strip() for cell in cells):
            return Table(_headings(cells, line, file), separator, line, text, file)
    return None


def guarded(text: str) -> str:
    """The text with an apostrophe in front where a spreadsheet would take it for a formula."""
    return f"'{text}" if _is_formula(text) else text


def unguarded(text: str) -> str:
    """What `guarded` was given."""
    return text[1:] if text.startswith("'") and _is_formula(text[1:]) else text


def row_of(cells: list[str], separator: str = ",") -> str:
    """One row, with its line break."""
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
        message = f"has {len(headings):,} columns, and {COLUMNS} are the most"
        raise one_problem(file, line, message, "keep the columns that cases need")
    seen: dict[str, int] = {}
    for at, heading in enumerate(headings, start=1):
        if heading and heading in seen:
            problems.add(
                line, f"columns {seen[heading]} and {at} have the same heading {quoted(heading)}", "rename one"
            )
        seen.setdefault(heading, at)
    problems.check()
    return (*headings, "") if len(cells) > len(headings) and "" not in headings else tuple(headings)


class _Lines:
    """Rows with the lines that they stand on."""

    def __init__(self, text: str, separator: str, file: str) -> None:
        self._text, self._separator, self._file = text, separator, file

    def rows(self) -> Iterator[tuple[int, int, list[str]]]:
        """First line, last line and cells of each row, empty ones too."""
        reader = csv.reader(StringIO(self._text, newline=""), delimiter=self._separator, strict=True)
        before = 0
        try:
            for cells in reader:
                yield before + 1, reader.line_num, cells
                before = reader.line_num
        except csv.Error as error:
            raise one_problem(self._file, before + 1, *_mistake(str(error))) from None


def _mistake(said: str) -> tuple[str, str]:
    """What is wrong with the row that begins here, and what to do."""
    if "field larger" in said:
        message = f"a cell of this row is longer than {CELL_CHARS:,} characters"
        return message, "close the quotes of each cell, or keep such cases in a .jsonl file"
    if "unexpected end of data" in said:
        return "a cell of this row opens quotes that are never closed", "close them, and write a quote inside as two"
    if "expected after" in said:
        return "a quote stands in the middle of a cell of this row", "write a quote inside quotes as two of them"
    return f"the row cannot be read: {said}", "save the table as CSV once more"
