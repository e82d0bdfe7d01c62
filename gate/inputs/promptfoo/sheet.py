"""Tests of promptfoo in a table: its columns begin with two underscores, and all others are variables.

https://www.promptfoo.dev/docs/configuration/test-cases/
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gate.domain.jsonvalue import JsonValue
from gate.inputs.nodes import Node
from gate.inputs.problems import Problems
from gate.inputs.promptfoo.assertions import from_text
from gate.inputs.promptfoo.context import Context, node_of
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


def tests_of(table: Table, context: Context, problems: Problems) -> list[Node]:
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
    variables: dict[str, Node] = field(default_factory=dict)
    asserts: dict[int, dict[str, Node]] = field(default_factory=dict)
    thresholds: dict[int, float] = field(default_factory=dict)
    metadata: dict[str, Node] = field(default_factory=dict)
    entries: dict[str, Node] = field(default_factory=dict)

    def take(self, heading: str, cell: str) -> None:
        """One cell."""
        if not heading.startswith("__"):
            self.variables[heading] = Node(cell, self.line)
        elif found := _EXPECTED.fullmatch(heading):
            node = from_text(cell, self.line)
            self.asserts[int(found[1] or 1)] = dict(node.value) if isinstance(node.value, Mapping) else {}
        elif found := _CONFIG.fullmatch(heading):
            if (number := self.number(cell, heading)) is not None:
                self.thresholds[int(found[1] or 1)] = number
        elif heading.startswith(_METADATA):
            name = heading.removeprefix(_METADATA)
            value: JsonValue = list(_items(cell)) if name.endswith("[]") else cell
            self.metadata[name.removesuffix("[]")] = node_of(value, self.line)
        elif heading == "__description":
            self.entries["description"] = Node(cell, self.line)
        elif heading == "__threshold":
            if (number := self.number(cell, heading)) is not None:
                self.entries["threshold"] = Node(number, self.line)
        elif heading not in (*_LEFT_OUT, _METRIC):
            self.context.tell.add(self.line, f"the column {heading} is not known, and is left out")

    def number(self, cell: str, heading: str) -> float | None:
        """Its number; None, and a loss, where it is none."""
        try:
            return float(cell.strip())
        except ValueError:
            self.context.tell.add(self.line, f"{heading} is no number, and is left out")
            return None


def _test(record: Record, context: Context) -> Node:
    parts, line = _Parts(record.line, context), record.line
    for heading, cell in record.cells.items():
        parts.take(heading, cell)
    metric = record.cells.get(_METRIC, "").strip()
    for at, row in parts.asserts.items():
        if at in parts.thresholds:
            row["threshold"] = Node(parts.thresholds[at], line)
        if metric:
            row["metric"] = Node(metric, line)
    entries = {"vars": Node(parts.variables, line), **parts.entries}
    entries["assert"] = Node(tuple(Node(row, line) for row in parts.asserts.values()), line)
    if parts.metadata:
        entries["metadata"] = Node(parts.metadata, line)
    return Node(entries, line)


def _items(cell: str) -> list[str]:
    return [part.replace("\\,", ",").strip() for part in _COMMA.split(cell)]
