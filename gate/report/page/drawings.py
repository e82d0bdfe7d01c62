"""Where everything lies in the drawings of the page: how cases moved, and how cost and latency are spread."""

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gate.domain.sample import ArmName
from gate.report import numbers
from gate.report.page.forest import Mark
from gate.report.page.gathering import Spread
from gate.report.page.scale import Scale

WIDTH, HEIGHT = 440.0, 220.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 14.0, 14.0, 34.0
BINS = 20
"""From a fall of 1 to a rise of 1."""
STEPS = 160
"""Points of a curve."""
FEWEST = 5
"""Cases that a histogram needs, and answers that a curve does."""
_CLIPPED = 0.995
"""Share of the answers that the axis reaches to: one that took ten times as long would flatten all others."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: where, how many, and of which changes."""

    x: float
    y: float
    width: float
    height: float
    count: int
    fell: bool
    label: str


@dataclass(frozen=True, slots=True)
class Deltas:
    """How far single cases moved.

    Args:
        bars: those with cases in them.
        marks: of the horizontal axis, in units of the drawing.
        zero: place of no change.
        ground: of the bars.
        told: the same as a sentence.
    """

    bars: tuple[Bar, ...]
    marks: tuple[Mark, ...]
    zero: float
    ground: float
    told: str


def deltas(values: Sequence[float | None]) -> Deltas | None:
    """A histogram of the changes of cases; those that did not move are counted apart. None with too few cases.

    Args:
        values: one per case, in [-1, 1]; None where an arm has no score.
    """
    known = [value for value in values if value is not None]
    if len(known) < FEWEST:
        return None
    moved = [value for value in known if abs(value) > numbers.ZERO]
    counts = [0] * BINS
    for value in moved:
        # A change of exactly a tenth belongs to the tenth that it completes, on either side of zero.
        tenths = round(value * BINS / 2, 6)
        place = max(0, math.ceil(tenths) - 1) if value > 0 else min(-1, math.floor(tenths))
        counts[min(BINS - 1, max(0, place + BINS // 2))] += 1
    across, up = Scale(-1.0, 1.0, LEFT, WIDTH - RIGHT), Scale(0.0, max(1, *counts), HEIGHT - BOTTOM, TOP + 12)
    width = (across.end - across.start) / BINS
    bars = []
    for place, count in enumerate(counts):
        if count:
            low, high = (place - BINS // 2) * 2 / BINS, (place + 1 - BINS // 2) * 2 / BINS
            label = f"{numbers.plain(low)} to {numbers.plain(high)}: {numbers.counted(count, 'case')}"
            y = up.at(count)
            bars.append(Bar(across.at(low) + 1, y, width - 2, round(up.start - y, 2), count, low < 0, label))
    marks = tuple(Mark(across.at(mark), numbers.plain(mark)) for mark in (-1.0, -0.5, 0.0, 0.5, 1.0))
    fell = sum(value < 0 for value in moved)
    told = f"{fell:,} fell, {len(moved) - fell:,} rose, {len(known) - len(moved):,} did not move"
    if lost := len(values) - len(known):
        told += f", {lost:,} without a score of both arms"
    return Deltas(tuple(bars), marks, across.at(0.0), up.start, f"{told}.")


@dataclass(frozen=True, slots=True)
class Curve:
    """One arm.

    Args:
        arm: its name.
        path: of its curve, as the data of an SVG path.
        p50, p95: places of the quantiles; the second is None where there are too few answers for one.
        figures: both as text, and how many answers.
    """

    arm: str
    path: str
    p50: tuple[float, float]
    p95: tuple[float, float]
    figures: tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Curves:
    """The share of answers that took, or cost, at most so much.

    Args:
        suite: its name; empty where there is one alone.
        what: `Latency` or `Cost`.
        curves: one for each arm that has answers.
        marks: of the horizontal axis.
        shares: of the vertical one.
        clipped: of the answers that lie beyond the axis; empty where none does.
        told: the same as a sentence.
    """

    suite: str
    what: str
    curves: tuple[Curve, ...]
    marks: tuple[Mark, ...]
    shares: tuple[Mark, ...]
    clipped: str
    told: str


def curves(suite: str, what: str, spread: Spread, text: Callable[[float], str]) -> Curves | None:
    """Both arms over one axis; None where no arm has enough answers.

    Args:
        suite, what: for the reader.
        spread: every value.
        text: a value for the reader.
    """
    arms = [(arm, sorted(values)) for arm, values in spread.values.items() if len(values) >= FEWEST]
    if not arms:
        return None
    end = max(_quantile(values, _CLIPPED) for _, values in arms) * 1.02
    across, up = Scale(0.0, end, LEFT, WIDTH - RIGHT), Scale(0.0, 1.0, HEIGHT - BOTTOM, TOP)
    found = tuple(_curve(arm, values, (across, up), text) for arm, values in arms)
    beyond = sum(len(values) - bisect_right(values, end) for _, values in arms)
    clipped = ""
    if beyond:
        clipped = f"{numbers.counted(beyond, 'answer')} beyond {text(end)}, at most {text(max(v[-1] for _, v in arms))}"
    told = "; ".join(f"{one.arm}: p50 {one.figures[0]}, p95 {one.figures[1]}" for one in found)
    return Curves(
        suite=suite,
        what=what,
        curves=found,
        marks=tuple(Mark(across.at(mark), text(mark)) for mark in across.marks(5)),
        shares=tuple(Mark(up.at(mark), numbers.share(mark)) for mark in (0.0, 0.5, 0.95)),
        clipped=clipped,
        told=f"{told}.",
    )


def _curve(arm: ArmName, values: Sequence[float], scales: tuple[Scale, Scale], text: Callable[[float], str]) -> Curve:
    across, up = scales
    count = len(values)
    places = range(count) if count <= STEPS else [round(step * (count - 1) / (STEPS - 1)) for step in range(STEPS)]
    path = f"M{across.at(0.0)},{up.at(0.0)}"
    for place in places:
        if values[place] > across.high:
            break
        path += f"H{across.at(values[place])}V{up.at((place + 1) / count)}"
    p50, p95 = _quantile(values, 0.5), _quantile(values, 0.95)
    return Curve(
        arm=arm.value,
        path=path,
        p50=(across.at(p50), up.at(0.5)),
        p95=(across.at(p95), up.at(0.95)),
        figures=(text(p50), text(p95), f"{count:,}"),
    )


def _quantile(values: Sequence[float], level: float) -> float:
    """Between the two values that it lies between, as far as it lies."""
    place = level * (len(values) - 1)
    low = math.floor(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)
