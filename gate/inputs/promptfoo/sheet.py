"""Tests of promptfoo in a table: its columns begin with two underscores, and all others are variables.

https://www.promptfoo.dev/docs/configuration/test-cases/
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from gate.config.documents import Document
from gate.domain.jsonvalue import JsonValue
from gate.inputs.problems import Problems
from gate.inputs.promptfoo.assertions import from_text
from gate.inputs.promptfoo.context import Context, value_at, values
from gate.inputs.sheets.table import Record, Table

_EXPECTED = re.compile(r"__expected(\d*)")
_CONFIG = re.compile(r"__config:__expected(\d*):threshold")
_METADATA = "__metadata:"
_METRIC = "__metric"
_COMMA = re.compile(r"(?<!\\),")
_LEFT_OUT = ("__prefix", "__suffix", "__providerOutput")


def is_sheet(headings: Iterable[str]) -> bool:
    """Is a table with these headings one of promptfoo's?"""
    return any(heading.startswith(("__expected", "__metadata:", "__config:")) for heading in headings)


def tests_of(table: Table, context: Context, problems: Problems) -> list[Document]:
    """Each row as the test that a configuration would hold.

    Args:
        table: with headings.
        context: hears of columns that have no equal.
        problems: gets mistakes of the table itself.
    """
    for heading in table.headings:
        if heading in _LEFT_OUT:
            context.tell.add(table.line, f"the column {heading} is left out", "put its text into the prompt")
    return [_test(record, context) for record in table.records(problems)]


@dataclass(slots=True)
class _Parts:
    """What the cells of one row give."""

    line: int
    context: Context
    variables: dict[str, JsonValue] = field(default_factory=dict)
    asserts: dict[int, dict[str, JsonValue]] = field(default_factory=dict)
    thresholds: dict[int, float] = field(default_factory=dict)
    metadata: dict[str, JsonValue] = field(default_factory=dict)
    entries: dict[str, JsonValue] = field(default_factory=dict)

    def take(self, heading: str, cell: str) -> None:
        """One cell."""
        if not heading.startswith("__"):
            self.variables[heading] = cell
        elif found := _EXPECTED.fullmatch(heading):
            self.asserts[int(found[1] or 1)] = values(from_text(cell, self.line))
        elif found := _CONFIG.fullmatch(heading):
            if (number := self.number(cell, heading)) is not None:
                self.thresholds[int(found[1] or 1)] = number
        elif heading.startswith(_METADATA):
            name = heading.removeprefix(_METADATA)
            value: JsonValue = list(_items(cell)) if name.endswith("[]") else cell
            self.metadata[name.removesuffix("[]")] = value
        elif heading == "__description":
            self.entries["description"] = cell
        elif heading == "__threshold":
            if (number := self.number(cell, heading)) is not None:
                self.entries["threshold"] = number
        elif heading not in (*_LEFT_OUT, _METRIC):
            self.context.tell.add(self.line, f"the column {heading} is not known, and is left out")

    def number(self, cell: str, heading: str) -> float | None:
        """Its number; None, and a loss, where it is none."""
        try:
            return float(cell.strip())
        except ValueError:
            self.context.tell.add(self.line, f"{heading} is no number, and is left out")
            return None


def _test(record: Record, context: Context) -> Document:
    parts = _Parts(record.line, context)
    for heading, cell in record.cells.items():
        parts.take(heading, cell)
    metric = record.cells.get(_METRIC, "").strip()
    for at, row in parts.asserts.items():
        if at in parts.thresholds:
            row["threshold"] = parts.thresholds[at]
        if metric:
            row["metric"] = metric
    entries: dict[str, JsonValue] = {"vars": parts.variables, **parts.entries}
    entries["assert"] = list(parts.asserts.values())
    if parts.metadata:
        entries["metadata"] = parts.metadata
    return value_at(entries, record.line)


def _items(cell: str) -> list[str]:
    return [part.replace("\\,", ",").strip() for part in _COMMA.split(cell)]
