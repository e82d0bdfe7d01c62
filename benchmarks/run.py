"""Times whole processes of the command line and prints a table; part of `make bench`."""

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.support.github_server import GitHubServer
from tests.support.pull_request import Kind, PullRequestWorld

ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Timing:
    """One command, run several times.

    Args:
        name: what it does.
        wall: seconds of each round, including start-up.
        cpu: CPU seconds of each round.
        goal: the goal in words.
        limit_s: the goal in seconds.
        by_cpu: the goal is about CPU time.
    """

    name: str
    wall: tuple[float, ...]
    cpu: tuple[float, ...]
    goal: str
    limit_s: float
    by_cpu: bool = False

    @property
    def met(self) -> bool:
        return statistics.median(self.cpu if self.by_cpu else self.wall) <= self.limit_s


def timed(command: Sequence[str], cwd: Path, env: dict[str, str]) -> tuple[float, float]:
    """Wall and CPU seconds of one run of a command."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, cwd=cwd, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def repeated(name: str, command: Sequence[str], where: tuple[Path, dict[str, str]], goal: tuple[str, float]) -> Timing:
    """Run the command once to warm up, then run the rounds that count."""
    timed(command, *where)
    rounds = [timed(command, *where) for _ in range(ROUNDS)]
    words, limit = goal
    return Timing(name, tuple(r[0] for r in rounds), tuple(r[1] for r in rounds), words, limit, "CPU" in words)


def measure(root: Path) -> list[Timing]:
    """The cost of the command's start-up."""
    env = {key: os.environ[key] for key in ("PATH", "LD_LIBRARY_PATH") if key in os.environ} | {"HOME": str(root)}
    command = [sys.executable, "-m", "gate", "--help"]
    return [repeated("gate --help", command, (root, env), ("0.15 s of CPU", 0.15))]


def skipped(root: Path) -> list[Timing]:
    """A pull request that changes no prompt, in a repository with 10,000 cases; GitHub is a local test server."""
    rows = "".join(json.dumps({"id": f"c{i}", "input": f"question {i}", "expected": "x"}) + "\n" for i in range(10_000))
    suite = "suites: [{name: s, prompt: p.md, cases: cases.jsonl, model: 'openai:m', scorers: [exact]}]\n"
    files = {"gate.yaml": f"version: 1\n{suite}", "p.md": "Answer.\n", "cases.jsonl": rows, "README.md": "one\n"}
    out = []
    root.mkdir(parents=True, exist_ok=True)
    with GitHubServer() as server:
        request = PullRequestWorld.make(root, server, files).open({"README.md": "two\n"})
        kinds: tuple[tuple[str, Kind], ...] = (("a checkout of the merge commit", "merge"), ("no checkout", "none"))
        for name, kind in kinds:
            checkout = request.checkout(kind, depth=2)
            env = request.environment(checkout)
            command = [sys.executable, "-m", "gate", "action"]
            out.append(repeated(f"gate action, SKIPPED, {name}", command, (checkout, env), ("2 s", 2.0)))
    return out


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        timings = [*measure(Path(folder)), *skipped(Path(folder) / "github")]
    table = Table(
        title=f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}", title_justify="left"
    )
    for column in ("command", "wall s (min / median / max)", "CPU s (median)", "goal", "met"):
        table.add_column(column)
    for timing in timings:
        wall = " / ".join(
            f"{value:.2f}" for value in (min(timing.wall), statistics.median(timing.wall), max(timing.wall))
        )
        cpu = f"{statistics.median(timing.cpu):.2f}"
        table.add_row(timing.name, wall, cpu, timing.goal, "yes" if timing.met else "no")
    Console(width=150 if not sys.stdout.isatty() else None).print(table)


if __name__ == "__main__":
    main()
