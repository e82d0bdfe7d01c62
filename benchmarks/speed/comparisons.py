"""The rows about whole comparisons against the model server."""

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.speed.processes import IN_FLIGHT, Spent, compare, environment, ledger, serving, spend, write_inputs
from benchmarks.speed.rows import Plan, Row, median

CODES = (0, 1, 3)
"""Every verdict: two equally good prompts can differ by chance, and a few cases can be too few."""
END_S, LARGE_END_S = 0.3, 2.0
WALL = 1.05
"""Highest accepted time of the calls / ceil(calls / in flight) x latency."""
MEMORY_MIB = 150.0
PUSH, EARLY = 0.6, 0.75
"""Highest accepted shares of calls."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One comparison.

    Args:
        spent: the cost of the gate's process.
        first, last: monotonic times of the first request and of the last answer.
    """

    spent: Spent
    first: float
    last: float

    @property
    def calls_s(self) -> float:
        return self.last - self.first

    @property
    def end_s(self) -> float:
        return self.spent.ended - self.last


def compared(plan: Plan, cases: int, samples: int, latency_ms: float, model: str = "openai:m") -> Compared:
    """Run `gate diff` with new files and a new server. Early stopping is off.

    Raises:
        SystemExit: a call was not answered, or answered twice.
    """
    _warmed_up(plan, model)
    return compared_once(plan.fresh(), cases, samples, latency_ms, model)


@cache
def _warmed_up(plan: Plan, model: str) -> None:
    """Let Python compile what it has not compiled yet."""
    compared_once(plan.fresh(), 4, 1, 0, model)


def compared_once(folder: Path, cases: int, samples: int, latency_ms: float, model: str) -> Compared:
    """One comparison in this folder, whether Python has compiled its files or not."""
    write_inputs(folder, cases)
    with serving("--latency-ms", f"{latency_ms:g}") as url:
        spent = spend(compare(samples, "--no-early-stop", model=model), folder, environment(folder, url), CODES)
        counts = ledger(url)
    if counts["answered"] != 2 * cases * samples:
        raise SystemExit(f"{counts['answered']:,} of {2 * cases * samples:,} calls were answered")
    return Compared(spent, counts["began"], counts["ended"])


def end(plan: Plan) -> list[Row]:
    """From the last answer to the exit, reports written."""
    cases = 100 if plan.quick else 1_000
    runs = [compared(plan, cases, 3, 20) for _ in range(plan.rounds)]
    return [Row(f"end: {6 * cases:,} samples of {cases:,} cases", _end(runs), END_S)]


def _end(runs: list[Compared]) -> float:
    return median(run.end_s for run in runs)


def run(plan: Plan) -> list[Row]:
    """Calls of 1 s: the time between the first request and the last answer, and the lowest possible one."""
    cases, samples = (100, 1) if plan.quick else (500, 2)
    runs = [compared(plan, cases, samples, 1_000) for _ in range(plan.rounds)]
    calls = 2 * cases * samples
    lowest = math.ceil(calls / IN_FLIGHT) * 1.0
    name = f"{calls:,} calls of 1 s, without start and end; {WALL:g} x {lowest:g} s"
    return [
        Row(name, median(one.calls_s for one in runs), WALL * lowest, cpu_s=median(one.spent.cpu_s for one in runs))
    ]


def large(plan: Plan) -> list[Row]:
    """100,000 samples of 1,000 cases; measured once, because it takes minutes."""
    cases, samples = 100 if plan.quick else 1_000, 50
    runs = [compared(plan, cases, samples, 0) for _ in range(plan.given or 1)]
    once = ", once" if len(runs) < plan.rounds else ""
    size = f"{2 * cases * samples:,} samples of {cases:,} cases{once}"
    memory, cpu = (median(getattr(one.spent, name) for one in runs) for name in ("rss_mib", "cpu_s"))
    wall = median(one.spent.wall_s for one in runs)
    return [
        Row(f"end: {size}", _end(runs), LARGE_END_S),
        Row(f"peak memory: {size}", memory, MEMORY_MIB, "MiB"),
        Row(f"run: {size}, no latency", wall, None, cpu_s=cpu),
    ]


def calls(plan: Plan) -> list[Row]:
    """Calls that saved answers and early stopping avoid."""
    cases, many = 100, 200
    pushes = [_pushes(plan, cases) for _ in range(plan.rounds)]
    again, changed = (median(counts[at] for counts in pushes) for at in (0, 1))
    early = median(_early(plan, many, number) for number in range(plan.rounds))
    return [
        Row("calls: the same prompts again", again, 0, "calls"),
        Row(f"calls: a second push, {PUSH:.0%} of {6 * cases:,}", changed, PUSH * 6 * cases, "calls"),
        Row(f"calls: early stopping, k = 5, {EARLY:.0%} of {10 * many:,}", early, EARLY * 10 * many, "calls"),
    ]


def _pushes(plan: Plan, cases: int) -> tuple[int, int]:
    """Calls of a run that repeats the first one, and of a run with another candidate."""
    folder = plan.fresh()
    write_inputs(folder, cases)
    counts = [0]
    with serving() as url:
        for candidate in ("Answer well.", "Answer well.", "Answer as well as you can."):
            (folder / "b.md").write_text(f"{candidate} quality=0.9")
            spend(compare(3, "--no-early-stop"), folder, environment(folder, url), CODES)
            counts.append(ledger(url)["answered"])
    return counts[2] - counts[1], counts[3] - counts[2]


def _early(plan: Plan, cases: int, number: int) -> int:
    """Calls of a comparison of two equally good prompts that may stop early. The number changes the answers."""
    folder = plan.fresh()
    write_inputs(folder, cases)
    (folder / "b.md").write_text(f"Answer well, please. ({number}) quality=0.9")
    with serving() as url:
        spend(compare(5), folder, environment(folder, url), CODES)
        return int(ledger(url)["answered"])
