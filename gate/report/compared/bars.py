"""An interval drawn in text, on a scale that all rows of a table share."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

WIDTH = 17
"""Columns of a bar; the outermost two are kept for the arrows of ends that lie outside."""

_STEP = 0.05
_MARGIN = 0.15
_ZERO = 1e-9


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean change and its bounds, on the scale of scores.

    Args:
        mean: None when nothing was measured.
        lower, upper: None is infinite.
    """

    mean: float | None
    lower: float | None
    upper: float | None


@dataclass(frozen=True, slots=True)
class Scale:
    """What the columns of a bar span; zero always lies strictly inside."""

    low: float
    high: float

    @property
    def zero(self) -> int:
        """The column of the zero mark, with at least one column for values on either side."""
        return min(max(self._position(0.0), 2), WIDTH - 3)

    def column(self, value: float) -> int:
        """The column of a value; what is not zero never falls on the zero mark, nor on its other side."""
        if abs(value) < _ZERO:
            return self.zero
        place = min(max(self._position(value), 1), WIDTH - 2)
        return min(place, self.zero - 1) if value < 0 else max(place, self.zero + 1)

    def _position(self, value: float) -> int:
        share = (value - self.low) / (self.high - self.low)
        return 1 + round(share * (WIDTH - 3))


def scale_of(intervals: Iterable[Interval]) -> Scale:
    """The smallest tidy scale that holds zero, every mean and every bound within [-1, 1].

    Args:
        intervals: the rows of a table; infinite bounds do not stretch the scale, an arrow stands for them.
    """
    ends = [0.0]
    for item in intervals:
        ends += [value for value in (item.mean, item.lower, item.upper) if value is not None]
    low, high = max(min(ends), -1.0), min(max(ends), 1.0)
    room = max((high - low) * _MARGIN, _STEP)
    low, high = min(low, -room), max(high, room)
    return Scale(math.floor(low / _STEP + _ZERO) * _STEP, math.ceil(high / _STEP - _ZERO) * _STEP)


def draw(interval: Interval, scale: Scale) -> str:
    """One bar: `  ├──●──┤ │      `, `◄──●──┼─┤       `.

    Args:
        interval: what to draw.
        scale: from `scale_of`, the same for all rows of a table.

    Returns:
        `WIDTH` characters.
    """
    cells = [" "] * WIDTH
    cells[scale.zero] = "│"
    if interval.mean is None:
        return "".join(cells)
    left, right = _end(interval.lower, scale, infinite=0), _end(interval.upper, scale, infinite=WIDTH - 1)
    for place in range(left, right + 1):
        cells[place] = "┼" if place == scale.zero else "─"
    cells[left] = "◄" if left == 0 else "├"
    cells[right] = "►" if right == WIDTH - 1 else "┤"
    cells[scale.column(interval.mean)] = "●"
    return "".join(cells)


def _end(bound: float | None, scale: Scale, *, infinite: int) -> int:
    if bound is None:
        return infinite
    if bound < scale.low - _ZERO:
        return 0
    if bound > scale.high + _ZERO:
        return WIDTH - 1
    return scale.column(bound)
