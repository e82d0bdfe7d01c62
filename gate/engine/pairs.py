"""Samples become one delta per case, both arms with the same number of samples."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gate.domain.sample import ArmName
from gate.domain.suite import Suite
from gate.engine.grid import ARMS, Bools, Floats, Grid, Ints


@dataclass(frozen=True, slots=True)
class Scores:
    """Per-case mean scores of both arms, over the cases that both arms have a score for.

    Args:
        positions: int[n], which cases of the exam these are.
        baseline, candidate: float[n], mean scores over equally many samples.
        samples: float[n, k] of both arms; None unless every case of the exam has all of its samples.
    """

    positions: Ints
    baseline: Floats
    candidate: Floats
    samples: tuple[Floats, Floats] | None = None

    @property
    def deltas(self) -> Floats:
        """float[n], candidate minus baseline."""
        return self.candidate - self.baseline


def scores(grid: Grid, missing: Mapping[ArmName, float] | None = None, most: int | None = None) -> Scores:
    """The scores of one suite.

    A case counts as many samples as the poorer arm has, the first ones by index: unequal numbers would break the
    symmetry that the test rests on. Between cases they may differ.

    Args:
        grid: samples of the suite.
        missing: what a missing score is taken for in each arm; None leaves missing samples out.
        most: samples of each arm that count; None where all that were planned do.
    """
    planned = grid.suite.samples
    counted = grid.within(planned if most is None else most)
    known = grid.scored & counted
    values = np.where(known, grid.figures("score"), 0.0)
    if missing is not None:
        fill = np.array([missing[arm] for arm in ARMS])[:, None, None]
        values, known = np.where(counted & ~known, fill, values), counted
    positions, means = paired(values, known)
    whole = bool(np.all(known.sum(axis=2).min(axis=0) == planned))
    return Scores(positions, means[0], means[1], (values[0], values[1]) if whole else None)


def paired(values: Floats, known: Bools) -> tuple[Ints, Floats]:
    """Per-case means of both arms, over as many samples as the poorer arm has, the first ones by index.

    Args:
        values: float[2, N, k].
        known: bool[2, N, k], which of them there are.

    Returns:
        int[n] positions of the cases that both arms have a value for, and float[2, n].
    """
    enough = known.sum(axis=2).min(axis=0)
    used = known & (np.cumsum(known, axis=2) <= enough[:, None])
    positions = np.flatnonzero(enough)
    means: Floats = np.where(used, values, 0.0).sum(axis=2)[:, positions] / enough[positions]
    return positions, means


def clusters(suite: Suite) -> Ints | None:
    """int[N] unit of each case, or None when no case declares a cluster; an undeclared case is its own unit."""
    cases = suite.exam.cases
    if all(case.cluster is None for case in cases):
        return None
    names: dict[tuple[str, str], int] = {}
    keys = [("cluster", case.cluster) if case.cluster is not None else ("case", case.id) for case in cases]
    return np.array([names.setdefault(key, len(names)) for key in keys], dtype=np.int64)


def units_of(suite: Suite) -> Ints:
    """int[N] unit of each case: its cluster, or the case itself."""
    declared = clusters(suite)
    return np.arange(len(suite.exam.cases), dtype=np.int64) if declared is None else declared
