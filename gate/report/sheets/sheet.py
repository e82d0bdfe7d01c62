"""What a sheet consists of: a first line, remarks, tables, notes."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

_FIGURE = re.compile(r"[-+\u2212\u00b1~<$\[]*\d|\u2013?$")
"""The beginning of a cell that holds a figure, or none."""

Tone: TypeAlias = Literal["", "good", "doubtful", "bad", "dim"]


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence that must be seen, more or less urgently."""

    text: str
    tone: Tone = "doubtful"


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One row of a table."""

    cells: tuple[str, ...]
    tone: Tone = ""


@dataclass(frozen=True, slots=True)
class SheetTable:
    """One table.

    Args:
        wraps: a first column without enough room wraps; otherwise it is cut.
    """

    title: str
    head: tuple[str, ...]
    lines: tuple[SheetRow, ...]
    below: tuple[str, ...] = ()
    wraps: bool = False
    items: tuple[str, ...] = ()

    @property
    def right(self) -> tuple[bool, ...]:
        """For each column, whether it is aligned to the right: it has a name, and mostly figures."""
        columns = list(zip(*(line.cells for line in self.lines), strict=True))[1:]
        figures = (2 * sum(bool(_FIGURE.match(cell)) for cell in cells) > len(cells) for cells in columns)
        return (False, *(bool(name) and found for name, found in zip(self.head[1:], figures, strict=True)))


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
