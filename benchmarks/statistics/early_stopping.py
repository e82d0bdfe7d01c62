"""Simulates early stopping, and prints its errors and the calls that it saves.

Two rules decide about the same pull requests: one test at the end, and a look after each repeat of all cases, as in the
gate. Each row is printed as soon as it is known. docs/statistics.md defines the regimes R1a to R6. The exit code is 1
if the rate of false blocks (2.5 %) or of false HOLDs (10 %) is exceeded by more than three standard errors.
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

from benchmarks.statistics.simulation.rates import Rate
from benchmarks.statistics.simulation.score_regimes import REGIMES
from benchmarks.statistics.simulation.score_repeats import deltas
from benchmarks.statistics.simulation.slice_layouts import ONE, TAGS, TWELVE_AND_ALL, Layout
from gate.stats.arrays import JointResult
from gate.stats.maxt import joint_test
from gate.stats.sequential import Look, Plan, sequential_test

LOOKED_AT = ("R1a", "R1b", "R2", "R3", "R4", "R5", "R6")
ALPHA, HOLDS = 0.025, 0.10
FLIPS = 4999


@dataclass(frozen=True, slots=True)
class Scene:
    """A kind of pull request."""

    regime: str
    layout: Layout
    n: int
    k: int
    fall: float = 0.0
    everywhere: bool = True


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a rule.

    Args:
        calls: share of the planned samples that were needed.
    """

    blocks: bool
    holds: bool
    rises: bool
    calls: float


def unchanged(quick: bool) -> Iterator[Scene]:
    """Pull requests that change nothing."""
    for k in (5,) if quick else (5, 3):
        for layout, n in ((ONE, 100), (TAGS, 60), (TWELVE_AND_ALL, 30), (ONE, 30)):
            for regime in ("R1a", "R3") if quick else LOOKED_AT if k == 5 else ("R1a", "R3", "R4"):
                yield Scene(regime, layout, n, k)


def changed(quick: bool) -> Iterator[Scene]:
    """Drops of all cases and of one slice of twelve, improvements of all cases."""
    for regime in ("R1a",) if quick else ("R1a", "R3", "R4"):
        # One test finds the smaller drop with about 80 % power, where early stopping costs the most power.
        small = {"R1a": 0.08, "R3": 0.03, "R4": 0.06}[regime]
        for layout, n in ((ONE, 100), (TAGS, 60)):
            for fall in (small, 0.10, 0.20, -small, -0.10):
                yield Scene(regime, layout, n, 5, fall)
        yield Scene(regime, TWELVE_AND_ALL, 100, 5, 0.10, everywhere=False)
        yield Scene(regime, TWELVE_AND_ALL, 30, 5, 0.20, everywhere=False)


def judged(scene: Scene, rng: np.random.Generator, seed: int) -> tuple[Outcome, Outcome]:
    """One pull request under one test at the end, and under several looks."""
    cases = scene.n * scene.layout.parts
    hit = cases if scene.everywhere else scene.n
    single = deltas(scene.regime, rng, (scene.k, hit), scene.fall)
    if cases > hit:
        single = np.concatenate([single, deltas(scene.regime, rng, (scene.k, cases - hit))], axis=1)
    means = np.cumsum(single, axis=0) / np.arange(1, scene.k + 1)[:, None]
    slices = scene.layout.draw(rng, cases)
    variants = REGIMES[scene.regime].variants
    clusters = np.arange(cases) // variants if variants > 1 else None
    whole = "overall" if "overall" in slices else next(iter(slices))
    plan = Plan(scene.k, ALPHA, frozenset({whole}))
    plain = joint_test(means[-1], slices, alpha=ALPHA, clusters=clusters, flips=FLIPS, seed=seed)
    looks = [Look(row, slices) for row in means]
    early = sequential_test(looks, plan, clusters=clusters, flips=FLIPS, seed=seed)
    return _outcome(plain, whole, 1.0), _outcome(early.joint, whole, early.looked / scene.k)


