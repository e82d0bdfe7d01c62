"""Starts the measured commands and the model server; every benchmark of speed uses it."""

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.paths import ROOT

GATE = (str(Path(sys.executable).with_name("gate")),)
IN_FLIGHT = 64
VERDICTS = frozenset({0, 1})
"""Exit codes of a verdict. Two equally good prompts can differ by chance."""


@dataclass(frozen=True, slots=True)
class Spent:
    """The cost of one process.

    Args:
        began, ended: monotonic times of its start and its exit, in seconds.
        cpu_s: CPU seconds.
        rss_mib: peak memory.
    """

    began: float
    ended: float
    cpu_s: float
    rss_mib: float

    @property
    def wall_s(self) -> float:
        return self.ended - self.began


def spend(words: Sequence[str], cwd: Path, env: dict[str, str], codes: Collection[int] = VERDICTS) -> Spent:
    """Run a command to its end.

    Raises:
        SystemExit: the command ended with another exit code than these; its output is printed.
    """
    with tempfile.TemporaryFile("w+") as output:
        began = time.monotonic()
        process = subprocess.Popen(words, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        _, status, usage = os.wait4(process.pid, 0)
        ended = time.monotonic()
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in codes:
            output.seek(0)
            raise SystemExit(f"{' '.join(words)} ended with {process.returncode}:\n{output.read()}")
    return Spent(began, ended, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024.0)


@contextmanager
def serving(*options: str) -> Iterator[str]:
    """Run the server in its own process; yields its address."""
    command = [sys.executable, "-m", "benchmarks.speed.model_server", *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield server.stdout.readline().strip() if server.stdout else ""
        finally:
            server.terminate()


def ledger(url: str) -> dict[str, Any]:
    """The server's counts of requests, and its CPU time."""
    with urllib.request.urlopen(f"{url}/ledger", timeout=60) as reply:
        counts: dict[str, Any] = json.load(reply)
    return counts


def environment(home: Path, url: str = "http://127.0.0.1:9") -> dict[str, str]:
    """A clean environment in which all models are those of the server."""
    kept = {key: os.environ[key] for key in ("PATH", "LD_LIBRARY_PATH") if key in os.environ}
    keys = {"OPENAI_API_KEY": "none", "ANTHROPIC_API_KEY": "none", "PYTHONPATH": str(ROOT)}
    keys["GATE_CONCURRENCY"] = str(IN_FLIGHT)
    return kept | keys | {"HOME": str(home), "OPENAI_BASE_URL": f"{url}/v1", "ANTHROPIC_BASE_URL": url}


def write_inputs(root: Path, cases: int) -> None:
    """Write two equally good prompts, and cases with two slice dimensions and 20 slices."""
    (root / "a.md").write_text("Answer. quality=0.9")
    (root / "b.md").write_text("Answer well. quality=0.9")
    with (root / "cases.jsonl").open("w") as file:
        for i in range(cases):
            slices = {"team": f"t{i % 8}", "topic": f"s{i % 12}"}
            text = f"slice={slices['topic']} answer=word{i}"
            file.write(json.dumps({"id": f"c{i}", "input": text, "expected": f"word{i}", "slices": slices}) + "\n")


def compare(samples: int, *options: str, model: str = "openai:m") -> list[str]:
    """The command that compares the two prompts of `write_inputs`."""
    files = ["a.md", "b.md", "--cases", "cases.jsonl"]
    return [*GATE, "diff", *files, "--model", model, "--samples", str(samples), "--quiet", *options]
