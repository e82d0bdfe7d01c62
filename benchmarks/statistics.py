"""Measures time and peak memory of the statistics. Each job runs in its own process on one core."""

import argparse
import inspect
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from gate.stats.intervals import percentile
from gate.stats.maxt import joint_test
from gate.stats.sequential import Look, Plan, sequential_test

K = 3
"""Samples per case and arm."""


@dataclass(frozen=True, slots=True)
class Job:
    """One computation on generated binary scores.

    Args:
        prepare: creates the data and returns the function to time, or None if the installed version lacks it.
        limit_s: the goal in seconds, or None.
        limit_mib: the goal for the process's peak memory, or None.
    """

    name: str
    prepare: Callable[[], Callable[[], object] | None]
    rounds: int = 3
    limit_s: float | None = None
    limit_mib: float | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """The measurements of one process.

    Args:
        seconds: wall clock of each round, without imports and data.
    """

    seconds: tuple[float, ...]
    peak_mib: float

    def meets(self, job: Job) -> bool:
        """Whether the median time and the peak memory meet the job's goals."""
        slow = job.limit_s is not None and statistics.median(self.seconds) > job.limit_s
        fat = job.limit_mib is not None and self.peak_mib > job.limit_mib
        return not (slow or fat)


def _scores(cases: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Binary samples of both arms, float[cases, K] each, with the same pass rate."""
    rng = np.random.default_rng(1)
    chance = rng.beta(8, 2, (cases, 1))
    baseline, candidate = ((rng.random((cases, K)) < chance).astype(np.float64) for _ in range(2))
    return baseline, candidate


def _deltas(cases: int) -> NDArray[np.float64]:
    baseline, candidate = _scores(cases)
    return _difference(baseline, candidate)


def _difference(baseline: NDArray[np.float64], candidate: NDArray[np.float64]) -> NDArray[np.float64]:
    deltas: NDArray[np.float64] = candidate.mean(axis=1) - baseline.mean(axis=1)
    return deltas


def _slices(cases: int, count: int) -> dict[str, NDArray[np.intp]]:
    """All cases, and overlapping random halves of them."""
    rng = np.random.default_rng(2)
    halves = {f"slice={i}": np.flatnonzero(rng.random(cases) < 0.5) for i in range(1, count)}
    return {"overall": np.arange(cases), **halves}


def _joint(cases: int, count: int) -> Callable[[], object]:
    deltas, slices = _deltas(cases), _slices(cases, count)
    return lambda: joint_test(deltas, slices)


def _breakage(cases: int, count: int) -> Callable[[], object] | None:
    if "samples" not in inspect.signature(joint_test).parameters:
        return None
    samples, slices = _scores(cases), _slices(cases, count)
    channel: dict[str, Any] = {"samples": samples}
    deltas = _difference(*samples)
    return lambda: joint_test(deltas, slices, **channel)


def _looks(cases: int, count: int, looks: int) -> Callable[[], object]:
    """All looks of a run with early stopping."""
    rng, slices = np.random.default_rng(1), _slices(cases, count)
    single = rng.choice([-1.0, 0.0, 1.0], (looks, cases), p=[0.15, 0.7, 0.15])
    means = np.cumsum(single, axis=0) / np.arange(1, looks + 1)[:, None]
    seen = [Look(row, slices) for row in means]
    return lambda: sequential_test(seen, Plan(looks, watched=frozenset({"overall"})))


def _familiar(cases: int, resamples: int) -> Callable[[], object]:
    deltas = _deltas(cases)
    return lambda: percentile(deltas, resamples=resamples)


JOBS = (
    Job("joint test, 1,000 cases, 20 slices", lambda: _joint(1_000, 20), 9, 0.05),
    Job("joint test, 100,000 cases, 20 slices", lambda: _joint(100_000, 20), 3, 3.0, 300),
    Job("  with the breakage channel", lambda: _breakage(100_000, 20), 3, 6.0, 300),
    Job("five looks, 1,000 cases, 20 slices", lambda: _looks(1_000, 20, 5), 5, 1.0, 150),
    Job("five looks, 10,000 cases, 20 slices", lambda: _looks(10_000, 20, 5), 3, 5.0, 200),
    Job("joint test, 200 cases, 10,000 slices", lambda: _joint(200, 10_000), 3, None, 300),
    Job("percentile bootstrap, 100,000 cases, 10,000 resamples", lambda: _familiar(100_000, 10_000), 9, 0.1),
)


def measure(job: Job) -> Measured | None:
    """Run one job in this process.

    Returns:
        None if the installed version lacks it.
    """
    work = job.prepare()
    if work is None:
        return None
    seconds = []
    for _ in range(job.rounds):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    # On Linux a child starts with its parent's peak memory, so the parent imports nothing that the child does not.
    return Measured(tuple(seconds), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def apart(number: int) -> Measured | None:
    """Run one of `JOBS` in its own process, with numpy on one thread."""
    command = [sys.executable, "-m", "benchmarks.statistics", str(number)]
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        command, cwd=Path(__file__).parents[1], env=env, stdout=subprocess.PIPE, text=True, check=True
    )
    found = json.loads(done.stdout)
    return None if found is None else Measured(tuple(found["seconds"]), found["peak_mib"])


def table(results: list[tuple[Job, Measured | None]]) -> Table:
    """One row for each job."""
    out = Table(title=f"One of {os.cpu_count()} cores, numpy {np.__version__}, Python {platform.python_version()}")
    for column in ("statistics", "time (min / median / max)", "peak memory", "goal", "met"):
        out.add_column(column)
    for job, measured in results:
        out.add_row(job.name, *_cells(job, measured))
    return out


def _cells(job: Job, measured: Measured | None) -> tuple[str, str, str, str]:
    limits = [] if job.limit_s is None else [_time(job.limit_s)]
    limits += [] if job.limit_mib is None else [f"{job.limit_mib:.0f} MiB"]
    goal = ", ".join(limits)
    if measured is None:
        return "not available", "", goal, ""
    times = (min(measured.seconds), statistics.median(measured.seconds), max(measured.seconds))
    shown = " / ".join(_time(seconds) for seconds in times)
    return shown, f"{measured.peak_mib:.0f} MiB", goal, "yes" if measured.meets(job) else "no"


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def main() -> None:
    """Measure every job in its own process; with a number, measure only that job here and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "job", nargs="?", type=int, choices=range(len(JOBS)), help="measure only this job, in this process"
    )
    job = parser.parse_args().job
    if job is not None:
        measured = measure(JOBS[job])
        print(json.dumps(None if measured is None else asdict(measured)))
        return
    results = [(job, apart(number)) for number, job in enumerate(JOBS)]
    Console(width=150 if not sys.stdout.isatty() else None).print(table(results))


if __name__ == "__main__":
    main()
