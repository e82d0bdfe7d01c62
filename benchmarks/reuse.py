"""Measures runs that reuse saved answers: after a kill, and after pushes with and without a changed prompt.

python -m benchmarks.reuse [--quick]
"""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.engine import IN_FLIGHT, Load, Spent, command, environment, ledger, serving, spend, write_inputs

FULL, QUICK = Load("openai", 1_000, 0.1, None), Load("openai", 100, 0.1, None)
PUSH_GOAL = 0.6
"""Share of the first push's calls that the second may make."""


@dataclass(frozen=True, slots=True)
class Again:
    """One run that reuses answers.

    Args:
        name: what happened before the run.
        spent: the cost of the run.
        asked: calls that it made.
        most: calls that it may make.
    """

    name: str
    spent: Spent
    asked: int
    most: int


def pushes(root: Path, load: Load) -> list[Again]:
    """A first run, a repeated run, and a run with another candidate."""
    write_inputs(root, load.cases)
    rows = []
    with serving("--latency-ms", f"{load.latency_s * 1000:g}") as url:
        names = (("first run", load.calls), ("nothing changed", 0), ("candidate changed", int(PUSH_GOAL * load.calls)))
        for name, most in names:
            if name == "candidate changed":
                (root / "b.md").write_text("Answer as well as you can. quality=0.9")
            before = ledger(url)["answered"]
            spent = spend(command(load), root, environment(root, url))
            rows.append(Again(name, spent, ledger(url)["answered"] - before, most))
    return rows


def resumed(root: Path, load: Load) -> Again:
    """Kill a run at half of its answers and start it again. Only calls in flight may be repeated."""
    write_inputs(root, load.cases)
    with serving("--latency-ms", f"{load.latency_s * 1000:g}") as url:
        env = environment(root, url)
        with subprocess.Popen(command(load), cwd=root, env=env, stdout=subprocess.DEVNULL) as first:
            while ledger(url)["answered"] < load.calls // 2 and first.poll() is None:
                time.sleep(0.05)
            first.kill()
        time.sleep(2 * load.latency_s)
        before = ledger(url)["answered"]
        spent = spend(command(load), root, env)
        asked = ledger(url)["answered"] - before
    return Again(f"killed after {before:,} answers", spent, asked, load.calls - before + 2 * IN_FLIGHT)


def main() -> None:
    """Measure and print."""
    load = QUICK if "--quick" in sys.argv else FULL
    title = f"{load.calls:,} calls of {load.latency_s:g} s, load {os.getloadavg()[0]:.2f} at the start"
    table = Table(title=title, title_justify="left")
    for column in ("run", "wall s", "CPU s", "calls", "at most", "met"):
        table.add_column(column, justify="left" if column in ("run", "met") else "right")
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        rows = [*pushes(Path(one), load), resumed(Path(other), load)]
    for row in rows:
        figures = (f"{row.spent.wall_s:.2f}", f"{row.spent.cpu_s:.2f}", f"{row.asked:,}", f"{row.most:,}")
        table.add_row(row.name, *figures, "yes" if row.asked <= row.most else "no")
    Console(width=150 if not sys.stdout.isatty() else None).print(table)


if __name__ == "__main__":
    main()
