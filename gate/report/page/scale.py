"""Scales of drawings: where a value lies between two ends, and marks at round numbers."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

MARKS = 6
_ROOM = 0.04


@dataclass(frozen=True, slots=True)
class Scale:
    """A straight line from the lowest to the highest value that is drawn.

    Args:
        low, high: its ends; `high` is larger.
        start, end: where they lie, in the units of the drawing; percent of its width unless it says otherwise.
    """

    low: float
    high: float
    start: float = 0.0
    end: float = 100.0

    def at(self, value: float) -> float:
        """Where a value lies, within the ends."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 2)

    def marks(self, most: int = MARKS) -> tuple[float, ...]:
        """Round numbers within the ends, at most about `most`."""
        step = _step((self.high - self.low) / most)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return tuple(round(number * step, 12) + 0.0 for number in range(first, last + 1))


def scale_of(values: Iterable[float], *, least: float, limits: tuple[float, float] = (-math.inf, math.inf)) -> Scale:
    """A scale with all values and zero on it, and a little room at both ends.

    Args:
        values: finite; there may be none.
        least: width that it has at the least.
        limits: what the ends do not lie beyond.
    """
    known = [0.0, *values]
    low, high = min(known), max(known)
    if high - low < least:
        lack = (least - (high - low)) / 2
        low, high = low - lack, high + lack
    room = _ROOM * (high - low)
    return Scale(max(low - room, limits[0]), min(high + room, limits[1]))


def _step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(nice * power for nice in (1.0, 2.0, 5.0, 10.0) if nice * power >= rough * 0.999)
