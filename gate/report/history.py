"""Stored runs as people see them: lists, trends, cases over time, agreement of judges, override labels."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import TypeAlias

from gate import numbers
from gate.config.values import OVERALL
from gate.record.comparison import Verdict
from gate.record.history import (
    Axis,
    CaseInRun,
    CaseOverTime,
    Context,
    HistoryFigure,
    HistoryPoint,
    JudgeOverTime,
    OverrideRow,
    RunRow,
)
from gate.report.escape import one_line
from gate.report.slices import LONGEST_SENTENCE, short_line
from gate.stats.intervals import t_quantile
from gate.values import counted

SUITES_NAMED = 3
COMMIT_CHARS = 10
_WAIVED = {"override": "overridden by a label", "advisory": "advisory"}


@dataclass(frozen=True, slots=True)
class RunView:
    """A stored run, as text.

    Args:
        aside: why the exit code is 0 whatever the verdict; mostly empty.
        repository, branch, event: each may be empty.
        pushed_by: may be empty.
        commit: shortened; may be empty.
        cost: in dollars; a dash where unknown.
        forgotten: the day on which retention removed answers and reasons; empty if they are still stored.
    """

    id: int
    verdict: Verdict
    aside: str
    created: datetime
    suites: tuple[str, ...]
    more: int
    repository: str
    branch: str
    event: str
    pull_request: int | None
    pushed_by: str
    commit: str
    samples: str
    cost: str
    forgotten: str


def run_view(row: RunRow) -> RunView:
    """A stored run as people see it."""
    where: Context = row.context
    return RunView(
        id=row.id,
        verdict=row.verdict,
        aside=_WAIVED.get(row.waived, row.waived),
        created=row.created,
        suites=tuple(map(short_line, row.suites[:SUITES_NAMED])),
        more=max(0, len(row.suites) - SUITES_NAMED),
        repository=short_line(where.repository),
        branch=short_line(where.branch),
        event=one_line(where.event).replace("_", " "),
        pull_request=where.pull_request,
        pushed_by=short_line(where.pushed_by),
        commit=one_line(row.commit)[:COMMIT_CHARS],
        samples=f"{row.samples:,}",
        cost=numbers.NOTHING if row.spent_usd is None else numbers.dollars(row.spent_usd),
        forgotten="" if row.forgotten is None else f"{row.forgotten.astimezone(UTC):%Y-%m-%d}",
    )


_KINDS = {"jury": "with each other", "people": "with people"}


@dataclass(frozen=True, slots=True)
class CaseHistory:
    """One case over all its stored runs, as text.

    Args:
        deviation: standard deviation of the scores within one run and arm; a dash where unknown.
        says: of a case without any difference: `always 0`, `always 1`, or that both arms had the same score.
    """

    id: str
    name: str
    deviation: str
    runs: str
    samples: str
    missing: str
    lowest: str
    highest: str
    says: str


def case_history(one: CaseOverTime) -> CaseHistory:
    """A case as people see it."""
    return CaseHistory(
        id=one.case,
        name=short_line(one.case),
        deviation=numbers.score(None if one.variance is None else math.sqrt(max(0.0, one.variance))),
        runs=f"{one.runs:,}",
        samples=f"{one.samples:,}",
        missing=f"{one.missing:,}",
        lowest=numbers.score(one.lowest),
        highest=numbers.score(one.highest),
        says=_says(one),
    )


@dataclass(frozen=True, slots=True)
class CaseRunView:
    """One case in one run; `scores` are of both arms, or of the only one."""

    run: int
    suite: str
    case: str
    created: datetime
    verdict: Verdict
    scores: str


def case_run_view(one: CaseInRun) -> CaseRunView:
    """A case in a run as people see it."""
    candidate = numbers.score(one.candidate)
    scores = candidate if one.baseline is None else f"{numbers.score(one.baseline)} → {candidate}"
    return CaseRunView(one.run, one.suite, one.case, one.created, one.verdict, scores)


def _says(one: CaseOverTime) -> str:
    if one.highest < numbers.ZERO:
        return "always 0"
    if one.lowest > 1.0 - numbers.ZERO:
        return "always 1"
    return "the same in both arms"


@dataclass(frozen=True, slots=True)
class JudgeHistory:
    """How far the judges of one scorer agreed in one run.

    Args:
        value: with its interval; a dash where there is none.
        why_not: why there is no value; empty where there is one.
    """

    run: int
    created: datetime
    scorer: str
    what: str
    answers: str
    value: str
    why_not: str


def judge_history(one: JudgeOverTime) -> JudgeHistory:
    """The agreement of judges as people see it."""
    agreement = one.agreement
    value = numbers.NOTHING if agreement.value is None else numbers.two_decimals(agreement.value)
    if agreement.lower is not None and agreement.upper is not None:
        value += f" [{numbers.two_decimals(agreement.lower)}, {numbers.two_decimals(agreement.upper)}]"
    return JudgeHistory(
        run=one.run,
        created=one.created,
        scorer=short_line(agreement.scorer),
        what=_KINDS[agreement.kind],
        answers=f"{agreement.answers:,}",
        value=value,
        why_not=short_line(agreement.why_not, LONGEST_SENTENCE),
    )


@dataclass(frozen=True, slots=True)
class OverrideView:
    """A label that was meant to override the gate.

    Args:
        label, by, at, role, reason, commit: as GitHub reported them; each may be empty.
        why_not: why it does not count, in a sentence; empty where it counts.
    """

    run: RunView
    label: str
    by: str
    at: str
    role: str
    reason: str
    commit: str
    counted: bool
    why_not: str


def override_view(one: OverrideRow) -> OverrideView:
    """A label as people see it."""
    return OverrideView(
        run=run_view(one.run),
        label=short_line(one.label),
        by=short_line(one.by or ""),
        at=one_line(one.at or "").replace("T", " ").replace("Z", " UTC")[:30],
        role=short_line(one.role),
        reason=short_line(one.reason, LONGEST_SENTENCE),
        commit=one_line(one.commit)[:COMMIT_CHARS],
        counted=one.counted,
        why_not=short_line(one.why_not, LONGEST_SENTENCE),
    )


WIDTH, HEIGHT = 860.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 20.0, 16.0, 44.0
MARKS = 4
"""About how many marks the vertical axis has."""
WHISKERS = 60
"""With more points than this, intervals are drawn as a band."""
_PLACES = 1

ChartBounds: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class ChartValue:
    """One point as it was measured."""

    value: float
    bounds: ChartBounds | None


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """Where one point lies, with the ends of its interval, if it has one."""

    x: float
    y: float
    lower: float | None
    upper: float | None


@dataclass(frozen=True, slots=True)
class AxisMark:
    """A mark of the vertical axis."""

    y: float
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart, ready to be drawn.

    Args:
        line: data of an SVG path through all points; empty for a single point.
        bands: SVG paths around neighbours that have intervals; empty where there are whiskers.
    """

    spots: tuple[ChartPoint, ...]
    line: str
    bands: tuple[str, ...]
    marks: tuple[AxisMark, ...]


