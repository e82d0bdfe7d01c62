"""Sign flips that stay the same from look to look, though more is known of each unit every time."""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from gate.stats.arrays import FloatArray
from gate.stats.canonical import Hashes, row_colours
from gate.stats.flips import CHUNK, EXHAUSTIVE_BELOW, all_signs, distinct_columns, random_signs


class Flips(Protocol):
    """Flips the signs of units, look after look."""

    def minima(self, y: FloatArray) -> FloatArray:
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

    def minima(self, y: FloatArray) -> FloatArray:
        """Of each flip the smallest studentised sum over the slices.

        Args:
            y: float[U, S], unit values for each slice of the family at this look.

        Returns:
            float[F], in the order of the flips; all zero where nothing moved.
        """
        y = distinct_columns(y[:, np.any(y != 0.0, axis=0)])
        exhaustive = self.units < EXHAUSTIVE_BELOW
        pairs = 2 ** max(0, self.units - 1) if exhaustive else (self.flips + 1) // 2
        out = np.zeros(2 * pairs)
        if y.shape[1] == 0:
            return out
        if exhaustive:
            bits = iter([all_signs(self.units)])
        else:
            y = self._placed(y)
            bits = random_signs(self.units, pairs, self.seed, rows=max(1, CHUNK // max(y.shape)))
        z = y / np.sqrt(np.sum(y * y, axis=0))
        total, start = z.sum(axis=0), 0
        for chunk in bits:
            flipped = chunk.astype(np.float64) @ z
            flipped *= -2.0
            flipped += total
            end = start + len(flipped)
            out[start:end], out[pairs + start : pairs + end] = flipped.min(axis=1), -flipped.max(axis=1)
            start = end
        return out

    def _placed(self, y: FloatArray) -> FloatArray:
        """The rows in the order and with the signs of the flips."""
        ahead, behind = row_colours(y)
        undecided = self._lead == 0.0
        self._keys.append(np.where(undecided, np.maximum(ahead, behind), np.where(self._lead > 0.0, ahead, behind)))
        self._lead[undecided] = np.where(ahead > behind, 1.0, np.where(ahead < behind, -1.0, 0.0))[undecided]
        lead = np.where(self._lead == 0.0, 1.0, self._lead)
        placed: FloatArray = (y * lead[:, None])[np.lexsort(self._keys[::-1])]
        return placed
