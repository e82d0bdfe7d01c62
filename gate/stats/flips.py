"""The joint null distribution: random sign flips of whole units, the same flips for every slice."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import TOLERANCE, FloatArray
from gate.stats.canonical import canonical_rows

EXHAUSTIVE_BELOW = 13
"""With fewer units than this all sign vectors are tried."""

CHUNK = 1 << 20  # entries of the signs, or of the flipped statistics, held at once: 8 MiB as floats


@dataclass(frozen=True, slots=True)
class NullMinima:
    """What the smallest statistic over all slices looks like if the change does nothing.

    Args:
        minima: float[F], ascending: min over the slices of the flipped statistics, for each of F flips.
    """

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
        y: float[U, S], unit values for each slice of the family; columns without a nonzero value carry no information
            and are left out.
        flips: how many flips at least; rounded up to pairs of a flip and its opposite. With fewer than 13 units all
            2^U are used instead.
        seed: of the flips.

    Returns:
        The minima; none of them when there is nothing to flip.

    Raises:
        ValueError: flips is below 1.
    """
    y = distinct_columns(y)
    few = len(y) < EXHAUSTIVE_BELOW
    minima = _minima([y if few else y[np.any(y != 0.0, axis=1)]], flips, seed, exhaustive=few)[0]
    return NullMinima(np.sort(minima) if y.shape[1] else np.empty(0))


def null_paths(looks: Sequence[FloatArray], flips: int, seed: int) -> FloatArray:
    """The same for looks at growing numbers of samples: one flip of each unit for all of them.

    Args:
        looks: float[U, S] each, unit values for each slice of the family at that look; the same units at every look.
        flips, seed: as in `null_minima`.

    Returns:
        float[J, F], entry f of every look belongs to the same flip; zero at looks where nothing moved.

    Raises:
        ValueError: flips is below 1.
    """
    return _minima([distinct_columns(y) for y in looks], flips, seed, exhaustive=len(looks[0]) < EXHAUSTIVE_BELOW)


def _minima(looks: Sequence[FloatArray], flips: int, seed: int, *, exhaustive: bool) -> FloatArray:
    """Float[J, F], of each flip the smallest statistic at each look; its opposite stands F / 2 further on."""
    if flips < 1:
        raise ValueError(f"flips must be at least 1, not {flips}.")
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
    """Without the columns that are zero or repeated: the minimum over the slices does not see them."""
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
