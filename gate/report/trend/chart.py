"""The geometry of a line chart: where points, intervals and marks of the axes lie, in the units of the drawing."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

WIDTH, HEIGHT = 860.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 20.0, 16.0, 44.0
MARKS = 4
"""Of the vertical axis, about."""
WHISKERS = 60
"""Points; where there are more, a band says it more quietly."""
_PLACES = 1

Bounds: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Value:
    """One point as it was measured.

    Args:
        value: what is drawn.
        bounds: of its interval; None where there is none.
    """

    value: float
    bounds: Bounds | None


@dataclass(frozen=True, slots=True)
class Spot:
    """Where one point lies.

    Args:
        x, y: of the point.
        lower, upper: ends of its interval; None where it has none.
    """

    x: float
    y: float
    lower: float | None
    upper: float | None


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark of the vertical axis.

    Args:
        y: where.
        label: what it says.
    """

    y: float
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart, ready to be drawn.

    Args:
        spots: in the order of the values.
        line: through all of them, as the data of an SVG path; empty for one point alone.
        bands: around neighbours that have intervals; empty where there are whiskers.
        marks: of the vertical axis.
    """

    spots: tuple[Spot, ...]
    line: str
    bands: tuple[str, ...]
    marks: tuple[Mark, ...]


def chart(values: Sequence[Value], limits: tuple[float | None, float | None], label: Callable[[float], str]) -> Chart:
    """Lay out values from left to right, each as far from the next as every other.

    Args:
        values: one or more finite numbers.
        limits: what no value can lie beyond.
        label: of a mark of the axis.
    """
    low, high, step = _range(values, limits)
    count = len(values)

    def x(place: int) -> float:
        inner = WIDTH - LEFT - RIGHT
        return round(LEFT + inner * (place / (count - 1) if count > 1 else 0.5), _PLACES)

    def y(value: float) -> float:
        share = (min(max(value, low), high) - low) / (high - low)
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - share), _PLACES)

    spots = tuple(
        Spot(x(place), y(one.value), *((None, None) if one.bounds is None else map(y, one.bounds)))
        for place, one in enumerate(values)
    )
    line = "M" + "L".join(f"{spot.x},{spot.y}" for spot in spots) if count > 1 else ""
    first = math.ceil(low / step - 1e-9)
    ticks = [tick * step for tick in range(first, math.floor(high / step + 1e-9) + 1)]
    marks = tuple(Mark(y(tick), label(tick)) for tick in ticks)
    return Chart(spots, line, tuple(_bands(spots)) if count > WHISKERS else (), marks)


def _bands(spots: Sequence[Spot]) -> Iterator[str]:
    for known, run in groupby(spots, key=lambda spot: spot.lower is not None):
        if known:
            run_of = list(run)
            ends = [(one.x, one.upper) for one in run_of] + [(one.x, one.lower) for one in reversed(run_of)]
            yield "M" + "L".join(f"{x},{y}" for x, y in ends) + "Z"


def _range(values: Sequence[Value], limits: tuple[float | None, float | None]) -> tuple[float, float, float]:
    """Lowest and highest value of the axis, and the step of its marks."""
    ends = [end for one in values for end in (one.value, *(one.bounds or ()))]
    low, high = min(ends), max(ends)
    room = 0.08 * (high - low) or abs(high) * 0.1 or 0.1
    low, high = low - room, high + room
    low = low if limits[0] is None else max(low, limits[0])
    high = high if limits[1] is None else min(high, limits[1])
    if not high > low:
        high = low + 1.0
    rough = (high - low) / MARKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(nice * power for nice in (1.0, 2.0, 5.0, 10.0) if nice * power >= rough * 0.999)
    return low, high, step
