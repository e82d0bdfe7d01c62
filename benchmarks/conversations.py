"""Runs whole conversations against a local server and compares their time with the lowest possible time.

    python -m benchmarks.conversations [--quick]

The limit is conversations x turns x calls per turn x latency / in flight: the time of an engine without any cost of its
own. It is compared with the time from the first request to the last answer. "wall s" is the whole process, including
start, record and reports. CPU and memory are those of the gate's process only. The MCP server (over stdio) and the
model server run on the same cores.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.processes import GATE, Spent, environment, ledger, serving, spend

IN_FLIGHT = 32
TURNS = 4
LATENCY_S = 0.05
RATIO_GOAL = 1.5
MCP_SERVER = Path(__file__).parents[1] / "tests/support/mcp_servers/listings.py"
TOOL = "count"


@dataclass(frozen=True, slots=True)
class Load:
    """Conversations to measure.

    Args:
        conversations: how many, each of `TURNS` turns.
        tools: call a tool of an MCP server in each turn.
    """

    conversations: int
    tools: bool = False

    @property
    def calls(self) -> int:
        return self.conversations * TURNS * (2 if self.tools else 1)

    @property
    def limit_s(self) -> float:
        return self.calls * LATENCY_S / IN_FLIGHT

    @property
    def name(self) -> str:
        how = "a tool over stdio in each" if self.tools else "without tools"
        return f"{self.conversations:,} conversations of {TURNS} turns, {how}"


@dataclass(frozen=True, slots=True)
class Measured:
    """Measured conversations.

    Args:
        load: the conversations.
        spent: the cost of the gate's process.
        calls_s: seconds from the first request to the last answer.
        answered: answers that the model server sent.
    """

    load: Load
    spent: Spent
    calls_s: float
    answered: int

    @property
    def ratio(self) -> float:
        return self.calls_s / self.load.limit_s

    def missed(self) -> list[str]:
        """The goals that were not met."""
        goals = {"ratio": self.ratio <= RATIO_GOAL, "every call answered once": self.answered == self.load.calls}
        return [name for name, met in goals.items() if not met]


LOADS = (Load(200), Load(200, tools=True), Load(2_000), Load(2_000, tools=True))


def write_inputs(root: Path, load: Load) -> None:
    """Write a repository with a suite of conversations, with an MCP server if tools are called."""
    said = [f"Question {turn} of this conversation. answer=word" for turn in range(TURNS)]
    cases = [
        {"id": f"c{i}", "rounds": [{"prompt": f"{i}: {text}"} for text in said]} for i in range(load.conversations)
    ]
    suite: dict[str, object] = {
        "name": "talks",
        "prompt": "prompt.md",
        "cases": "cases.json",
        "model": "openai:m",
        "samples": 1,
        "scorers": [{"contains": {"value": "word"}}],
    }
    if load.tools:
        shutil.copy(MCP_SERVER, root)
        server = {"command": [sys.executable, MCP_SERVER.name]}
        suite["target"] = {"tools": {"servers": {"listings": server}, "only": [TOOL]}}
    (root / "prompt.md").write_text("Answer. quality=1.0")
    (root / "cases.json").write_text(json.dumps(cases))
    (root / "gate.yaml").write_text(json.dumps({"version": 1, "suites": [suite]}))
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)


def measure(load: Load, root: Path) -> Measured:
    """Measure one `gate check` from the command line."""
    write_inputs(root, load)
    command = [*GATE, "check", "--quiet"]
    with serving("--latency-ms", f"{LATENCY_S * 1000:g}") as url:
        spent = spend(command, root, environment(root, url) | {"GATE_CONCURRENCY": str(IN_FLIGHT)})
        told = ledger(url)
    return Measured(load, spent, told["ended"] - told["began"], told["answered"])


def table(rows: Sequence[Measured], title: str) -> Table:
    """One line for each."""
    out = Table(title=title, title_justify="left")
    for column in ("run", "wall s", "calls s", "limit s", "ratio", "CPU ms/call", "peak MiB", "goal met"):
        out.add_column(column, justify="left" if column in ("run", "goal met") else "right")
    for row in rows:
        figures = (row.spent.wall_s, row.calls_s, row.load.limit_s, row.ratio, 1000 * row.spent.cpu_s / row.load.calls)
        missed = row.missed()
        goal = f"ratio {RATIO_GOAL:g}: {'yes' if not missed else 'no: ' + ', '.join(missed)}"
        out.add_row(row.load.name, *(f"{one:.2f}" for one in figures), f"{row.spent.rss_mib:.0f}", goal)
    return out


def main() -> None:
    """Measure and print."""
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    title = f"{machine}, load {os.getloadavg()[0]:.2f} at the start, {IN_FLIGHT} in flight, {LATENCY_S:g} s a call"
    rows = []
    for load in LOADS[:2] if "--quick" in sys.argv else LOADS:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(measure(load, Path(folder)))
    Console(width=150 if not sys.stdout.isatty() else None).print(table(rows, title))


if __name__ == "__main__":
    main()
