"""The null distribution of the breakage channel: the samples of each case dealt to the two arms at random."""

from itertools import combinations

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import FloatArray, IntArray
from gate.stats.canonical import canonical_rows
from gate.stats.flips import NullMinima, distinct_columns

_HELD = 1 << 22  # dealt statistics held at once, 32 MiB
_BLOCK = 1 << 18  # dealt deltas at once: these stay in the processor's cache
_WORD = 1 << 16


def dealt_minima(centred: FloatArray, spread: FloatArray, members: FloatArray, flips: int, seed: int) -> NullMinima:
    """Deal the samples of each case to the arms, and keep the smallest studentised sum of each deal.

    Args:
        centred: float[U, 2k], the samples of both arms of each case, ascending, minus their mean.
        spread: float[U], variance of the delta of each case over all deals; 0 where the samples do not differ.
        members: float[U, S], 1 where a case is in a slice, else 0.
        flips: how many deals at least; rounded up to pairs of a deal and its opposite.
        seed: of the deals.

    Returns:
        The minima; none of them when no samples differ.
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
    """Float[2k, D]: the weight of each sample in each of the D deals, +1/k for the candidate, -1/k for the baseline."""
    deals = list(combinations(range(2 * k), k))
    arms = np.full((2 * k, len(deals)), -1.0 / k)
    for column, candidate in enumerate(deals):
        arms[list(candidate), column] = 1.0 / k
    return arms


def _uniform(source: np.random.PCG64, count: int, below: int) -> npt.NDArray[np.uint16]:
    """Uint16[count], uniform below a bound: words in the last, incomplete share of their range are drawn again."""
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
