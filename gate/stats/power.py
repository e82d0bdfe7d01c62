"""Planning: the smallest drop that can be detected in a slice, the cases needed for a given drop, and the power.

All three solve one equation, e = K sqrt((sd^2 + spread e (1 - e)) / n), where sd is that of the deltas of an unchanged
prompt and spread e (1 - e) is what the change itself adds to their variance. K is the noncentrality that shows with
the wanted power: the test blocks when T = sqrt(n) mean / sqrt(mean of squares) < -c, which is the t statistic below
-c sqrt((n - 1) / (n - c^2)), and a shifted t statistic follows about a noncentral t distribution (N. Johnson and B.
Welch, Biometrika 31, 1940, 362-389; the approximation is Abramowitz and Stegun 26.7.10). With many cases K is the
familiar c + z_power; with 30 cases and 12 slices that sum gives some ten points of power too many.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import (
    BLOCKABLE_UNITS,
    TOLERANCE,
    FloatArray,
    IntArray,
    unit_labels,
)
from gate.stats.intervals import normal_quantile, percentile
from gate.stats.maxt import joint_test

WHOLE = 1.0
"""Whole cases break: a drop of the mean by e adds e (1 - e) to the variance of the deltas; the cautious assumption."""
DIFFUSE = 0.25
"""The change is spread thinly over the samples of many cases."""

_DRAWS = 4  # of deltas and flips behind an expected critical value, which then strays by about 0.03
_FLIPS = 1999
_MOST_CASES = 1 << 60  # no suite is larger; above it floats cannot distinguish neighbouring counts


def detectable(sd: float, n: int, critical: float, *, spread: float = WHOLE, power: float = 0.8) -> float:
    """The smallest drop that can be detected with the given power.

    Args:
        sd: standard deviation of the deltas when nothing changed, on the scale of scores.
        critical: of the joint test, such as `JointResult.critical` or `layout_critical`.
        spread: what the change itself adds to the variance, `DIFFUSE` to `WHOLE`.

    Returns:
        The change, above 0; infinity where even a change of 1, the whole scale, would not show.
    """
    a = _noncentrality(n, critical, normal_quantile(power)) ** 2 / n
    if a == math.inf:
        return math.inf
    linear = a * spread
    change = (linear + math.sqrt(linear * linear + 4.0 * (1.0 + linear) * a * sd * sd)) / (2.0 * (1.0 + linear))
    return change if change <= 1.0 else math.inf


def power_of(sd: float, n: int, effect: float, critical: float, *, spread: float = WHOLE) -> float:
    """The probability to detect a drop; simulations stay between its values at `WHOLE` and `DIFFUSE`.

    Args:
        sd: standard deviation of the deltas when nothing changed, on the scale of scores.

    Returns:
        0 where no result could show anything.
    """
    change = abs(effect)
    middle = _limit(n, critical)
    if middle == math.inf:
        return 0.0
    error = math.sqrt((sd * sd + spread * change * (1.0 - change)) / n)
    if error == 0.0:
        return 1.0 if change else 0.0
    return NormalDist().cdf((change / error - middle) / _width(n, critical))


def cases_needed(sd: float, effect: float, critical: float, *, spread: float = 0.0, power: float = 0.8) -> int | None:
    """The fewest independent cases that would show a change of this size.

    Args:
        sd: standard deviation of the deltas. Measured together with the effect, it holds the spread already, hence the
            default; with one from an unchanged prompt give `spread`.

    Returns:
        At least 10, since a smaller slice never blocks; None when no number is enough (no effect, infinite critical).
    """
    change, z = abs(effect), normal_quantile(power)
    if change < TOLERANCE or critical == math.inf:
        return None
    error = math.sqrt(sd * sd + spread * max(0.0, change * (1.0 - change)))
    low, high = BLOCKABLE_UNITS - 1, BLOCKABLE_UNITS
    while _noncentrality(high, critical, z) * error > change * math.sqrt(high):
        low, high = high, 2 * high
        if high > _MOST_CASES:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        if _noncentrality(middle, critical, z) * error > change * math.sqrt(middle):
            low = middle
        else:
            high = middle
    return high


def layout_critical(
    slices: Mapping[str, npt.ArrayLike],
    n: int,
    *,
    alpha: float = 0.025,
    clusters: npt.ArrayLike | None = None,
    ties: float = 0.0,
) -> float:
    """The critical value to expect of the joint test over these slices, before there are data.

    The test is run on normally distributed deltas, of which the share `ties` is zero. Ties lower the value: a slice
    where little moves cannot reach far. The slice that drops does move, hence never below the value of one slice.

    Args:
        slices: name to positions among the n cases, int[m] each; those with fewer than 10 units are outside the family.
        alpha: one-sided level for all slices together, in (0, 0.5).
        clusters: int[n], equal labels are one unit; None when every case is its own.
        ties: share of the deltas that are exactly 0 when nothing changed, as earlier runs show, in [0, 1].

    Returns:
        About 1.96 for one slice, 2.8 for 12 and 2.95 for 20 that hardly overlap; infinity when no slice can block.
    """

    def expected(zeros: float) -> float:
        rng = np.random.default_rng(0)
        draws = []
        for draw in range(_DRAWS):
            deltas = np.where(rng.random(n) < zeros, 0.0, rng.standard_normal(n))
            test = joint_test(deltas, slices, alpha=alpha, clusters=clusters, flips=_FLIPS, seed=draw)
            draws.append(test.critical if test.flips else 0.0)
        return sum(draws) / _DRAWS

    dense = expected(0.0) or math.inf
    if ties == 0.0 or dense == math.inf:
        return dense
    return min(dense, max(normal_quantile(1.0 - alpha), expected(ties)))


def _noncentrality(n: int, critical: float, z: float) -> float:
    """K: how many standard errors from zero the truth must lie for the test to reject with probability Phi(z)."""
    return max(0.0, _limit(n, critical) + z * _width(n, critical))


def _limit(n: int, critical: float) -> float:
    """Where the power is one half: the critical value on the scale of t, less the bias of t."""
    t = _on_t(n, critical)
    return t * (1.0 - 1.0 / (4.0 * (n - 1))) if t < math.inf else math.inf


def _width(n: int, critical: float) -> float:
    """The spread of a shifted t statistic about that point."""
    t = _on_t(n, critical)
    return math.sqrt(1.0 + t * t / (2.0 * (n - 1))) if t < math.inf else 1.0


def _on_t(n: int, critical: float) -> float:
    """|T| is at most sqrt(n): beyond it nothing is ever rejected."""
    squared = critical * critical
    return critical * math.sqrt((n - 1) / (n - squared)) if n > 1 and squared < n else math.inf


_SECONDS = 20.0
_MOST = 400
_FEWEST = 40
"""With fewer, the error is larger than the level to be shown."""


@dataclass(frozen=True, slots=True)
class BlockRate:
    """A measured probability: how many of the replicates blocked."""

    blocks: int
    replicates: int

    @property
    def rate(self) -> float:
        return self.blocks / self.replicates

    @property
    def error(self) -> float:
        """Monte Carlo standard error; where none or all blocked, that of one in the replicates."""
        share = min(max(self.rate, 1.0 / self.replicates), 1.0 - 1.0 / self.replicates)
        return math.sqrt(share * (1.0 - share) / self.replicates)


@dataclass(frozen=True, slots=True)
class FalseBlocks:
    """Both rules on the same replicates: the joint test, and the percentile bootstrap of each slice separately."""

    joint: BlockRate
    familiar: BlockRate


@dataclass(frozen=True, slots=True)
class Effort:
    """How much to compute.

    Args:
        flips: sign flips of each joint test; it is exact at any number, so few are enough.
    """

    replicates: int = 400
    flips: int = 999
    resamples: int = 1000


_USUAL = Effort()


def effort_for(cases: int, slices: int, scores: int) -> Effort | None:
    """Fewer replicates where one costs much, for about 20 seconds in all; None where not even the fewest are possible.
    Counts are over all suites, `scores` over both arms."""
    # Seconds of one replicate, as measured from 40 cases to 100,000 and from 1 slice to 1,000; the scores are dealt.
    each = 3e-3 + 3.5e-4 * slices + 2.5e-6 * cases + 3e-7 * cases * slices + 1e-7 * scores
    replicates = min(_MOST, int(_SECONDS / each))
    return Effort(replicates) if replicates >= _FEWEST else None


def false_blocks(
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
        pools: for each suite float[n, 2 k], the scores of both arms side by side; cases are numbered through all suites
            in this order.
        slices: name to positions, int[m].
    """
    tables = [np.asarray(pool, dtype=np.float64) for pool in pools]
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
    return FalseBlocks(*(BlockRate(count, effort.replicates) for count in blocks))


