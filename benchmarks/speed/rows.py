"""The rows of the table of speed, how much is measured for them, and how the table is printed."""

import statistics
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table.

    Args:
        name: what is measured.
        ours: our figure.
        limit: the figure that ours is compared with; None for a row without a goal.
        unit: of both: "s", "MiB", "MB" or "calls".
        peer: whose figure the limit is; empty for a goal.
        cpu_s: CPU seconds of our process; None where it says nothing.
        stopped: the peer was stopped at the limit, so that its figure is larger.
    """

    name: str
    ours: float
    limit: float | None
    unit: str = "s"
    peer: str = ""
    cpu_s: float | None = None
    stopped: bool = False

    @property
    def met(self) -> bool | None:
        """None without a goal."""
        return None if self.limit is None else self.ours <= self.limit

    def cells(self) -> tuple[str, str, str, str, str, str]:
        """The texts of the line, ratio first."""
        ratio = "" if self.limit is None else self._ratio(self.limit)
        peer = f" {self.peer}" if self.peer else ""
        limit = "" if self.limit is None else f"{'> ' if self.stopped else ''}{shown(self.limit, self.unit)}{peer}"
        met = {True: "yes", False: "**no**", None: ""}[self.met]
        cpu = "" if self.cpu_s is None else f"{self.cpu_s:.2f} s"
        return ratio, self.name, shown(self.ours, self.unit), limit, met, cpu

    def _ratio(self, limit: float) -> str:
        if limit:
            return f"{'< ' if self.stopped else ''}{self.ours / limit:.2f}"
        return "0.00" if not self.ours else "inf"


COLUMNS = ("ratio", "row", "ours", "limit or peer", "met", "CPU")


def shown(value: float, unit: str) -> str:
    """A figure with its unit."""
    return f"{value:,.0f} {unit}" if unit in ("calls", "MiB") else f"{value:,.2f} {unit}"


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured.

    Args:
        quick: smaller sizes.
        given: rounds from the command line; None for the usual number.
        folder: for the files of all measurements.
        note: says what has no row.
    """

    quick: bool
    given: int | None
    folder: Path
    note: Callable[[str], None]

    @property
    def rounds(self) -> int:
        return self.given or (1 if self.quick else 3)

    def fresh(self) -> Path:
        """An empty folder."""
        return Path(tempfile.mkdtemp(dir=self.folder))


def median(values: Iterable[float]) -> float:
    """The median of the rounds."""
    return statistics.median(values)


def print_table(rows: Sequence[Row], head: str, notes: Sequence[str], *, markdown: bool) -> None:
    """Print the table, for a terminal or for docs/performance.md."""
    if markdown:
        print(f"{head}.\n\n|{'|'.join(COLUMNS)}|\n|{'---|' * len(COLUMNS)}")
        for row in rows:
            print(f"|{'|'.join(row.cells())}|")
        print("".join(f"\n- {note}" for note in notes))
        return
    table = Table(title=head.replace("`", ""), title_justify="left")
    for name in COLUMNS:
        table.add_column(name, justify="right" if name in ("ratio", "ours", "CPU") else "left")
    for row in rows:
        table.add_row(*(cell.strip("*") for cell in row.cells()))
    console = Console(width=150 if not sys.stdout.isatty() else None, highlight=False, markup=False)
    console.print(table)
    for note in notes:
        console.print(note)
