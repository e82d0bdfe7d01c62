"""Simulates pull requests whose effect is known, and prints whether the guarantees G1 to G8 hold.

The table compares the joint test with the familiar rule, a percentile bootstrap of each slice. The exit code is 1 if a
rate misses its limit by more than three Monte Carlo standard errors. docs/statistics.md defines the regimes R1a to R8.
"""

import argparse
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from rich.console import Console
from rich.progress import track

from benchmarks.statistics.simulation.decision_rules import Familiar, Joint
from benchmarks.statistics.simulation.guarantees import Cell, all_cells
from benchmarks.statistics.simulation.planned_power import Outcome, Plan, all_plans, predict_and_find
from benchmarks.statistics.simulation.rates import rate_of
from benchmarks.statistics.simulation.result_tables import Result, plans, promises

_Job = TypeVar("_Job")
_Done = TypeVar("_Done")


@dataclass(frozen=True, slots=True)
class Effort:
    """The size of the simulation.

    Args:
        one, many: pull requests per cell with one slice, and with several slices.
        share: share of these for the familiar rule, which is slow and has large rates.
        flips: sign flips of the joint test, which is exact at any number.
        resamples: bootstrap resamples of the familiar rule.
    """

    one: int
    many: int
    share: float
    flips: int
    resamples: int

    def runs(self, slices: int) -> int:
        return self.one if slices == 1 else self.many


FULL = Effort(one=2000, many=800, share=0.4, flips=999, resamples=1000)
QUICK = Effort(one=400, many=150, share=0.4, flips=399, resamples=500)


def simulate(effort: Effort, seed: int, cell: Cell) -> Result:
    """Simulate one row of the table of guarantees."""
    runs = effort.runs(cell.layout.slices)
    ours = rate_of(cell, Joint(effort.flips), runs, seed)
    familiar = rate_of(cell, Familiar(effort.resamples), max(1, round(runs * effort.share)), seed)
    return Result(cell, ours, familiar)


def plan(effort: Effort, seed: int, planned: Plan) -> Outcome:
    """Simulate one row of the planning table."""
    runs = effort.runs(planned.layout.slices) // 2
    return predict_and_find(planned, Joint(effort.flips), max(1, runs), seed)


def main(
    argv: Sequence[str] | None = None, cells: Sequence[Cell] | None = None, planned: Sequence[Plan] | None = None
) -> int:
    """Simulate and print; exit code 1 if a guarantee is broken.

    Args:
        argv: options; None means those of the command line.
        cells, planned: the rows to simulate; None means all rows, or those of the quick run.
    """
    options = parser().parse_args(argv)
    effort = QUICK if options.quick else FULL
    effort = replace(
        effort, one=max(1, round(effort.one * options.scale)), many=max(1, round(effort.many * options.scale))
    )
    if cells is None:
        cells = [cell for cell in all_cells() if cell.quick or not options.quick]
    if planned is None:
        planned = [entry for entry in all_plans() if entry.quick or not options.quick]
    # One BLAS thread per worker; a spawned worker reads this before it imports numpy.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("spawn")) as pool:
        results = _all(pool, partial(simulate, effort, options.seed), cells, "guarantees")
        outcomes = _all(pool, partial(plan, effort, options.seed), planned, "planning")
    console = Console(width=None if sys.stdout.isatty() else 140)
    for sheet in (promises(results), plans(outcomes)):
        if options.markdown:
            print(sheet.as_markdown(), end="\n\n")
        else:
            console.print(sheet.for_terminal())
    broken = sum(not row.held for row in results) + sum(not row.held for row in outcomes)
    print(f"{effort.one} pull requests per row with one slice, {effort.many} with several; half as many for planning.")
    near, nearer = (sum(abs(row.off_by) <= points for row in outcomes) for points in (0.10, 0.05))
    print(f"Planned power: {nearer} of {len(outcomes)} rows within five points of the simulation, {near} within ten.")
    rows = len(results) + len(outcomes)
    print(f"{broken} of {rows} rows are broken: they miss the limit by more than three standard errors.")
    return 1 if broken else 0


def _all(pool: ProcessPoolExecutor, work: Callable[[_Job], _Done], jobs: Sequence[_Job], name: str) -> Sequence[_Done]:
    done: Iterable[_Done] = pool.map(work, jobs)
    return list(track(done, name, len(jobs), console=Console(stderr=True), disable=not sys.stderr.isatty()))


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.statistics.error_rates", description=__doc__)
    options.add_argument("--quick", action="store_true", help="fewer cells and runs: under two minutes on two cores")
    options.add_argument("--scale", type=float, default=1.0, help="multiply the pull requests per row by this")
    options.add_argument("--seed", type=int, default=1, help="seed of the random numbers")
    options.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of processes")
    options.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    return options


if __name__ == "__main__":
    sys.exit(main())