def lay_out_chart(
    values: Sequence[ChartValue], limits: tuple[float | None, float | None], label: Callable[[float], str]
) -> Chart:
    """Lay out values from left to right at equal distances.

    Args:
        values: one or more finite numbers.
        limits: lowest and highest possible value; None is open.
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
        ChartPoint(x(place), y(one.value), *((None, None) if one.bounds is None else map(y, one.bounds)))
        for place, one in enumerate(values)
    )
    line = "M" + "L".join(f"{spot.x},{spot.y}" for spot in spots) if count > 1 else ""
    first = math.ceil(low / step - 1e-9)
    ticks = [tick * step for tick in range(first, math.floor(high / step + 1e-9) + 1)]
    marks = tuple(AxisMark(y(tick), label(tick)) for tick in ticks)
    return Chart(spots, line, tuple(_bands(spots)) if count > WHISKERS else (), marks)


def _bands(spots: Sequence[ChartPoint]) -> Iterator[str]:
    for known, run in groupby(spots, key=lambda spot: spot.lower is not None):
        if known:
            run_of = list(run)
            ends = [(one.x, one.upper) for one in run_of] + [(one.x, one.lower) for one in reversed(run_of)]
            yield "M" + "L".join(f"{x},{y}" for x, y in ends) + "Z"


def _range(values: Sequence[ChartValue], limits: tuple[float | None, float | None]) -> tuple[float, float, float]:
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


CONFIDENCE = 0.95
_LIMITS: Mapping[Axis, tuple[float | None, float | None]] = {
    "quality": (0.0, 1.0),
    "cost": (0.0, None),
    "latency": (0.0, None),
}
_NAMES: Mapping[Axis, str] = {
    "quality": "Mean score",
    "cost": "Mean cost of a sample",
    "latency": "Mean seconds of a sample",
}


@dataclass(frozen=True, slots=True)
class TrendRow:
    """One run, as text.

    Args:
        branch: may be empty.
        baseline, candidate, interval, change: a dash where there is none.
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
    """One figure over several runs.

    Args:
        name: of the figure, `Mean score`.
        rows: the oldest first.
        drawn: the rows that the chart has, in its order.
        chart: None where no run has the figure.
    """

    name: str
    description: str
    rows: tuple[TrendRow, ...]
    drawn: tuple[TrendRow, ...]
    chart: Chart | None


