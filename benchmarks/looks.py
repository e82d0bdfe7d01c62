"""Simulates the joint test with looks after each repeat of the cases, and prints what they cost and save.

Three rules judge the same pull requests: one test at the end; looks, where all cases go on until all slices are
settled; looks, where settled slices drop out. Each row is printed as soon as it is known. docs/statistics.md defines
the regimes R1a to R6. Exit code 1 when false blocks or HOLDs are beyond 2.5 % or 10 % by three standard errors.
"""

import argparse
import multiprocessing
import os
import sys
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.simulation.layouts import ONE, TAGS, TWELVE, Layout
from benchmarks.simulation.measure import Rate
from benchmarks.simulation.peeking import Outcome, Scene, SharedSigns, judged, trajectory
from gate.stats.course import Plan

REGIMES = ("R1a", "R1b", "R2", "R3", "R4", "R5", "R6")
BLOCKS, HOLDS = 0.025, 0.10


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is simulated.

    Args:
        unchanged: pull requests of a scene where nothing changed.
        changed: of a scene where something did.
        flips: of each test, whose level is exact at any number.
    """

    unchanged: int
    changed: int
    flips: int = 998

    def runs(self, scene: Scene) -> int:
        return self.changed if scene.fall else self.unchanged


FULL, QUICK = Effort(1000, 200), Effort(150, 60)


def unchanged(quick: bool) -> Iterator[Scene]:
    """Nothing changed."""
    for k, sizes in ((3, (30, 60, 100)), (4, (60,))):
        for layout in (TWELVE, TAGS, ONE):
            for regime in ("R1a", "R3", "R4") if quick else REGIMES:
                for n in (60,) if quick else sizes:
                    yield Scene(regime, layout, n, k)


def changed(quick: bool) -> Iterator[Scene]:
    """A fall of all cases, of one slice of twelve, and a rise of all cases."""
    cases: Sequence[tuple[Layout, bool]] = ((ONE, True), (TAGS, True), (TWELVE, True), (TWELVE, False))
    for regime in ("R1a",) if quick else ("R1a", "R3", "R4"):
        for layout, everywhere in cases:
            for n in (60,) if quick else (30, 100):
                for fall in (0.10, 0.20, -0.10):
                    if fall > 0.0 or (everywhere and layout is not TWELVE):
                        yield Scene(regime, layout, n, 3, fall, everywhere)


def simulate(effort: Effort, seed: int, scene: Scene) -> tuple[Scene, list[list[Outcome]]]:
    """All outcomes of the three rules."""
    first = frozenset({"first"})
    rules = (Plan(1), Plan(scene.k, drop=False, watched=first), Plan(scene.k, watched=first))
    signs = SharedSigns.drawn(effort.flips, seed)
    found: list[list[Outcome]] = [[] for _ in rules]
    name = zlib.crc32(f"{scene.regime} {scene.layout.words} {scene.n} {scene.k}".encode())
    for run in range(effort.runs(scene)):
        rng = np.random.default_rng([seed, name, run])
        path = trajectory(scene, rng)
        signs.turn(rng)
        for rule, outcomes in zip(rules, found, strict=True):
            outcomes.append(judged(path, rule, signs))
    return scene, found


def unchanged_row(scene: Scene, found: list[list[Outcome]]) -> tuple[tuple[str, ...], bool]:
    """False blocks and HOLDs of each rule, and the calls."""
    blocks = [Rate(sum(one.blocks for one in rule), len(rule)) for rule in found]
    holds = [Rate(sum(one.holds for one in rule), len(rule)) for rule in found]
    held = all(one.holds(BLOCKS, True) for one in blocks[1:]) and all(one.holds(HOLDS, True) for one in holds[1:])
    where = (scene.regime, str(scene.n), scene.layout.words, str(scene.k))
    row = (*where, *map(_rate, blocks), *map(_rate, holds), *_calls(found), "yes" if held else "BROKEN")
    return row, held


def changed_row(scene: Scene, found: list[list[Outcome]]) -> tuple[str, ...]:
    """How often each rule shows the change in the first slice, or in any slice where all cases fell."""
    counted = "rises" if scene.fall < 0.0 else "blocks" if scene.everywhere else "finds"
    shown = [Rate(sum(getattr(one, counted) for one in rule), len(rule)) for rule in found]
    whom = "all cases" if scene.everywhere else "one slice"
    where = (scene.regime, str(scene.n), scene.layout.words, whom, f"{-scene.fall:+.2f}".replace("-", "−"))
    return (*where, *map(_rate, shown), *_calls(found))


def _calls(found: list[list[Outcome]]) -> list[str]:
    return [f"{100 * sum(one.calls for one in rule) / len(rule):.0f}" for rule in found[1:]]


def _rate(rate: Rate) -> str:
    return f"{100 * rate.value:.1f}"


UNCHANGED = (
    "regime", "n", "slices", "k", "blocks: one test, %", "looks", "dropping", "HOLDs: one test, %", "looks", "dropping",
    "calls: looks, %", "dropping", "held?",
)  # fmt: skip
CHANGED = (
    "regime", "n", "slices", "changed", "by", "shown: one test, %", "looks", "dropping", "calls: looks, %", "dropping",
)  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Run, print, and say by the exit code whether the promises held.

    Args:
        argv: options; None takes the command line's.
    """
    options = parser().parse_args(argv)
    effort = QUICK if options.quick else FULL
    scaled = [max(1, round(runs * options.scale)) for runs in (effort.unchanged, effort.changed)]
    effort = Effort(scaled[0], scaled[1], effort.flips)
    # Two workers with two BLAS threads each would fight for two cores; a spawned worker reads this before numpy.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    work, broken = partial(simulate, effort, options.seed), 0
    with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("spawn")) as pool:
        _line(UNCHANGED, rule=True)
        for scene, found in pool.map(work, unchanged(options.quick)):
            row, held = unchanged_row(scene, found)
            broken += not held
            _line(row)
        print()
        _line(CHANGED, rule=True)
        for scene, found in pool.map(work, changed(options.quick)):
            _line(changed_row(scene, found))
    runs = f"{effort.unchanged} pull requests a row where nothing changed, {effort.changed} elsewhere"
    print(f"\n{runs}, {effort.flips} flips; {broken} broken.")
    return 1 if broken else 0


def _line(cells: Sequence[str], *, rule: bool = False) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)
    if rule:
        print("|" + " --- |" * len(cells), flush=True)


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.looks", description=__doc__)
    options.add_argument("--quick", action="store_true", help="fewer rows and runs: about a minute on one core")
    options.add_argument("--scale", type=float, default=1.0, help="this many times the pull requests a row")
    options.add_argument("--seed", type=int, default=1, help="of everything that is drawn")
    options.add_argument("--jobs", type=int, default=1, help="processes")
    return options


if __name__ == "__main__":
    sys.exit(main())
