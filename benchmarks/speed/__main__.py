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
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.speed import comparisons, image_and_report, peer_tools, startup
from benchmarks.speed.rows import Plan, Row, print_table

GROUPS: Mapping[str, Callable[[Plan], list[Row]]] = {
    "start": startup.start,
    "end": comparisons.end,
    "run": comparisons.run,
    "peers": peer_tools.peers,
    "calls": comparisons.calls,
    "large": comparisons.large,
    "image": image_and_report.image,
    "page": image_and_report.page,
}
"""The groups of rows, in the order of the table."""


def headline(plan: Plan, words: Sequence[str]) -> str:
    """Command, date and machine."""
    command = " ".join(("python -m benchmarks.speed", *words))
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    load = f"load {os.getloadavg()[0]:.1f} at the start"
    rounds = "measured once" if plan.rounds == 1 else f"medians of {plan.rounds}"
    return f"`{command}`, {datetime.now(UTC):%Y-%m-%d}: {machine}, {load}, {rounds}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rows", nargs="*", metavar="GROUP", help=f"{', '.join(GROUPS)}; all if none is given")
    parser.add_argument("--quick", action="store_true", help="smaller sizes, once")
    parser.add_argument("--rounds", type=int, help="how often each row is measured")
    parser.add_argument("--markdown", action="store_true", help="print the table for docs/performance.md")
    options = parser.parse_args()
    if unknown := set(options.rows) - set(GROUPS):
        parser.error(f"no group of rows is named {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}")
    chosen = options.rows or GROUPS
    rows: list[Row] = []
    notes: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        plan = Plan(options.quick, options.rounds, Path(folder), notes.append)
        head = headline(plan, [word for word in sys.argv[1:] if word != "--markdown"])
        for name in [name for name in GROUPS if name in chosen]:
            print(f"{name} …", file=sys.stderr, flush=True)
            try:
                rows += GROUPS[name](plan)
            except SystemExit as failed:
                notes.append(f"{name} failed: {failed}")
    print_table(rows, head, notes, markdown=options.markdown)


if __name__ == "__main__":
    main()