def _outcome(found: JointResult, whole: str, calls: float) -> Outcome:
    least = min((row.p for row in found.slices.values() if row.p is not None), default=1.0)
    rises = whole in found and found[whole].lower > 0.0
    return Outcome(least <= ALPHA, least <= HOLDS, rises, calls)


def simulate(runs: int, seed: int, scene: Scene) -> tuple[Scene, list[tuple[Outcome, Outcome]]]:
    """All outcomes of both rules. With several slices there are half as many runs, because they take long."""
    runs = runs if scene.layout.slices == 1 else max(1, runs // 2)
    name = zlib.crc32(f"{scene.regime} {scene.layout.words} {scene.n} {scene.k} {scene.fall}".encode())
    return scene, [judged(scene, np.random.default_rng([seed, name, run]), run) for run in range(runs)]


UNCHANGED = ("regime", "cases", "slices", "k", "blocks: one test, %", "looks", "HOLDs or blocks: one test, %", "looks",
             "calls, %", "held?")  # fmt: skip
CHANGED = ("regime", "cases", "slices", "k", "changed", "by", "found: one test, %", "looks", "calls, %")


def unchanged_row(scene: Scene, found: Sequence[tuple[Outcome, Outcome]]) -> tuple[tuple[str, ...], bool]:
    """The rates of false blocks and HOLDs of each rule, and the share of calls."""
    plain, early = zip(*found, strict=True)
    blocks = [Rate(sum(one.blocks for one in rule), len(rule)) for rule in (plain, early)]
    holds = [Rate(sum(one.holds for one in rule), len(rule)) for rule in (plain, early)]
    held = blocks[1].holds(ALPHA, True) and holds[1].holds(HOLDS, True)
    row = (*_where(scene), *map(_rate, blocks), *map(_rate, holds), _calls(early), "yes" if held else "BROKEN")
    return row, held


def changed_row(scene: Scene, found: Sequence[tuple[Outcome, Outcome]]) -> tuple[str, ...]:
    """How often each rule finds the change: a block, or an improvement of all cases."""
    counted = "rises" if scene.fall < 0.0 else "blocks"
    plain, early = zip(*found, strict=True)
    shown = [Rate(sum(getattr(one, counted) for one in rule), len(rule)) for rule in (plain, early)]
    whom = "all cases" if scene.everywhere else "one slice"
    return (*_where(scene), whom, f"{-scene.fall:+.2f}".replace("-", "−"), *map(_rate, shown), _calls(early))


def _where(scene: Scene) -> tuple[str, ...]:
    return scene.regime, str(scene.n * scene.layout.parts), scene.layout.words, str(scene.k)


def _calls(rule: Sequence[Outcome]) -> str:
    return f"{100 * sum(one.calls for one in rule) / len(rule):.0f}"


def _rate(rate: Rate) -> str:
    return f"{100 * rate.value:.1f}"


def main(argv: Sequence[str] | None = None) -> int:
    """Simulate and print; exit code 1 if a rate is exceeded.

    Args:
        argv: options; None means those of the command line.
    """
    options = parser().parse_args(argv)
    runs = max(1, round((60 if options.quick else 1000) * options.scale))
    # One BLAS thread per worker; a spawned worker reads this before it imports numpy.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    work, broken = partial(simulate, runs, options.seed), 0
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
    print(f"\n{runs} pull requests per row with one slice, half as many with several; {FLIPS} flips; {broken} broken.")
    return 1 if broken else 0


def _line(cells: Sequence[str], *, rule: bool = False) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)
    if rule:
        print("|" + " --- |" * len(cells), flush=True)


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.statistics.early_stopping", description=__doc__)
    options.add_argument("--quick", action="store_true", help="fewer rows and runs: about a minute on one core")
    options.add_argument("--scale", type=float, default=1.0, help="multiply the pull requests per row by this")
    options.add_argument("--seed", type=int, default=1, help="seed of the random numbers")
    options.add_argument("--jobs", type=int, default=1, help="number of processes")
    return options


if __name__ == "__main__":
    sys.exit(main())
