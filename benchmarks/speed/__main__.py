"""Measures the speed of Prompt Gate and prints one table; `make bench`.

    python -m benchmarks.speed                   every row; medians of three
    python -m benchmarks.speed start calls       only these groups of rows
    python -m benchmarks.speed --quick           smaller sizes, once
    python -m benchmarks.speed large --rounds 3  100,000 samples, which are measured once if nothing is given

Ours / limit: 1 or less meets the goal. For another tool the limit is its own time for the same job, in the same run.
A fast model server runs on the same cores. `make bench-peers` installs the other tools into .cache/peers.
"""

import argparse
import os
import platform
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
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


Group = Callable[[Plan], list[Row]]


def groups() -> dict[str, Group]:
    """The groups of rows, in the order of the table."""
    # They import this module.
    from benchmarks import speed_files, speed_peers, speed_runs, speed_start

    return {
        "start": speed_start.start,
        "end": speed_runs.end,
        "run": speed_runs.run,
        "peers": speed_peers.peers,
        "calls": speed_runs.calls,
        "large": speed_runs.large,
        "image": speed_files.image,
        "page": speed_files.page,
    }


def headline(plan: Plan, words: Sequence[str]) -> str:
    """Command, date and machine."""
    command = " ".join(("python -m benchmarks.speed", *words))
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    load = f"load {os.getloadavg()[0]:.1f} at the start"
    rounds = "measured once" if plan.rounds == 1 else f"medians of {plan.rounds}"
    return f"`{command}`, {datetime.now(UTC):%Y-%m-%d}: {machine}, {load}, {rounds}"


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


def main() -> None:
    """Measure and print."""
    known = groups()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="GROUP", help=f"{', '.join(known)}; all if none is given")
    parser.add_argument("--quick", action="store_true", help="smaller sizes, once")
    parser.add_argument("--rounds", type=int, help="how often each row is measured")
    parser.add_argument("--markdown", action="store_true", help="print the table for docs/performance.md")
    options = parser.parse_args()
    if unknown := set(options.rows) - set(known):
        parser.error(f"no group of rows is named {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    chosen = options.rows or known
    rows: list[Row] = []
    notes: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        plan = Plan(options.quick, options.rounds, Path(folder), notes.append)
        head = headline(plan, [word for word in sys.argv[1:] if word != "--markdown"])
        for name in [name for name in known if name in chosen]:
            print(f"{name} …", file=sys.stderr, flush=True)
            try:
                rows += known[name](plan)
            except SystemExit as failed:
                notes.append(f"{name} failed: {failed}")
    print_table(rows, head, notes, markdown=options.markdown)


if __name__ == "__main__":
    main()
