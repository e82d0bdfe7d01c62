"""Runs whole comparisons against a local server and compares their time with the lowest possible time.

    python -m benchmarks.engine            600, 6,000 and 60,000 calls
    python -m benchmarks.engine --quick    600 and 6,000

The limit is ceil(calls / in flight) x latency: the time of an engine without any cost of its own. CPU and memory are
those of the measured process only. The server runs on the same cores, and the table shows its CPU in its own column.
`benchmarks.wire` shows how much of the CPU the SDK takes.
"""

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

IN_FLIGHT = 64
SAMPLES = 3
MEMORY_GOAL_MIB = 200.0
FINE = frozenset({0, 1})
"""Exit codes of a verdict. Two equally good prompts can differ by chance."""


@dataclass(frozen=True, slots=True)
class Load:
    """One comparison to be measured.

    Args:
        provider: `openai` or `anthropic`.
        cases, samples: per arm; two arms.
        latency_s: of each reply.
        ratio: the highest accepted wall clock / limit; None if start-up takes longer than the calls.
    """

    provider: str
    cases: int
    latency_s: float
    ratio: float | None
    samples: int = SAMPLES

    @property
    def calls(self) -> int:
        return 2 * self.cases * self.samples

    @property
    def limit_s(self) -> float:
        return math.ceil(self.calls / IN_FLIGHT) * self.latency_s


@dataclass(frozen=True, slots=True)
class Spent:
    """The cost of one process: wall clock and CPU in seconds, and peak memory."""

    wall_s: float
    cpu_s: float
    rss_mib: float


@dataclass(frozen=True, slots=True)
class Measured:
    """One comparison, measured.

    Args:
        load: the comparison.
        spent: the cost of the gate's process.
        server_ms: CPU of the server per call, in milliseconds.
        answered: answers that the server sent.
    """

    load: Load
    spent: Spent
    server_ms: float
    answered: int

    @property
    def ratio(self) -> float:
        return self.spent.wall_s / self.load.limit_s

    @property
    def cpu_ms(self) -> float:
        return 1000.0 * self.spent.cpu_s / self.load.calls

    def missed(self) -> list[str]:
        """The goals that were not met."""
        goals = {
            "wall": self.load.ratio is None or self.ratio <= self.load.ratio,
            "memory": self.spent.rss_mib <= MEMORY_GOAL_MIB,
            "every call answered once": self.answered == self.load.calls,
        }
        return [name for name, met in goals.items() if not met]


def loads(*, quick: bool) -> tuple[Load, ...]:
    """The comparisons to measure. The last two show whether memory grows with cases or with samples."""
    short = (
        Load("openai", 100, 0.1, None),
        Load("openai", 1_000, 0.1, 1.25),
        Load("anthropic", 1_000, 0.1, 1.25),
    )
    return short if quick else (*short, Load("openai", 10_000, 0.02, 2.5), Load("openai", 1_000, 0.02, 2.5, 30))


