"""How often a test blocks a change that does nothing: measured on the scores of an A/A run.

An eval set like the one at hand is drawn again and again (units with replacement, each with its slices), and the
pooled samples of every case are dealt to two arms at random, so that there is nothing to find.
(P. Good, Permutation, Parametric and Bootstrap Tests of Hypotheses, 2005, for dealing; B. Efron, Annals of Statistics
7, 1979, 1-26, for drawing.)
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import TOLERANCE, FloatArray, IntArray, check_level, integer_vector, unit_labels
from gate.stats.bootstrap import percentile
from gate.stats.maxt import joint_test
from gate.stats.slices import BLOCKABLE_UNITS

_SECONDS = 20.0
_MOST = 400
_FEWEST = 40
"""Fewer say nothing: their error is larger than the level that they are to show."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A measured probability.

    Args:
        blocks: how many of the replicates blocked.
        replicates: how many there were.
    """

    blocks: int
    replicates: int

    @property
    def rate(self) -> float:
        return self.blocks / self.replicates

    @property
    def error(self) -> float:
        """Monte Carlo standard error; with no blocks, or nothing else, that of one in the replicates."""
        share = min(max(self.rate, 1.0 / self.replicates), 1.0 - 1.0 / self.replicates)
        return math.sqrt(share * (1.0 - share) / self.replicates)


@dataclass(frozen=True, slots=True)
class FalseBlocks:
    """Both rules on the same replicates: the joint test, and the percentile bootstrap of each slice on its own."""

    joint: Rate
    familiar: Rate


@dataclass(frozen=True, slots=True)
class Effort:
    """How much to compute.

    Args:
        replicates: eval sets that are drawn.
        flips: sign flips of each joint test; it is exact at any number, so few will do.
        resamples: of each percentile bootstrap.
    """

    replicates: int = 400
    flips: int = 999
    resamples: int = 1000


_USUAL = Effort()


def effort_for(cases: int, slices: int, scores: int) -> Effort | None:
    """Fewer replicates where one costs much, so that all of them take 20 seconds or so; None where none would do.

    Args:
        cases: of all suites.
        slices: tested together.
        scores: of both arms, in all cases.
    """
    # Seconds of one replicate, as measured from 40 cases to 100,000 and from 1 slice to 1,000; the scores are dealt.
    each = 3e-3 + 3.5e-4 * slices + 2.5e-6 * cases + 3e-7 * cases * slices + 1e-7 * scores
    replicates = min(_MOST, int(_SECONDS / each))
    return Effort(replicates) if replicates >= _FEWEST else None


def false_blocks(  # noqa: PLR0913
    pools: Sequence[npt.ArrayLike],
    slices: Mapping[str, npt.ArrayLike],
    *,
    clusters: npt.ArrayLike | None = None,
    alpha: float = 0.025,
    effort: Effort = _USUAL,
    seed: int = 0,
    step: Callable[[], None] = lambda: None,
) -> FalseBlocks:
    """Measure how often either rule blocks when there is nothing to find.

    Args:
        pools: for each suite float[n, 2 k], the scores of both arms side by side; the cases of all suites are counted
            through, in this order.
        slices: name to positions, int[m].
        clusters: int[N], cases with equal labels are one unit; no unit spans two suites.
        alpha: one-sided level.
        effort: how much to compute.
        seed: of everything random.
        step: called after each replicate.

    Raises:
        ValueError: no slices, scores that are not finite, an odd number of columns, positions that are out of range.
    """
    check_level(alpha)
    tables = [_pool(pool) for pool in pools]
    n = sum(len(table) for table in tables)
    belongs = _membership(slices, n)
    units = unit_labels(n, clusters)
    rng = np.random.default_rng(seed)
    blocks = [0, 0]
    for replicate in range(effort.replicates):
        deltas, cases, drawn = _replicate(tables, units, rng)
        found = {name: np.flatnonzero(belongs[cases, column]) for column, name in enumerate(slices)}
        blocks[0] += _joint(deltas, found, drawn, alpha, (effort.flips, seed + replicate))
        blocks[1] += _familiar(deltas, found, drawn, alpha, (effort.resamples, seed + replicate))
        step()
    return FalseBlocks(*(Rate(count, effort.replicates) for count in blocks))


def _replicate(
    tables: Sequence[FloatArray], units: IntArray, rng: np.random.Generator
) -> tuple[FloatArray, IntArray, IntArray]:
    """Deltas of drawn cases, which cases these are, and the unit that each belongs to; a unit drawn twice is two."""
    deltas, cases, drawn = [], [], []
    start = count = 0
    for table in tables:
        own = np.unique(units[start : start + len(table)], return_inverse=True)[1]
        order = np.argsort(own, kind="stable")
        sizes = np.bincount(own, minlength=0)
        first = np.cumsum(sizes) - sizes
        picked = rng.integers(0, len(sizes), len(sizes)) if len(sizes) else np.empty(0, dtype=np.int64)
        label = np.repeat(np.arange(len(picked)), sizes[picked])
        offset = np.arange(len(label)) - np.repeat(np.cumsum(sizes[picked]) - sizes[picked], sizes[picked])
        rows = order[first[picked][label] + offset]
        # One deal for a whole unit: what its variants share stays shared.
        dealt = np.argsort(rng.random((len(picked), table.shape[1])), axis=1)[label]
        scores = np.take_along_axis(table[rows], dealt, axis=1)
        k = table.shape[1] // 2
        deltas.append(scores[:, k:].mean(axis=1) - scores[:, :k].mean(axis=1))
        cases.append(rows + start)
        drawn.append(label + count)
        start, count = start + len(table), count + len(picked)
    return np.concatenate(deltas), np.concatenate(cases), np.concatenate(drawn)


def _joint(
    deltas: FloatArray, slices: Mapping[str, IntArray], units: IntArray, alpha: float, work: tuple[int, int]
) -> bool:
    flips, seed = work
    result = joint_test(deltas, slices, alpha=alpha, clusters=units, flips=flips, seed=seed)
    return any(row.p is not None and row.p <= alpha + TOLERANCE for row in result.slices.values())


def _familiar(
    deltas: FloatArray, slices: Mapping[str, IntArray], units: IntArray, alpha: float, work: tuple[int, int]
) -> bool:
    """The same slices as the joint test: smaller ones would make this rule look even worse."""
    resamples, seed = work
    grouped = int(units[-1]) + 1 < len(units)  # units are counted through in order
    for rows in slices.values():
        index, sizes = np.unique(units[rows], return_inverse=True, return_counts=True)[1:]
        if len(sizes) < BLOCKABLE_UNITS or not _may_fall(np.bincount(index, deltas[rows]).astype(np.float64)):
            continue
        labels = units[rows] if grouped else None
        found = percentile(deltas[rows], alpha=alpha, resamples=resamples, seed=seed, clusters=labels)
        if found.upper < -TOLERANCE:
            return True
    return False


def _may_fall(sums: FloatArray) -> bool:
    """Saves the resampling where it cannot block: the upper end lies more than one standard error above the mean."""
    return float(sums.sum()) < -float(sums.std()) * math.sqrt(len(sums)) + TOLERANCE


def _pool(values: npt.ArrayLike) -> FloatArray:
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] % 2 or table.shape[1] == 0:
        raise ValueError("A pool must be a table of cases with equally many samples of both arms.")
    if not np.isfinite(table).all():
        raise ValueError("A pool must hold finite scores.")
    return table


def _membership(slices: Mapping[str, npt.ArrayLike], n: int) -> npt.NDArray[np.bool_]:
    """bool[N, S]: which case is in which slice."""
    if not slices:
        raise ValueError("There must be at least one slice to test.")
    belongs = np.zeros((n, len(slices)), dtype=bool)
    for column, (name, positions) in enumerate(slices.items()):
        rows = integer_vector(positions, f"slice {name!r}")
        if len(rows) and not 0 <= rows.min() <= rows.max() < n:
            raise ValueError(f"slice {name!r} names a case outside of the {n} that there are.")
        belongs[rows, column] = True
    return belongs
