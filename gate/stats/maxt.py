"""The default test: one joint sign-flip max-T test over all slices, and the intervals dual to it."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import (
    CHANGED_FOR_ZERO_WIDTH,
    EMPTY,
    TOLERANCE,
    FloatArray,
    IntArray,
    JointResult,
    SliceResult,
    UnitSums,
    sum_slices,
)

Hashes: TypeAlias = npt.NDArray[np.uint64]

_RESOLUTION = 2.0**30  # of the largest value; coarser than the rounding of sums, so that equals stay equal


def canonical_rows(looks: Sequence[FloatArray]) -> tuple[IntArray, FloatArray]:
    """Sort the units, and give each the sign of its representative.

    The first look decides; later ones separate only units that were alike until then. So a look gives the same result
    whatever comes after it.

    Args:
        looks: float[U, S] each, the same units at every look; not all zero, its columns pairwise different.

    Returns:
        order: int[U], positions of the rows in canonical order; only equal representatives may trade places.
        lead: float[U], +1 or -1 for each row; `y * lead[:, None]` holds the representatives.
    """
    keys: list[Hashes] = []
    lead = np.zeros(len(looks[0]))
    for y in looks:
        ahead, behind = _colours(y)
        undecided = lead == 0.0
        keys.append(np.where(undecided, np.maximum(ahead, behind), np.where(lead > 0.0, ahead, behind)))
        sign = np.where(ahead > behind, 1.0, np.where(ahead < behind, -1.0, 0.0))
        lead = np.where(undecided, sign, lead)
    return np.lexsort(keys[::-1]), np.where(lead == 0.0, 1.0, lead)


def _colours(y: FloatArray) -> tuple[Hashes, Hashes]:
    """The colour of each row as it stands, and with its signs turned."""
    there = np.rint(y / np.abs(y).max() * _RESOLUTION).astype(np.int64).view(np.uint64)
    back = np.negative(there)
    columns = _column_colours(there, back)
    return _row_colours(there, columns), _row_colours(back, columns)


def _column_colours(there: Hashes, back: Hashes) -> Hashes:
    """Order the columns by their content alone."""
    columns = np.zeros(there.shape[1], dtype=np.uint64)
    classes = 0
    while True:
        ahead, behind = _row_colours(there, columns), _row_colours(back, columns)
        seen = _mix(there + ahead[:, None]) + _mix(back + behind[:, None])
        columns = _mix(seen.sum(axis=0, dtype=np.uint64) + columns)
        colours, counts = np.unique(columns, return_counts=True)
        if len(colours) == len(columns):
            return columns
        found = len(colours) + len(np.unique(ahead + behind))
        if found == classes:
            special = np.flatnonzero(columns == colours[counts > 1][0])[:1]
            columns[special] = _mix(columns[special])
        classes = found


def _row_colours(q: Hashes, columns: Hashes) -> Hashes:
    return _mix(_mix(_mix(q) + columns).sum(axis=1, dtype=np.uint64))


def _mix(values: Hashes) -> Hashes:
    """Scatter 64-bit integers (the finaliser of SplitMix64: Steele, Lea and Flood 2014)."""
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


EXHAUSTIVE_BELOW = 13
"""With fewer units than this all sign vectors are tried."""

CHUNK = 1 << 20  # entries of the signs, or of the flipped statistics, held at once: 8 MiB as floats


@dataclass(frozen=True, slots=True)
class NullMinima:
    """float[F] minima, ascending: the smallest statistic over the slices for each flip, if the change does nothing."""

    minima: FloatArray

    @property
    def flips(self) -> int:
        return len(self.minima)

    def p_value(self, statistic: float) -> float:
        """Share of flips, the observed signs included, whose smallest statistic is as small as this one."""
        as_small = np.searchsorted(self.minima, statistic + TOLERANCE, side="right")
        return (1 + int(as_small)) / (self.flips + 1)

    def critical(self, alpha: float) -> float:
        """c such that p <= alpha exactly for statistics below -c; infinite when no statistic could reach that level."""
        reachable = int((alpha + TOLERANCE) * (self.flips + 1))
        return -float(self.minima[reachable - 1]) if reachable else np.inf


def null_minima(y: FloatArray, flips: int, seed: int) -> NullMinima:
    """Flip the signs of whole units and keep the smallest studentised sum of each flip.

    Args:
        y: float[U, S], unit values for each slice of the family; columns of zeros are left out.
        flips: at least; rounded up to pairs of a flip and its opposite. Below 13 units all 2^U are used instead.

    Returns:
        The minima; none when there is nothing to flip.
    """
    y = distinct_columns(y)
    few = len(y) < EXHAUSTIVE_BELOW
    minima = _minima([y if few else y[np.any(y != 0.0, axis=1)]], flips, seed, exhaustive=few)[0]
    return NullMinima(np.sort(minima) if y.shape[1] else np.empty(0))


def null_paths(looks: Sequence[FloatArray], flips: int, seed: int) -> FloatArray:
    """As `null_minima`, for tests at growing numbers of samples: one flip of each unit for all of them.

    Args:
        looks: float[U, S] each, unit values for each slice of the family at that look; the same units at every look.

    Returns:
        float[J, F], entry f of every look belongs to the same flip; zero at looks where nothing moved.
    """
    return _minima([distinct_columns(y) for y in looks], flips, seed, exhaustive=len(looks[0]) < EXHAUSTIVE_BELOW)


def _minima(looks: Sequence[FloatArray], flips: int, seed: int, *, exhaustive: bool) -> FloatArray:
    """float[J, F], the smallest statistic of each flip at each look; its opposite is F / 2 further on."""
    units = len(looks[0])
    pairs = 2 ** max(0, units - 1) if exhaustive else (flips + 1) // 2
    out = np.zeros((len(looks), 2 * pairs))
    moved = {number: y for number, y in enumerate(looks) if y.shape[1]}
    if not moved:
        return out
    if exhaustive:
        chunks = iter([all_signs(units)])
    else:
        order, lead = canonical_rows(list(moved.values()))
        moved = {number: (y * lead[:, None])[order] for number, y in moved.items()}
        widest = max(y.shape[1] for y in moved.values())
        chunks = random_signs(units, pairs, seed, rows=max(1, CHUNK // max(units, widest)))
    z = {number: y / np.sqrt(np.sum(y * y, axis=0)) for number, y in moved.items()}
    totals = {number: part.sum(axis=0) for number, part in z.items()}
    start = 0
    for chunk in chunks:
        signs, end = chunk.astype(np.float64), start + len(chunk)
        for number, part in z.items():
            flipped = signs @ part
            flipped *= -2.0
            flipped += totals[number]
            out[number, start:end], out[number, pairs + start : pairs + end] = flipped.min(axis=1), -flipped.max(axis=1)
        start = end
    return out


def distinct_columns(y: FloatArray) -> FloatArray:
    """Without the columns that are zero or repeated, which do not change the minimum over the slices."""
    moved = y[:, np.any(y != 0.0, axis=0)]
    kept = {blake2b(moved[:, column].tobytes()).digest(): column for column in reversed(range(moved.shape[1]))}
    return moved[:, sorted(kept.values())]


def all_signs(units: int) -> npt.NDArray[np.uint8]:
    """Half of all sign vectors, uint8[2^(units - 1), units] with 1 for minus; the other half are their opposites."""
    numbers = np.arange(2 ** (units - 1), dtype=np.uint16)
    return (numbers[:, None] >> np.arange(units, dtype=np.uint16) & 1).astype(np.uint8)


def random_signs(units: int, pairs: int, seed: int, *, rows: int) -> Iterator[npt.NDArray[np.uint8]]:
    """Yield uint8[rows, units] in chunks; the same seed and number of units give the same signs on every machine."""
    # Raw output of the generator is stable across versions of numpy, its distributions are not.
    source = np.random.PCG64(seed)
    words = -(-units // 64)
    for start in range(0, pairs, rows):
        count = min(rows, pairs - start)
        raw = source.random_raw(count * words).astype("<u8").view(np.uint8).reshape(count, words * 8)
        yield np.unpackbits(raw, axis=1, count=units)


_HELD = 1 << 22  # dealt statistics held at once, 32 MiB
_BLOCK = 1 << 18  # dealt deltas at once: these stay in the processor's cache
_WORD = 1 << 16


def dealt_minima(centred: FloatArray, spread: FloatArray, members: FloatArray, flips: int, seed: int) -> NullMinima:
    """Deal the samples of each case to the arms, and keep the smallest studentised sum of each deal.

    Args:
        centred: float[U, 2k], the samples of both arms of each case, ascending, minus their mean.
        spread: float[U], variance of the delta of each case over all deals; 0 where the samples do not differ.
        members: float[U, S], 1 where a case is in a slice, else 0.
        flips: deals at least; rounded up to pairs of a deal and its opposite.

    Returns:
        The minima; none when no samples differ.
    """
    varied = (spread > 0.0) & members.any(axis=1)
    centred, spread, members = centred[varied], spread[varied], members[varied]
    members = distinct_columns(members)
    if members.shape[1] == 0:
        return NullMinima(np.empty(0))
    # Neither the order of the arms nor that of the samples is left in `centred`, so its rank stands for the case.
    order, _ = canonical_rows([_ranks(centred)[:, None] * members])
    weights = members / np.sqrt(spread @ members)
    return _deal(centred[order], weights[order], (flips + 1) // 2, seed)


def _deal(centred: FloatArray, weights: FloatArray, pairs: int, seed: int) -> NullMinima:
    source, arms = np.random.PCG64(seed), _arms(centred.shape[1] // 2)
    units, slices = weights.shape
    held, minima = max(1, _HELD // slices), []
    for start in range(0, pairs, held):
        count = min(held, pairs - start)
        block = max(1, _BLOCK // count)
        dealt = np.zeros((slices, count))
        for first in range(0, units, block):
            deltas = centred[first : first + block] @ arms
            chosen = _uniform(source, len(deltas) * count, arms.shape[1]).reshape(-1, count).astype(np.intp)
            chosen += np.arange(len(deltas))[:, None] * arms.shape[1]
            dealt += weights[first : first + block].T @ deltas.ravel()[chosen]
        minima += [dealt.min(axis=0), -dealt.max(axis=0)]
    return NullMinima(np.sort(np.concatenate(minima)))


def _arms(k: int) -> FloatArray:
    """float[2k, D]: the weight of each sample in each of the D deals, +1/k for the candidate, -1/k for the baseline."""
    deals = list(combinations(range(2 * k), k))
    arms = np.full((2 * k, len(deals)), -1.0 / k)
    for column, candidate in enumerate(deals):
        arms[list(candidate), column] = 1.0 / k
    return arms


def _uniform(source: np.random.PCG64, count: int, below: int) -> npt.NDArray[np.uint16]:
    """uint16[count], uniform below a bound: words in the last, incomplete share of their range are drawn again."""
    share = _WORD // below
    drawn = _words(source, count)
    stray = np.flatnonzero(drawn >= share * below)
    while len(stray):
        drawn[stray] = _words(source, len(stray))
        stray = stray[drawn[stray] >= share * below]
    drawn //= np.uint16(share)
    return drawn


def _words(source: np.random.PCG64, count: int) -> npt.NDArray[np.uint16]:
    # Raw output of the generator is stable across versions of numpy, its distributions are not.
    return source.random_raw(-(-count // 4)).astype("<u8", copy=False).view("<u2")[:count]


def _ranks(rows: FloatArray) -> IntArray:
    """Number the distinct rows 1, 2, … in ascending order."""
    order = np.lexsort(rows.T[::-1])
    steps = np.any(np.diff(rows[order], axis=0, prepend=np.nan) != 0.0, axis=1)
    ranks = np.empty(len(rows), dtype=np.int64)
    ranks[order] = np.cumsum(steps)
    return ranks


TIE_BREAK = 0.99
"""Deltas are multiples of 1/k and tie; any odd transform keeps the test exact, and this one breaks the ties."""


@dataclass(frozen=True, slots=True)
class Column:
    """One slice as the test sees it, over its g units.

    Args:
        x: float[g], sums of delta + margin.
        y: float[g], x after the transform that breaks ties.
    """

    sums: UnitSums
    x: FloatArray
    y: FloatArray

    @property
    def moved(self) -> bool:
        """Some unit is not exactly at the margin; without one there is no statistic."""
        return bool(self.y.any())

    @property
    def statistic(self) -> float:
        """The studentised sum that the test decides on; something must have moved."""
        return float(self.y.sum()) / math.sqrt(np.sum(self.y**2))

    def interval(self, critical: float, alpha: float) -> tuple[float, float]:
        """Bounds of the mean delta: computed on y, whose sign the test decides on, and carried back.

        Args:
            critical: c, where the test rejects a statistic below -c.
            alpha: the level of c; used only where all units moved alike.
        """
        n, g = self.sums.n, len(self.y)
        reach = critical + TOLERANCE  # a tie with the critical value is no rejection
        if reach * reach >= g or not self.moved:
            return -math.inf, math.inf
        centre = float(self.y.mean())
        half = reach * math.sqrt((g - 1) / (g - reach * reach)) * float(self.y.std(ddof=1)) / math.sqrt(g)
        if half < TOLERANCE:
            if self.sums.changed < CHANGED_FOR_ZERO_WIDTH:
                return -math.inf, math.inf
            half = 2.0 * abs(centre) * (1.0 - _share_alike(g, reach, alpha))
        mean = float(self.x.sum()) / n
        # Units per case, and the stretch of the transform: y times this is x again, on average.
        scale = float(np.abs(self.x).sum() / np.abs(self.y).sum()) * g / n
        return (
            _carry_back(centre - half, centre, mean, scale) - self.sums.margin,
            _carry_back(centre + half, centre, mean, scale) - self.sums.margin,
        )


def _share_alike(g: int, reach: float, alpha: float) -> float:
    """Where all g units moved alike: the lower bound, above one half, of the share of all units that do so."""
    score = g / (g + reach * reach)
    exact = float(alpha ** (1.0 / g))
    # Random flips may reject slightly more than the exact test.
    return min(score, exact) if exact > 0.5 else score


def column_of(sums: UnitSums) -> Column:
    """Add the margin, drop rounding errors, break the ties."""
    x = sums.sums + sums.margin * sums.sizes
    x[np.abs(x) < TOLERANCE] = 0.0
    return Column(sums, x, np.sign(x) * np.abs(x) ** TIE_BREAK)


def spread(family: Sequence[Column], units: int) -> FloatArray:
    """float[U, S] over all units, numbered as in the slices."""
    y = np.zeros((units, len(family)))
    for position, column in enumerate(family):
        y[column.sums.units, position] = column.y
    return y


def stacked(family: Sequence[Column]) -> FloatArray:
    """float[U, S] over the units that are in some slice of the family."""
    if not family:
        return np.empty((0, 0))
    units = np.unique(np.concatenate([column.sums.units for column in family]))
    y = np.zeros((len(units), len(family)))
    for position, column in enumerate(family):
        y[np.searchsorted(units, column.sums.units), position] = column.y
    return y


def _carry_back(bound: float, centre: float, mean: float, scale: float) -> float:
    """Carry a bound on y back to the mean delta, unless that would take it across zero, which decides the verdict."""
    carried = mean + scale * (bound - centre)
    return carried if carried * bound > 0.0 else scale * bound


FLIP_SHARE = 0.8
"""Of alpha, for the sign flips."""
DEAL_SHARE = 0.2
"""Of alpha, for the breakage channel."""

Samples: TypeAlias = tuple[npt.ArrayLike, npt.ArrayLike]


@dataclass(frozen=True, slots=True)
class Pools:
    """The pooled samples of both arms of each case.

    Args:
        centred: float[N, 2k], ascending, minus their mean.
        spread: float[N], variance of the delta when the samples are dealt to the arms at random.
    """

    centred: FloatArray
    spread: FloatArray

    @property
    def odd(self) -> int:
        """2k - 1, the degrees of freedom of a case."""
        return int(self.centred.shape[1]) - 1


def pool_samples(samples: Samples) -> Pools:
    """Check the samples against the deltas, and pool them.

    Args:
        samples: baseline and candidate, float[N, k] each.
        deltas: float[N].
    """
    baseline, candidate = (np.asarray(arm, dtype=np.float64) for arm in samples)
    k = baseline.shape[1]
    pooled = np.sort(np.concatenate([baseline, candidate], axis=1), axis=1)
    centred = pooled - pooled.mean(axis=1, keepdims=True)
    centred[np.ptp(pooled, axis=1) < TOLERANCE] = 0.0
    return Pools(centred, 2.0 / k * np.sum(centred * centred, axis=1) / (2 * k - 1))


@dataclass(frozen=True, slots=True)
class Breakage:
    """The result of the channel for the slices of a family; their units are positions of cases."""

    pools: Pools
    null: NullMinima

    def p(self, sums: UnitSums) -> float:
        """Joint p-value of a drop, before it is adjusted for the other channel."""
        spread = float(self.pools.spread[sums.units].sum())
        return self.null.p_value(float(sums.sums.sum()) / math.sqrt(spread)) if spread else 1.0

    def bounds(self, sums: UnitSums, level: float) -> tuple[float, float]:
        """The means to which the candidate's samples could be shifted without a rejection at `level`.

        A shift by t changes the spread by ((d - t)^2 - d^2) / (2k - 1) for a case with delta d; solved for the t at
        which the statistic meets its critical value.
        """
        g, odd, mean = len(sums.units), self.pools.odd, sums.mean
        spread = float(self.pools.spread[sums.units].sum())
        reach = self.null.critical(level) + TOLERANCE  # a tie with the critical value is no rejection
        if spread == 0.0 or reach * reach >= g * odd:
            return -math.inf, math.inf
        within = max(0.0, spread - g * mean * mean / odd)
        half = reach * math.sqrt(within / (g * g - reach * reach * g / odd))
        if half < TOLERANCE and sums.changed < CHANGED_FOR_ZERO_WIDTH:
            return -math.inf, math.inf
        return mean - half, mean + half


def breakage(pools: Pools, family: Sequence[UnitSums], flips: int, seed: int) -> Breakage:
    """Test the slices of a family, whose units are positions of cases, together by dealing samples."""
    members = np.zeros((len(pools.spread), len(family)))
    for column, sums in enumerate(family):
        members[sums.units, column] = 1.0
    return Breakage(pools, dealt_minima(pools.centred, pools.spread, members, flips, seed))


def joint_test(
    deltas: npt.ArrayLike,
    slices: Mapping[str, npt.ArrayLike],
    *,
    alpha: float = 0.025,
    clusters: npt.ArrayLike | None = None,
    samples: Samples | None = None,
    margin: float | Mapping[str, float] = 0.0,
    flips: int = 4999,
    seed: int = 0,
) -> JointResult:
    """Test all slices together for a drop of the mean delta.

    The upper bound of a blockable slice lies below -margin exactly when its p <= alpha (to 1e-9). Slices under 10 units
    are outside the family, with the interval of `single_slice`. Without a margin, swapping the arms mirrors the
    intervals; permuting cases and renaming or repeating slices change only the last digits. A slice without any change
    has p = 1 and infinite bounds. One in which all units moved alike has the interval of a share, see
    `gate.stats.maxt`.

    Args:
        deltas: float[N], candidate minus baseline.
        slices: name to positions in `deltas`, int[n], each at most once. An empty slice is outside the family.
        alpha: one-sided level for all slices together, in (0, 0.5).
        clusters: int[N], equal labels are one unit; None when every case is its own.
        samples: opens the breakage channel: baseline and candidate, float[N, k] each, 2 <= k <= 5. The sign flips then
            keep 0.8 alpha (`critical` is theirs), the channel gets 0.2 alpha, p is adjusted for both, and a slice has
            the lower of the two upper bounds and the higher of the two lower ones.
        margin: tolerated drop, at least 0, on the scale of the deltas; one for all slices, or by name (others 0). Both
            bounds then come from the test of deltas + margin.
        flips, seed: sign flips at least, rounded up to pairs of opposites (below 13 units all 2^units).
    """
    pools = None if samples is None else pool_samples(samples)
    units = clusters if pools is None else None  # with pools units are positions of cases
    columns = {name: column_of(piece) for name, piece in sum_slices(deltas, slices, units, margin).items()}
    family = {name: column for name, column in columns.items() if column.sums.blockable}
    null = null_minima(stacked(list(family.values())), flips, seed)
    level = alpha if pools is None else FLIP_SHARE * alpha
    results = {
        name: _result(column, null, level) if column.sums.blockable else _alone(column, alpha, flips, seed)
        for name, column in columns.items()
    }
    if pools is not None:
        sums = {name: column.sums for name, column in family.items()}
        results |= _with_breakage(results, sums, breakage(pools, list(sums.values()), flips, seed), alpha)
    return JointResult(results, null.critical(level), null.flips, len(family))


def single_slice(
    deltas: npt.ArrayLike,
    *,
    alpha: float = 0.025,
    clusters: npt.ArrayLike | None = None,
    margin: float = 0.0,
    flips: int = 4999,
    seed: int = 0,
) -> SliceResult:
    """Test one slice alone, as `joint_test` with no other: the interval of a slice outside the family.

    Args:
        deltas: float[n], of the cases of the slice only.
    """
    count = np.arange(np.size(deltas))
    column = column_of(sum_slices(deltas, {"alone": count}, clusters, margin)["alone"])
    return _alone(column, alpha, flips, seed)


def _alone(column: Column, alpha: float, flips: int, seed: int) -> SliceResult:
    return _result(column, null_minima(column.y[:, None], flips, seed), alpha)


def _result(column: Column, null: NullMinima, alpha: float) -> SliceResult:
    sums = column.sums
    if sums.n == 0:
        return EMPTY
    p = None
    if sums.blockable:
        p = null.p_value(column.statistic) if column.moved else 1.0
    lower, upper = column.interval(null.critical(alpha), alpha)
    return SliceResult(sums.n, len(sums.units), sums.mean, lower, upper, p, sums.blockable)


def _with_breakage(
    results: Mapping[str, SliceResult], family: Mapping[str, UnitSums], channel: Breakage, alpha: float
) -> dict[str, SliceResult]:
    """The results of the slices, adjusted for both channels."""
    both = {}
    for name, sums in family.items():
        one = results[name]
        lower, upper = channel.bounds(sums, DEAL_SHARE * alpha)
        p = min(1.0, (1.0 if one.p is None else one.p) / FLIP_SHARE, channel.p(sums) / DEAL_SHARE)
        both[name] = replace(one, lower=max(lower, one.lower), upper=min(upper, one.upper), p=p)
    return both
