"""What a plan or a calibration consists of on paper: a first line, remarks, tables, notes.

Strings are text, not markup: each renderer makes them harmless in its own way.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

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
        head: column names; all but the first and the last are aligned to the right.
        lines: rows.
        below: sentences under it.
    """

    title: str
    head: tuple[str, ...]
    lines: tuple[Line, ...]
    below: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
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
    blocks: tuple[Block, ...] = ()
