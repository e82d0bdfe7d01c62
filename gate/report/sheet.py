"""What every table below the main one consists of, and the sheets and sections made of such tables."""

from collections.abc import Set
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from gate.record.findings.finding import Text

Tone: TypeAlias = Literal["", "good", "doubtful", "bad", "dim"]


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence that must be seen, more or less urgently."""

    text: str
    tone: Tone = "doubtful"


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of a list: a label, and what there is to say.

    Args:
        suite: in front of the label, in a run over several.
        named: the label begins with a name, which no renderer changes.
    """

    label: str
    text: Text
    suite: str = ""
    named: bool = False

    @property
    def heading(self) -> str:
        """The label as a line begins, or behind its suite."""
        if self.suite:
            return f"{self.suite}: {self.label}"
        return self.label if self.named else self.label[:1].upper() + self.label[1:]


Item: TypeAlias = str | Text | Fact


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Args:
        figures: it is aligned to the right, and no cell in it wraps.
        label: what stands before a cell where a row is one line.
    """

    name: str
    figures: bool = False
    label: str = ""


def text_columns(*names: str) -> tuple[Column, ...]:
    """Columns of text."""
    return tuple(Column(name) for name in names)


def figure_columns(*names: str) -> tuple[Column, ...]:
    """Columns of figures."""
    return tuple(Column(name, figures=True) for name in names)


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One row of a table.

    Args:
        tone: of its last cell.
        suite: whose row it is, in a table over several.
    """

    cells: tuple[str, ...]
    tone: Tone = ""
    suite: str = ""


@dataclass(frozen=True, slots=True)
class SheetTable:
    """One table, or a list.

    Args:
        wraps: a first column without enough room wraps; otherwise it is cut.
        items: a list below the rows.
        more: rows that are only in the record.
    """

    title: str
    head: tuple[Column, ...]
    lines: tuple[SheetRow, ...]
    below: tuple[str, ...] = ()
    wraps: bool = False
    items: tuple[Item, ...] = ()
    more: int = 0

    def shortened(self, rows: int) -> "SheetTable":
        """The same with the first rows only."""
        return replace(self, lines=self.lines[:rows], more=self.more + len(self.lines[rows:]))

    def without(self, suites: Set[str]) -> "SheetTable":
        """The same without rows and items of these suites."""
        return replace(
            self,
            lines=tuple(line for line in self.lines if line.suite not in suites),
            items=tuple(item for item in self.items if not isinstance(item, Fact) or item.suite not in suites),
        )


@dataclass(frozen=True, slots=True)
class Section:
    """Tables of a report under one heading, below the main table.

    Args:
        title: names in it are marked as such.
        brief: what it shows, in one line; may be empty.
        missing: what a report says that has no room for it: `the scorers of {}`, and what is counted.
        suite: whose results these are; empty in a run over one suite, and where it is about all.
    """

    title: Text
    brief: Text
    tables: tuple[SheetTable, ...]
    missing: tuple[str, str]
    suite: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Text to copy.

    Args:
        language: for Markdown; not escaped.
    """

    title: str
    text: str
    language: str = "text"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A whole sheet, in the order in which it is shown; the urgent remarks come first."""

    headline: str
    remarks: tuple[Remark, ...]
    grids: tuple[SheetTable, ...]
    notes: tuple[str, ...] = ()
    blocks: tuple[CodeBlock, ...] = ()