def trend_view(points: Sequence[HistoryPoint], axis: Axis) -> TrendView:
    """A trend as people see it; the oldest point comes first."""
    rows = tuple(_row(point, axis) for point in points)
    known = [(point.figure.candidate, point.figure, row) for point, row in zip(points, rows, strict=True)]
    drawn = [(value, figure, row) for value, figure, row in known if value is not None]
    values = [ChartValue(value, _bounds(figure, axis)) for value, figure, _ in drawn]
    return TrendView(
        name=_NAMES[axis],
        description=_description(drawn, axis),
        rows=rows,
        drawn=tuple(row for _, _, row in drawn),
        chart=lay_out_chart(values, _LIMITS[axis], lambda value: _label(value, axis)) if values else None,
    )


def _description(drawn: Sequence[tuple[float, HistoryFigure, TrendRow]], axis: Axis) -> str:
    if not drawn:
        return "No run has this figure."
    first, last = drawn[0], drawn[-1]
    if len(drawn) == 1:
        return f"One run: {_text(first[0], axis)}."
    ends = f"from {_text(first[0], axis)} to {_text(last[0], axis)}"
    low, high = min(value for value, _, _ in drawn), max(value for value, _, _ in drawn)
    spread = f"lowest {_text(low, axis)}, highest {_text(high, axis)}"
    return f"{counted(len(drawn), 'run')}, {ends}; {spread}."


def _row(point: HistoryPoint, axis: Axis) -> TrendRow:
    figure, bounds = point.figure, _bounds(point.figure, axis)
    candidate = _text(figure.candidate, axis)
    interval = numbers.NOTHING if bounds is None else f"{_text(bounds[0], axis)} to {_text(bounds[1], axis)}"
    merged = point.event == "push"
    what = f"{point.created:%Y-%m-%d %H:%M} UTC, {candidate}" + ("" if bounds is None else f", {interval}")
    return TrendRow(
        run=point.run,
        created=point.created,
        branch=short_line(point.branch),
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


def _bounds(figure: HistoryFigure, axis: Axis) -> ChartBounds | None:
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


def _change(figure: HistoryFigure) -> str:
    if figure.change is None:
        return numbers.NOTHING
    if figure.axis == "quality" and figure.undetected is not None:
        return numbers.unchanged_cases(figure.n, figure.undetected)
    if figure.axis == "quality":
        return numbers.score_change(numbers.ScoreFigure(figure.change, figure.lower, figure.upper, figure.baseline))
    return numbers.relative_change(figure.change, figure.lower, figure.upper)


def slices_first(names: Sequence[str]) -> tuple[str, ...]:
    """Sort `overall` before the slices."""
    return tuple(sorted(set(names), key=lambda name: (name != OVERALL, name)))
