"""One figure of a suite over its newest runs: a chart, and the same in a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from gate.config.policy import OVERALL
from gate.domain.history import Axis, Figure, Point
from gate.domain.verdict import Verdict
from gate.domain.words import counted
from gate.report import numbers
from gate.report.slices import short
from gate.report.trend.chart import Bounds, Chart, Value, chart
from gate.stats.student import t_quantile

CONFIDENCE = 0.95
_LIMITS: Mapping[Axis, tuple[float | None, float | None]] = {
    "quality": (0.0, 1.0),
    "cost": (0.0, None),
    "latency": (0.0, None),
}
_NAMES: Mapping[Axis, str] = {
    "quality": "Mean score",
    "cost": "Mean price of a sample",
    "latency": "Mean seconds of a sample",
}


@dataclass(frozen=True, slots=True)
class TrendRow:
    """One run.

    Args:
        run: its id.
        created: when.
        branch: may be empty.
        merged: it is of a merge.
        verdict: of the run.
        n: cases.
        baseline, candidate, interval, change: as text; a dash where there is none.
        state: in words.
        label: all of it in a sentence.
    """

    run: int
    created: datetime
    branch: str
    merged: bool
    verdict: Verdict
    n: str
    baseline: str
    candidate: str
    interval: str
    change: str
    state: str
    label: str


@dataclass(frozen=True, slots=True)
class TrendView:
    """A trend.

    Args:
        name: of the figure, `Mean score`.
        description: what the chart shows, in a sentence.
        rows: the oldest first.
        drawn: those of the rows that the chart has, in its order.
        chart: None where no run has the figure.
    """

    name: str
    description: str
    rows: tuple[TrendRow, ...]
    drawn: tuple[TrendRow, ...]
    chart: Chart | None


def trend_view(points: Sequence[Point], axis: Axis) -> TrendView:
    """A trend as people see it.

    Args:
        points: of one figure, the oldest first.
        axis: of the figure.
    """
    rows = tuple(_row(point, axis) for point in points)
    known = [(point.figure.candidate, point.figure, row) for point, row in zip(points, rows, strict=True)]
    drawn = [(value, figure, row) for value, figure, row in known if value is not None]
    values = [Value(value, _bounds(figure, axis)) for value, figure, _ in drawn]
    return TrendView(
        name=_NAMES[axis],
        description=_description(drawn, axis),
        rows=rows,
        drawn=tuple(row for _, _, row in drawn),
        chart=chart(values, _LIMITS[axis], lambda value: _label(value, axis)) if values else None,
    )


def _description(drawn: Sequence[tuple[float, Figure, TrendRow]], axis: Axis) -> str:
    if not drawn:
        return "No run has this figure."
    first, last = drawn[0], drawn[-1]
    if len(drawn) == 1:
        return f"One run: {_text(first[0], axis)}."
    ends = f"from {_text(first[0], axis)} to {_text(last[0], axis)}"
    low, high = min(value for value, _, _ in drawn), max(value for value, _, _ in drawn)
    spread = f"lowest {_text(low, axis)}, highest {_text(high, axis)}"
    return f"{counted(len(drawn), 'run')}, {ends}; {spread}."


def _row(point: Point, axis: Axis) -> TrendRow:
    figure, bounds = point.figure, _bounds(point.figure, axis)
    candidate = _text(figure.candidate, axis)
    interval = numbers.NOTHING if bounds is None else f"{_text(bounds[0], axis)} to {_text(bounds[1], axis)}"
    merged = point.event == "push"
    what = f"{point.created:%Y-%m-%d %H:%M} UTC, {candidate}" + ("" if bounds is None else f", {interval}")
    return TrendRow(
        run=point.run,
        created=point.created,
        branch=short(point.branch),
        merged=merged,
        verdict=point.verdict,
        n=f"{figure.n:,}",
        baseline=_text(figure.baseline, axis),
        candidate=candidate,
        interval=interval,
        change=_change(figure),
        state=figure.state.replace("_", " "),
        label=f"Run {point.run}, {what}, {point.verdict}{', merged' if merged else ''}",
    )


def _bounds(figure: Figure, axis: Axis) -> Bounds | None:
    """Where the mean of the candidate lies, by Student's t over independent groups of cases."""
    if figure.candidate is None or figure.error is None or figure.units < 2:
        return None
    reach = t_quantile((1.0 + CONFIDENCE) / 2.0, figure.units - 1) * figure.error
    low, high = _LIMITS[axis]
    lower, upper = figure.candidate - reach, figure.candidate + reach
    return lower if low is None else max(low, lower), upper if high is None else min(high, upper)


def _text(value: float | None, axis: Axis) -> str:
    match axis:
        case "quality":
            return numbers.score(value)
        case "cost":
            return numbers.dollars(value)
        case "latency":
            return numbers.duration(value)


def _label(value: float, axis: Axis) -> str:
    return numbers.score(value, 2) if axis == "quality" else _text(value, axis)


def _change(figure: Figure) -> str:
    if figure.change is None:
        return numbers.NOTHING
    if figure.axis == "quality":
        return f"{numbers.delta(figure.change)} {numbers.interval(figure.lower, figure.upper)}"
    return f"{numbers.change(figure.change)} {numbers.change_interval(figure.lower, figure.upper)}"


def slices_first(names: Sequence[str]) -> tuple[str, ...]:
    """All cases before the slices of them."""
    return tuple(sorted(set(names), key=lambda name: (name != OVERALL, name)))