def spend(words: Sequence[str], cwd: Path, env: dict[str, str]) -> Spent:
    """Run a command to its end.

    Raises:
        SystemExit: the command failed; its output is printed.
    """
    with tempfile.TemporaryFile("w+") as said:
        started = time.perf_counter()
        process = subprocess.Popen(words, cwd=cwd, env=env, stdout=said, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in FINE:
            said.seek(0)
            raise SystemExit(f"{' '.join(words)} ended with {process.returncode}:\n{said.read()}")
    return Spent(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024.0)


@contextmanager
def serving(*options: str) -> Iterator[str]:
    """Run the server in its own process; yields its address."""
    command = [sys.executable, "-m", "benchmarks.server", *options]
    with subprocess.Popen(command, cwd=Path(__file__).parents[1], stdout=subprocess.PIPE, text=True) as server:
        try:
            yield server.stdout.readline().strip() if server.stdout else ""
        finally:
            server.terminate()


def ledger(url: str) -> dict[str, Any]:
    """The server's counts of requests, and its CPU time."""
    with urllib.request.urlopen(f"{url}/ledger", timeout=10) as reply:
        told: dict[str, Any] = json.load(reply)
    return told


def write_inputs(root: Path, cases: int) -> None:
    """Write two equally good prompts, and cases with two slice dimensions."""
    tiers, languages = ("free", "pro"), ("de", "en", "fr")
    (root / "a.md").write_text("Answer. quality=0.9")
    (root / "b.md").write_text("Answer well. quality=0.9")
    with (root / "cases.jsonl").open("w") as file:
        for i in range(cases):
            slices = {"tier": tiers[i % 2], "lang": languages[i % 3]}
            text = f"slice={slices['tier']} answer=word{i}"
            file.write(json.dumps({"id": f"c{i}", "input": text, "expected": f"word{i}", "slices": slices}) + "\n")


def measure(load: Load, root: Path) -> Measured:
    """Measure one comparison from the command line, including start-up and scoring."""
    write_inputs(root, load.cases)
    with serving("--latency-ms", f"{load.latency_s * 1000:g}") as url:
        spent = spend(command(load), root, environment(root, url))
        told = ledger(url)
    return Measured(load, spent, 1000.0 * told["cpu_s"] / load.calls, told["answered"])


def command(load: Load) -> list[str]:
    """The comparison from the command line."""
    files = ["a.md", "b.md", "--cases", "cases.jsonl"]
    how = [
        "--model",
        f"{load.provider}:m",
        "--samples",
        str(load.samples),
        "--quiet",
        "--no-early-stop",
    ]
    return [sys.executable, "-m", "gate", "diff", *files, *how]


def environment(root: Path, url: str) -> dict[str, str]:
    """A clean environment in which the interpreter imports the package from this repository."""
    kept = {key: os.environ[key] for key in ("PATH", "LD_LIBRARY_PATH") if key in os.environ}
    keys = {"OPENAI_API_KEY": "none", "ANTHROPIC_API_KEY": "none", "PYTHONPATH": str(Path(__file__).parents[1])}
    keys["GATE_CONCURRENCY"] = str(IN_FLIGHT)
    return kept | keys | {"HOME": str(root), "OPENAI_BASE_URL": f"{url}/v1", "ANTHROPIC_BASE_URL": url}


def table(rows: Sequence[Measured], title: str) -> Table:
    """One line for each comparison."""
    out = Table(title=title, title_justify="left")
    for column in ("comparison", "wall s", "limit s", "ratio", "CPU ms/call", "server ms/call", "peak MiB", "goal met"):
        out.add_column(column, justify="left" if column in ("comparison", "goal met") else "right")
    for row in rows:
        load = row.load
        name = f"{load.calls:,} calls, {load.provider}, {load.cases:,} cases x {load.samples}, {load.latency_s:g} s"
        goal = "no goal" if load.ratio is None else f"ratio {load.ratio:g}"
        missed = row.missed()
        out.add_row(
            name,
            f"{row.spent.wall_s:.2f}",
            f"{load.limit_s:.2f}",
            f"{row.ratio:.2f}",
            f"{row.cpu_ms:.2f}",
            f"{row.server_ms:.3f}",
            f"{row.spent.rss_mib:.0f}",
            f"{goal}: {'yes' if not missed else 'no: ' + ', '.join(missed)}",
        )
    return out


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="600 and 6,000 calls only")
    options = parser.parse_args()
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    title = f"{machine}, load {os.getloadavg()[0]:.2f} at the start, {IN_FLIGHT} in flight"
    rows = []
    for load in loads(quick=options.quick):
        with tempfile.TemporaryDirectory() as folder:
            rows.append(measure(load, Path(folder)))
    Console(width=150 if not sys.stdout.isatty() else None).print(table(rows, title))


if __name__ == "__main__":
    main()
