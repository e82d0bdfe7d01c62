"""Charts of the page: slices with their intervals, moved cases, cost and latency, quality against cost."""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from gate import numbers
from gate.config.values import OVERALL
from gate.record.run import RunRecord, SuiteRecord
from gate.record.transcript import ArmName
from gate.report.page.cases import ArmFigures, GatheredSamples
from gate.report.slices import NamedSlice, short_line, suite_slices
from gate.values import counted

MARKS = 6
_ROOM = 0.04


@dataclass(frozen=True, slots=True)
class LinearScale:
    """A straight line from the lowest to the highest value that is drawn.

    Args:
        low, high: `high` is larger.
        start, end: their places, in percent of the width unless the drawing has other units.
    """

    low: float
    high: float
    start: float = 0.0
    end: float = 100.0

    def at(self, value: float) -> float:
        """The place of a value, limited to the ends."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 2)

    def marks(self, most: int = MARKS) -> tuple[float, ...]:
        """Round numbers within the ends, at most about `most`."""
        step = _step((self.high - self.low) / most)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return tuple(round(number * step, 12) + 0.0 for number in range(first, last + 1))


def linear_scale(
    values: Iterable[float], *, least: float, limits: tuple[float, float] = (-math.inf, math.inf)
) -> LinearScale:
    """A scale that holds all values and zero, with some room at both ends.

    Args:
        values: finite; may be empty.
        least: smallest width.
        limits: the ends stay within them.
    """
    known = [0.0, *values]
    low, high = min(known), max(known)
    if high - low < least:
        lack = (least - (high - low)) / 2
        low, high = low - lack, high + lack
    room = _ROOM * (high - low)
    return LinearScale(max(low - room, limits[0]), min(high + room, limits[1]))


def _step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(nice * power for nice in (1.0, 2.0, 5.0, 10.0) if nice * power >= rough * 0.999)


@dataclass(frozen=True, slots=True)
class ScaleMark:
    """A mark of the scale: its place, in percent of the width, and its label."""

    x: float
    label: str


WIDTH, HEIGHT = 440.0, 220.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 14.0, 14.0, 34.0
BINS = 20
"""From -1 to +1."""
STEPS = 160
"""Points of a curve."""
FEWEST = 5
"""Cases that a histogram needs, and answers that a curve does."""
_CLIPPED = 0.995
"""Share of the answers within the axis: one that took ten times as long would flatten all others."""


@dataclass(frozen=True, slots=True)
class HistogramBar:
    """One bar: its place, its number of cases, and their range of changes."""

    x: float
    y: float
    width: float
    height: float
    count: int
    dropped: bool
    label: str


@dataclass(frozen=True, slots=True)
class DeltaHistogram:
    """How far single cases moved; places are in units of the drawing."""

    bars: tuple[HistogramBar, ...]
    marks: tuple[ScaleMark, ...]
    zero: float
    ground: float
    told: str


def delta_histogram(values: Sequence[float | None]) -> DeltaHistogram | None:
    """A histogram of the changes of cases, with unchanged ones counted apart; None with too few cases.

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
    across, up = (
        LinearScale(-1.0, 1.0, LEFT, WIDTH - RIGHT),
        LinearScale(0.0, max(1, *counts), HEIGHT - BOTTOM, TOP + 12),
    )
    width = (across.end - across.start) / BINS
    bars = []
    for place, count in enumerate(counts):
        if count:
            low, high = (place - BINS // 2) * 2 / BINS, (place + 1 - BINS // 2) * 2 / BINS
            label = f"{numbers.two_decimals(low)} to {numbers.two_decimals(high)}: {counted(count, 'case')}"
            y = up.at(count)
            bars.append(HistogramBar(across.at(low) + 1, y, width - 2, round(up.start - y, 2), count, low < 0, label))
    marks = tuple(ScaleMark(across.at(mark), numbers.two_decimals(mark)) for mark in (-1.0, -0.5, 0.0, 0.5, 1.0))
    dropped = sum(value < 0 for value in moved)
    told = f"{dropped:,} dropped, {len(moved) - dropped:,} improved, {len(known) - len(moved):,} did not change"
    if lost := len(values) - len(known):
        told += f", {lost:,} without a score in both arms"
    return DeltaHistogram(tuple(bars), marks, across.at(0.0), up.start, f"{told}.")


@dataclass(frozen=True, slots=True)
class ArmCurve:
    """One arm.

    Args:
        p50, p95: places of the quantiles; p95 is None where there are too few answers.
    """

    arm: str
    path: str
    p50: tuple[float, float]
    p95: tuple[float, float]
    figures: tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class DistributionCurves:
    """The share of answers that took, or cost, no more than a given value.

    Args:
        suite: empty where there is only one.
        what: `Latency` or `Cost`.
        curves: one for each arm with answers.
        clipped: a note on answers outside the axis; may be empty.
    """

    suite: str
    what: str
    curves: tuple[ArmCurve, ...]
    marks: tuple[ScaleMark, ...]
    shares: tuple[ScaleMark, ...]
    clipped: str
    told: str


def distribution_curves(
    suite: str, what: str, figures: ArmFigures, text: Callable[[float], str]
) -> DistributionCurves | None:
    """Both arms over one axis; None where no arm has enough answers."""
    arms = [(arm, sorted(values)) for arm, values in figures.values.items() if len(values) >= FEWEST]
    if not arms:
        return None
    end = max(_quantile(values, _CLIPPED) for _, values in arms) * 1.02
    across, up = LinearScale(0.0, end, LEFT, WIDTH - RIGHT), LinearScale(0.0, 1.0, HEIGHT - BOTTOM, TOP)
    found = tuple(_curve(arm, values, (across, up), text) for arm, values in arms)
    beyond = sum(len(values) - bisect_right(values, end) for _, values in arms)
    clipped = ""
    if beyond:
        clipped = f"{counted(beyond, 'answer')} above {text(end)}, at most {text(max(v[-1] for _, v in arms))}"
    told = "; ".join(f"{one.arm}: p50 {one.figures[0]}, p95 {one.figures[1]}" for one in found)
    return DistributionCurves(
        suite=suite,
        what=what,
        curves=found,
        marks=tuple(ScaleMark(across.at(mark), text(mark)) for mark in across.marks(5)),
        shares=tuple(ScaleMark(up.at(mark), numbers.share(mark)) for mark in (0.0, 0.5, 0.95)),
        clipped=clipped,
        told=f"{told}.",
    )


def _curve(
    arm: ArmName, values: Sequence[float], scales: tuple[LinearScale, LinearScale], text: Callable[[float], str]
) -> ArmCurve:
    across, up = scales
    count = len(values)
    places = range(count) if count <= STEPS else [round(step * (count - 1) / (STEPS - 1)) for step in range(STEPS)]
    path = f"M{across.at(0.0)},{up.at(0.0)}"
    for place in places:
        if values[place] > across.high:
            break
        path += f"H{across.at(values[place])}V{up.at((place + 1) / count)}"
    p50, p95 = _quantile(values, 0.5), _quantile(values, 0.95)
    return ArmCurve(
        arm=arm.value,
        path=path,
        p50=(across.at(p50), up.at(0.5)),
        p95=(across.at(p95), up.at(0.95)),
        figures=(text(p50), text(p95), f"{count:,}"),
    )


def _quantile(values: Sequence[float], level: float) -> float:
    """A quantile, interpolated between the two values around it."""
    place = level * (len(values) - 1)
    low = math.floor(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)


TRADEOFF_WIDTH, TRADEOFF_HEIGHT = 440.0, 300.0
TRADEOFF_LEFT, TRADEOFF_RIGHT, TRADEOFF_TOP, TRADEOFF_BOTTOM = 52.0, 16.0, 16.0, 40.0
POINTS_SHOWN = 60
"""Points; with more, no slice can be found in the cloud."""
FEWEST_POINTS = 5
"""Cases with a figure of both arms that a slice needs."""
LABELS = 12
"""Slices whose name is written next to their point, where names do not overlap."""
LONGEST_NAME = 28
"""Characters of a name that are written."""
_LINE, _LETTER, _GAP, _DOT = 13.0, 6.4, 9.0, 6.0
"""Height of a name, width of a letter, distance from a point to its name, and radius of a point with its edge."""
ALIKE = 0.05
"""A latency that changed by less is drawn as the same."""
_LEAST_QUALITY, _LEAST_COST = 0.1, 0.1


@dataclass(frozen=True, slots=True)
class TradeoffPoint:
    """A suite or a slice of one.

    Args:
        pace: `slower`, `faster` or `same`; `unknown` where there are no times.
        label: whether the name is written next to the point; on its left where `left` is set.
    """

    name: str
    overall: bool
    x: float
    y: float
    pace: str
    label: bool
    left: bool
    cases: str
    quality: str
    cost: str
    latency: str


@dataclass(frozen=True, slots=True)
class Tradeoffs:
    """The drawing.

    Args:
        points: the slices, the worst first; then the suites.
        allowance: place of the limit of cost or latency; None where the suites have several, or it is far off.
    """

    points: tuple[TradeoffPoint, ...]
    across: str
    marks: tuple[ScaleMark, ...]
    heights: tuple[ScaleMark, ...]
    zero: tuple[float, float]
    allowance: float | None
    paces: bool
    more: int


@dataclass(frozen=True, slots=True)
class _Found:
    name: str
    overall: bool
    n: int
    quality: float
    cost: float | None
    latency: float | None


def tradeoffs(run: RunRecord, gathered: GatheredSamples) -> Tradeoffs | None:
    """Quality against cost, or against latency where nothing has a price; None with fewer than two points."""
    found = [one for suite in run.suites for one in _of_suite(run, suite, gathered)]
    priced = any(one.cost is not None for one in found)
    drawn = [one for one in found if (one.cost if priced else one.latency) is not None]
    if len(drawn) < 2:
        return None
    whole = [one for one in drawn if one.overall]
    slices = sorted((one for one in drawn if not one.overall), key=lambda one: (one.quality, one.name))
    shown = [*slices[: POINTS_SHOWN // 2], *slices[POINTS_SHOWN // 2 :][-(POINTS_SHOWN // 2) :]]
    drawn = [*shown, *whole]
    values = [(one.cost if priced else one.latency) or 0.0 for one in drawn]
    allowed = {suite.cost.allowance if priced else suite.latency.allowance for suite in run.suites}
    allowance = allowed.pop() if len(allowed) == 1 else None
    near = [] if allowance is None or allowance > 1.5 * max(map(abs, values)) else [allowance]
    across = _placed(linear_scale([*values, *near], least=_LEAST_COST), TRADEOFF_LEFT, TRADEOFF_WIDTH - TRADEOFF_RIGHT)
    ups = linear_scale([one.quality for one in drawn], least=_LEAST_QUALITY)
    up = _placed(ups, TRADEOFF_HEIGHT - TRADEOFF_BOTTOM, TRADEOFF_TOP)
    points = [_point(one, (across, up), priced) for one in drawn]
    wanted = [*points[len(shown) :], *points[:LABELS], *points[len(shown) - 1 : len(shown)]]
    named = _named(list({id(point): point for point in wanted}.values()), points)
    return Tradeoffs(
        points=tuple(_labelled(point, named) for point in points),
        across="cost" if priced else "latency",
        marks=tuple(ScaleMark(across.at(mark), numbers.change(mark) or "0") for mark in across.marks(5)),
        heights=tuple(ScaleMark(up.at(mark), numbers.two_decimals(mark)) for mark in up.marks(5)),
        zero=(across.at(0.0), up.at(0.0)),
        allowance=across.at(near[0]) if near else None,
        paces=priced and any(one.latency is not None for one in drawn),
        more=len(slices) - len(shown),
    )


def _placed(scale: LinearScale, start: float, end: float) -> LinearScale:
    return LinearScale(scale.low, scale.high, start, end)


def _of_suite(run: RunRecord, suite: SuiteRecord, gathered: GatheredSamples) -> Iterator[_Found]:
    overall, *others = suite_slices(run, suite)
    cost = suite.cost.change if suite.cost.compared else None
    latency = suite.latency.change if suite.latency.compared else None
    if overall.record.mean is not None:
        name = overall.suite or OVERALL
        yield _Found(short_line(name), True, overall.record.n, overall.record.mean, cost, latency)
    members: dict[str, list[str]] = {}
    for case in suite.cases:
        for dimension, value in case.slices.items():
            members.setdefault(f"{dimension}={value}", []).append(case.id)
    for named in others:
        if named.record.mean is not None and (found := _of_slice(named, suite, members, gathered)) is not None:
            yield found


def _of_slice(
    named: NamedSlice, suite: SuiteRecord, members: dict[str, list[str]], gathered: GatheredSamples
) -> _Found | None:
    """The point of a slice; None where its cases have no figures of both arms."""
    keys = [(suite.name, case) for case in members.get(named.local, ())]
    dollars, seconds = gathered.dollars.get(suite.name), gathered.seconds.get(suite.name)
    cost = _ratio_of_means(_pairs(dollars, keys)) if suite.cost.compared else None
    latency = _mean_ratio(_pairs(seconds, keys)) if suite.latency.compared else None
    if cost is None and latency is None:
        return None
    return _Found(short_line(named.full), False, named.record.n, named.record.mean or 0.0, cost, latency)


def _pairs(figures: ArmFigures | None, keys: Iterable[tuple[str, str]]) -> list[tuple[float, float]]:
    return [] if figures is None else [figures.pairs[key] for key in keys if key in figures.pairs]


def _ratio_of_means(pairs: Sequence[tuple[float, float]]) -> float | None:
    """The ratio of total costs, as the axis of cost is measured."""
    if len(pairs) < FEWEST_POINTS:
        return None
    return math.fsum(after for _, after in pairs) / math.fsum(before for before, _ in pairs) - 1.0


def _mean_ratio(pairs: Sequence[tuple[float, float]]) -> float | None:
    """The geometric mean of the ratios of the cases, as the axis of latency is measured."""
    if len(pairs) < FEWEST_POINTS:
        return None
    return math.exp(fmean(math.log(after / before) for before, after in pairs)) - 1.0


def _named(wanted: Sequence[TradeoffPoint], points: Sequence[TradeoffPoint]) -> dict[str, bool]:
    """The names to write, each with whether it stands to the left, so that none covers a name or a point.

    The first suite has its name in any case: a reader looks for all cases first.
    """
    boxes: list[tuple[float, float, float]] = []
    kept: dict[str, bool] = {}
    for point in wanted:
        width = _GAP + _LETTER * min(len(point.name), LONGEST_NAME)
        spans = {left: (point.x - width, point.x) if left else (point.x, point.x + width) for left in (True, False)}
        others = [other for other in points if other is not point]
        met = {left: _met(span, point.y, boxes, others) for left, span in spans.items()}
        left = min((point.left, not point.left), key=met.__getitem__)
        if not met[left] or (point.overall and not kept):
            boxes.append((*spans[left], point.y))
            kept[point.name] = left
    return kept


def _met(
    span: tuple[float, float], y: float, boxes: Sequence[tuple[float, float, float]], points: Sequence[TradeoffPoint]
) -> int:
    """How many names and points a name would cover; leaving the drawing counts as worse than any of that."""
    low, high = span
    names = sum(abs(y - at) < _LINE and low < end and start < high for start, end, at in boxes)
    dots = sum(abs(other.y - y) < _LINE and low - _DOT < other.x < high + _DOT for other in points)
    return names + dots + (0 if low >= 0 and high <= TRADEOFF_WIDTH else len(points) + 1)


def _labelled(point: TradeoffPoint, named: dict[str, bool]) -> TradeoffPoint:
    return replace(point, label=point.name in named, left=named.get(point.name, point.left))


def _point(one: _Found, scales: tuple[LinearScale, LinearScale], priced: bool) -> TradeoffPoint:
    x = scales[0].at((one.cost if priced else one.latency) or 0.0)
    pace = "unknown" if one.latency is None else "same"
    if one.latency is not None and abs(one.latency) >= ALIKE:
        pace = "slower" if one.latency > 0 else "faster"
    return TradeoffPoint(
        name=one.name,
        overall=one.overall,
        x=x,
        y=scales[1].at(one.quality),
        pace=pace if priced else "same",
        label=False,
        left=x > (TRADEOFF_LEFT + TRADEOFF_WIDTH - TRADEOFF_RIGHT) / 2,
        cases=f"{one.n:,}",
        quality=numbers.delta(one.quality),
        cost=numbers.change(one.cost),
        latency=numbers.change(one.latency),
    )
