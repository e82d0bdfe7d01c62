"""Sign flips that stay the same from look to look, though more is known of each unit every time."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Protocol

import numpy as np

from gate.stats.arrays import FloatArray, IntArray
from gate.stats.canonical import Hashes, row_colours
from gate.stats.flips import CHUNK, EXHAUSTIVE_BELOW, all_signs, distinct_columns, random_signs

_APART = 0x9E3779B97F4A7C15
"""Between the seeds of independent flips."""
_KEPT = 8
_remembered: OrderedDict[bytes, FloatArray] = OrderedDict()
"""Flips of the latest looks: a run repeats its looks after each repeat of the cases, and for the report."""


class Flips(Protocol):
    """Flips the signs of units, look after look."""

    def minima(self, weights: Sequence[FloatArray]) -> FloatArray:
        """The next look: float[F], entry f of every look belongs to the same flip."""


@dataclass(slots=True)
class SteadyFlips:
    """One flip per unit for all looks.

    The units stand in an order that the first look decides; later looks part only those that were alike until then, and
    could have traded places without a trace. The same holds for their signs (module `canonical`). So an earlier look
    repeats itself exactly whatever comes after it.

    Args:
        units: U.
        flips: at least so many, rounded up to pairs of opposites; all 2^U with fewer than 13 units.
        seed: of the flips.

    Raises:
        ValueError: flips is below 1.
    """

    units: int
    flips: int
    seed: int
    _keys: list[Hashes] = field(default_factory=list, init=False)
    _lead: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        if self.flips < 1:
            raise ValueError(f"flips must be at least 1, not {self.flips}.")
        self._lead = np.zeros(self.units)

    def minima(self, weights: Sequence[FloatArray]) -> FloatArray:
        """Of each flip the smallest statistic over the slices.

        Args:
            weights: float[U, S] each, of unit length together where something moved. The first goes with the flips
                that all looks share, each further one with flips of its own; they are added up.

        Returns:
            float[F], in the order of the flips; all zero where nothing moved.
        """
        moved = np.any(weights[0] != 0.0, axis=0)
        stacked = distinct_columns(np.concatenate([one[:, moved] for one in weights]))
        exhaustive = self.units < EXHAUSTIVE_BELOW
        pairs = 2 ** max(0, self.units - 1) if exhaustive else (self.flips + 1) // 2
        if stacked.shape[1] == 0:
            return np.zeros(2 * pairs)
        rows = self._order(stacked[: self.units])
        parts = [(self._lead_or_one()[:, None] * part)[rows] for part in np.split(stacked, len(weights))]
        what = f"{self.seed} {self.units} {pairs} {len(parts)} {exhaustive}".encode()
        key = blake2b(b"".join([what, *(part.tobytes() for part in parts)])).digest()
        if key not in _remembered:
            _remembered[key] = self._drawn(parts, pairs, exhaustive=exhaustive)
            if len(_remembered) > _KEPT:
                _remembered.popitem(last=False)
        _remembered.move_to_end(key)
        return _remembered[key]

    def _drawn(self, parts: Sequence[FloatArray], pairs: int, *, exhaustive: bool) -> FloatArray:
        out = np.zeros(2 * pairs)
        for start, flipped in self._flipped(parts, pairs, exhaustive=exhaustive):
            end = start + len(flipped)
            out[start:end], out[pairs + start : pairs + end] = flipped.min(axis=1), -flipped.max(axis=1)
        out.flags.writeable = False
        return out

    def _flipped(
        self, parts: Sequence[FloatArray], pairs: int, *, exhaustive: bool
    ) -> Iterator[tuple[int, FloatArray]]:
        """Yield the position of the first flip and float[rows, S], in chunks."""
        rows = max(1, CHUNK // max(parts[0].shape))
        common = iter([all_signs(self.units)]) if exhaustive else random_signs(self.units, pairs, self.seed, rows=rows)
        # These are drawn, however few units there are.
        held = pairs if exhaustive else rows
        further = [
            random_signs(self.units, pairs, self.seed + _APART * number, rows=held) for number in range(1, len(parts))
        ]
        start = 0
        for chunks in zip(common, *further, strict=True):
            flipped = np.zeros((len(chunks[0]), parts[0].shape[1]))
            for chunk, part in zip(chunks, parts, strict=True):
                flipped += chunk.astype(np.float64) @ (-2.0 * part)
                flipped += part.sum(axis=0)
            yield start, flipped
            start += len(flipped)

    def _lead_or_one(self) -> FloatArray:
        return np.where(self._lead == 0.0, 1.0, self._lead)

    def _order(self, y: FloatArray) -> IntArray:
        """Where each row stands among the flips; refines the signs, too."""
        ahead, behind = row_colours(y)
        undecided = self._lead == 0.0
        self._keys.append(np.where(undecided, np.maximum(ahead, behind), np.where(self._lead > 0.0, ahead, behind)))
        sign = np.where(ahead > behind, 1.0, np.where(ahead < behind, -1.0, 0.0))
        self._lead = np.where(undecided, sign, self._lead)
        return np.lexsort(self._keys[::-1])
