"""What a run costs that finds its answers: after a kill, after a push that changes one prompt, after one that does not.

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
"""Share of the calls of the first push that the second may make."""


@dataclass(frozen=True, slots=True)
class Again:
    """One run that finds answers.

    Args:
        name: what happened before.
        spent: by this run.
        asked: answers that it asked for.
        most: how many it may ask for.
    """

    name: str
    spent: Spent
    asked: int
    most: int


def pushes(root: Path, load: Load) -> list[Again]:
    """A first run, the same again, and one with another candidate."""
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
    """Killed when half of the answers were given, then started again; only what was in flight may be asked twice."""
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
    for column in ("run", "wall s", "CPU s", "asked", "at most", "met"):
        table.add_column(column, justify="left" if column in ("run", "met") else "right")
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        rows = [*pushes(Path(one), load), resumed(Path(other), load)]
    for row in rows:
        figures = (f"{row.spent.wall_s:.2f}", f"{row.spent.cpu_s:.2f}", f"{row.asked:,}", f"{row.most:,}")
        table.add_row(row.name, *figures, "yes" if row.asked <= row.most else "no")
    Console(width=150 if not sys.stdout.isatty() else None).print(table)


if __name__ == "__main__":
    main()
