"""Quality against cost, with latency as the third axis: every suite, and every slice of it, as one point."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from gate.config.policy import OVERALL
from gate.domain.record import RunRecord
from gate.domain.record_compared import SuiteRecord
from gate.report import numbers
from gate.report.page.forest import Mark
from gate.report.page.gathering import Gathered, Spread
from gate.report.page.scale import Scale, scale_of
from gate.report.slices import Named, of_suite, short

WIDTH, HEIGHT = 440.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 16.0, 16.0, 40.0
SHOWN = 60
"""Points; more are a cloud in which nobody finds a slice."""
FEWEST = 5
"""Cases of a slice with a figure of both arms."""
LABELS = 12
"""Slices with their name beside their point, as far as names do not meet."""
LONGEST_NAME = 28
"""Characters of a name that are written."""
_LINE, _LETTER, _GAP, _DOT = 13.0, 6.4, 9.0, 6.0
"""Height of a name, width of a letter, from a point to its name, and half a point with its edge."""
ALIKE = 0.05
"""A latency that changed by less is drawn as the same."""
_LEAST_QUALITY, _LEAST_COST = 0.1, 0.1


@dataclass(frozen=True, slots=True)
class Point:
    """A suite or a slice of one.

    Args:
        name: full, in a run over several suites.
        overall: all cases of a suite.
        x, y: where.
        pace: `slower`, `faster` or `same`; `unknown` where there are no times.
        label: written beside the point.
        left: the label stands to its left.
        cases: how many.
        quality, cost, latency: as text.
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
        across: what the horizontal axis is; the vertical one is quality.
        marks: of the horizontal axis, and of the vertical one.
        zero: place of no change on both axes.
        allowance: place of what cost, or latency, may rise by; None where the suites have several, or it is far off.
        paces: what shapes stand for occurs: there are times of both arms, and they are not an axis.
        more: slices that are not drawn.
    """

    points: tuple[Point, ...]
    across: str
    marks: tuple[Mark, ...]
    heights: tuple[Mark, ...]
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


def tradeoffs(run: RunRecord, gathered: Gathered) -> Tradeoffs | None:
    """None where quality is known, and neither cost nor latency is, or there is but one point to be drawn.

    Where nothing has a price, latency takes the place of cost.
    """
    found = [one for suite in run.suites for one in _of_suite(run, suite, gathered)]
    priced = any(one.cost is not None for one in found)
    drawn = [one for one in found if (one.cost if priced else one.latency) is not None]
    if len(drawn) < 2:
        return None
    whole = [one for one in drawn if one.overall]
    slices = sorted((one for one in drawn if not one.overall), key=lambda one: (one.quality, one.name))
    shown = [*slices[: SHOWN // 2], *slices[SHOWN // 2 :][-(SHOWN // 2) :]]
    drawn = [*shown, *whole]
    values = [(one.cost if priced else one.latency) or 0.0 for one in drawn]
    allowed = {suite.cost.allowance if priced else suite.latency.allowance for suite in run.suites}
    allowance = allowed.pop() if len(allowed) == 1 else None
    near = [] if allowance is None or allowance > 1.5 * max(map(abs, values)) else [allowance]
    across = _placed(scale_of([*values, *near], least=_LEAST_COST), LEFT, WIDTH - RIGHT)
    ups = scale_of([one.quality for one in drawn], least=_LEAST_QUALITY)
    up = _placed(ups, HEIGHT - BOTTOM, TOP)
    points = [_point(one, (across, up), priced) for one in drawn]
    wanted = [*points[len(shown) :], *points[:LABELS], *points[len(shown) - 1 : len(shown)]]
    named = _named(list({id(point): point for point in wanted}.values()), points)
    return Tradeoffs(
        points=tuple(_labelled(point, named) for point in points),
        across="cost" if priced else "latency",
        marks=tuple(Mark(across.at(mark), numbers.change(mark) or "0") for mark in across.marks(5)),
        heights=tuple(Mark(up.at(mark), numbers.plain(mark)) for mark in up.marks(5)),
        zero=(across.at(0.0), up.at(0.0)),
        allowance=across.at(near[0]) if near else None,
        paces=priced and any(one.latency is not None for one in drawn),
        more=len(slices) - len(shown),
    )


def _placed(scale: Scale, start: float, end: float) -> Scale:
    return Scale(scale.low, scale.high, start, end)


def _of_suite(run: RunRecord, suite: SuiteRecord, gathered: Gathered) -> Iterator[_Found]:
    overall, *others = of_suite(run, suite)
    cost = suite.cost.change if suite.cost.compared else None
    latency = suite.latency.change if suite.latency.compared else None
    if overall.record.mean is not None:
        name = overall.suite or OVERALL
        yield _Found(short(name), True, overall.record.n, overall.record.mean, cost, latency)
    members: dict[str, list[str]] = {}
    for case in suite.cases:
        for dimension, value in case.slices.items():
            members.setdefault(f"{dimension}={value}", []).append(case.id)
    for named in others:
        if named.record.mean is not None and (found := _of_slice(named, suite, members, gathered)) is not None:
            yield found


def _of_slice(named: Named, suite: SuiteRecord, members: dict[str, list[str]], gathered: Gathered) -> _Found | None:
    """A slice; None where its cases have no figures of both arms."""
    keys = [(suite.name, case) for case in members.get(named.local, ())]
    dollars, seconds = gathered.dollars.get(suite.name), gathered.seconds.get(suite.name)
    cost = _ratio_of_means(_pairs(dollars, keys)) if suite.cost.compared else None
    latency = _mean_ratio(_pairs(seconds, keys)) if suite.latency.compared else None
    if cost is None and latency is None:
        return None
    return _Found(short(named.full), False, named.record.n, named.record.mean or 0.0, cost, latency)


def _pairs(spread: Spread | None, keys: Iterable[tuple[str, str]]) -> list[tuple[float, float]]:
    return [] if spread is None else [pair for key in keys if (pair := spread.pair(key)) is not None]


def _ratio_of_means(pairs: Sequence[tuple[float, float]]) -> float | None:
    """As the axis of cost is measured: what all of it costs after, by what it cost before."""
    if len(pairs) < FEWEST:
        return None
    return math.fsum(after for _, after in pairs) / math.fsum(before for before, _ in pairs) - 1.0


def _mean_ratio(pairs: Sequence[tuple[float, float]]) -> float | None:
    """As the axis of latency is measured: the geometric mean of the ratios of the cases."""
    if len(pairs) < FEWEST:
        return None
    return math.exp(fmean(math.log(after / before) for before, after in pairs)) - 1.0


def _named(wanted: Sequence[Point], points: Sequence[Point]) -> dict[str, bool]:
    """Names that are written, each with whether it stands to the left: over no other name and over no point.

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
    span: tuple[float, float], y: float, boxes: Sequence[tuple[float, float, float]], points: Sequence[Point]
) -> int:
    """How many names and points a name would stand on; beyond the edge of the drawing it is worse than that."""
    low, high = span
    names = sum(abs(y - at) < _LINE and low < end and start < high for start, end, at in boxes)
    dots = sum(abs(other.y - y) < _LINE and low - _DOT < other.x < high + _DOT for other in points)
    return names + dots + (0 if low >= 0 and high <= WIDTH else len(points) + 1)


def _labelled(point: Point, named: dict[str, bool]) -> Point:
    return replace(point, label=point.name in named, left=named.get(point.name, point.left))


def _point(one: _Found, scales: tuple[Scale, Scale], priced: bool) -> Point:
    x = scales[0].at((one.cost if priced else one.latency) or 0.0)
    pace = "unknown" if one.latency is None else "same"
    if one.latency is not None and abs(one.latency) >= ALIKE:
        pace = "slower" if one.latency > 0 else "faster"
    return Point(
        name=one.name,
        overall=one.overall,
        x=x,
        y=scales[1].at(one.quality),
        pace=pace if priced else "same",
        label=False,
        left=x > (LEFT + WIDTH - RIGHT) / 2,
        cases=f"{one.n:,}",
        quality=numbers.delta(one.quality),
        cost=numbers.change(one.cost),
        latency=numbers.change(one.latency),
    )
