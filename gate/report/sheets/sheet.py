"""What a sheet consists of: a first line, remarks, tables, notes."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

_FIGURE = re.compile(r"[-+\u2212\u00b1~<$\[]*\d|\u2013?$")
"""How a cell begins that holds a figure, or none."""

Tone: TypeAlias = Literal["", "good", "doubtful", "bad", "dim"]


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence that must be seen, more or less urgently."""

    text: str
    tone: Tone = "doubtful"


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a table.

    Args:
        cells: as many as the head has.
        tone: of the last cell.
    """

    cells: tuple[str, ...]
    tone: Tone = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """One table.

    Args:
        title: above it.
        head: column names.
        lines: rows.
        below: sentences under it.
        wraps: a first column that has no room goes on in the next line, and is cut short otherwise.
        items: a list, in place of a table or under it.
    """

    title: str
    head: tuple[str, ...]
    lines: tuple[Line, ...]
    below: tuple[str, ...] = ()
    wraps: bool = False
    items: tuple[str, ...] = ()

    @property
    def right(self) -> tuple[bool, ...]:
        """For each column, whether it is aligned to the right: it has a name, and figures mostly."""
        columns = list(zip(*(line.cells for line in self.lines), strict=True))[1:]
        figures = (2 * sum(bool(_FIGURE.match(cell)) for cell in cells) > len(cells) for cells in columns)
        return (False, *(bool(name) and found for name, found in zip(self.head[1:], figures, strict=True)))


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Text to be copied as it stands.

    Args:
        title: above it, one sentence.
        text: of several lines.
        language: of the text, in our own word.
    """

    title: str
    text: str
    language: str = "text"


@dataclass(frozen=True, slots=True)
class Sheet:
    """All of it.

    Args:
        headline: the first line.
        remarks: the urgent ones first.
        grids: tables.
        notes: behind the tables.
        blocks: at the end.
    """

    headline: str
    remarks: tuple[Remark, ...]
    grids: tuple[Grid, ...]
    notes: tuple[str, ...] = ()
    blocks: tuple[CodeBlock, ...] = ()