def _replicate(
    tables: Sequence[FloatArray], units: IntArray, rng: np.random.Generator
) -> tuple[FloatArray, IntArray, IntArray]:
    """Deltas of drawn cases, their positions, and the unit of each; a unit drawn twice is two."""
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
    """Test the same slices as the joint test does: smaller ones would make this rule look even worse."""
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
    """False where resampling cannot block: the upper bound lies more than one standard error above the mean."""
    return float(sums.sum()) < -float(sums.std()) * math.sqrt(len(sums)) + TOLERANCE


def _membership(slices: Mapping[str, npt.ArrayLike], n: int) -> npt.NDArray[np.bool_]:
    """bool[N, S]: which case is in which slice."""
    belongs = np.zeros((n, len(slices)), dtype=bool)
    for column, positions in enumerate(slices.values()):
        belongs[np.asarray(positions, dtype=np.int64), column] = True
    return belongs


@dataclass(frozen=True, slots=True)
class Noise:
    """Var(mean delta) = (tau^2 + 2 sigma^2 / k) / n.

    Args:
        tau: standard deviation of the true deltas between cases; 0 when the spread within cases explains it all.
        sigma: standard deviation of one sample's score within a case.
    """

    tau: float
    sigma: float


def split_noise(baseline: npt.ArrayLike, candidate: npt.ArrayLike) -> Noise | None:
    """Split the variance of the deltas by one-way analysis of variance (moment estimates, tau^2 cut off at 0).

    Args:
        baseline, candidate: float[N, k], scores of k samples for each case.

    Returns:
        None with fewer than 2 cases or fewer than 2 samples, which cannot separate the parts.
    """
    a, b = np.asarray(baseline, dtype=np.float64), np.asarray(candidate, dtype=np.float64)
    n, k = a.shape
    if n < 2 or k < 2:
        return None
    within = float(a.var(axis=1, ddof=1).mean() + b.var(axis=1, ddof=1).mean()) / 2.0
    between = float((b.mean(axis=1) - a.mean(axis=1)).var(ddof=1)) - 2.0 * within / k
    return Noise(math.sqrt(max(0.0, between)), math.sqrt(within))
