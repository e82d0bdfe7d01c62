"""The slice table with its interval bars, and one line on quality, cost and latency."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from typing import Literal, NamedTuple

from gate import numbers
from gate.record.comparison import FEWEST_UNITS, AxisComparison, Comparison, Estimate, State
from gate.record.run import RunRecord, SuiteRecord
from gate.report.slices import (
    LONGEST_SENTENCE,
    NamedSlice,
    cases_and_groups,
    duration_change_interval,
    groups_text,
    is_tolerated,
    is_unmoved,
    is_within_margin,
    listed,
    quality_change,
    quality_interval,
    run_slices,
    short_line,
    shown_and_folded,
    suite_label,
    suite_slices,
    worst_first,
)
from gate.values import counted

_NEEDLESS = (State.NOISE, State.TOO_FEW)
_REMARKABLE = ((State.REGRESSION, "regression"), (State.SUSPECT, "suspect"), (State.IMPROVEMENT, "improvement"))


@dataclass(frozen=True, slots=True)
class AxisText:
    """One axis of a suite.

    Args:
        change: `+3.4 %`; `n/a` or `not compared` where there is none.
        interval: `[+1.1 %, +5.8 %]`; may be empty.
        rest: what follows: the limit, the 95th percentile, or why there is no change.
        missing: why there is no change.
        p95: `rest` has the 95th percentile.
    """

    change: str
    interval: str = ""
    rest: str = ""
    missing: Literal["", "not applicable", "not compared"] = ""
    p95: bool = False

    @property
    def words(self) -> str:
        """All of it."""
        return f"{' '.join(filter(None, (self.change, self.interval)))}{self.rest}"


@dataclass(frozen=True, slots=True)
class AxesRow:
    """The three axes of one suite.

    Args:
        suite: empty in a run over one suite.
        label: the suite, or the prompt of the only one.
        state, scores, remark: of `overall`; the remark is its state in words, empty where no change is shown.
    """

    suite: str
    label: str
    quality: AxisText
    cost: AxisText
    latency: AxisText
    quiet: bool = False
    state: State = State.NOISE
    scores: str = ""
    remark: str = ""


@dataclass(frozen=True, slots=True)
class SliceRow:
    """One slice.

    Args:
        groups: `12 groups`, independent ones, where that is another number than `cases`; else empty.
        scores: `0.812 → 0.751`.
        delta, interval: `−0.061`, `[−0.092, −0.029]`.
        words, short: the state.
        more: `≈ 120`, after which more cases the observed change would show; may be empty.
    """

    name: str
    cases: str
    groups: str
    scores: str
    delta: str
    interval: str
    bar: str
    state: State
    words: str
    short: str
    more: str
    dagger: bool
    advisory: bool

    @property
    def cases_and_groups(self) -> str:
        """`30 (12 groups)`."""
        return cases_and_groups(self.cases, self.groups)

    @property
    def matters(self) -> bool:
        """A change is shown, or the slice is marked or advisory."""
        return self.state not in _NEEDLESS or self.dagger or self.advisory


@dataclass(frozen=True, slots=True)
class SliceTable:
    """The slices of one suite.

    Args:
        suite: empty in a run over one suite.
        scale: ends of the bars' scale, `−0.60 … +0.10`.
        rows: `overall`, then the important slices, the worst first.
    """

    suite: str
    scale: str
    rows: tuple[SliceRow, ...]
    folded: tuple[SliceRow, ...]

    @property
    def quiet(self) -> bool:
        """No slice shows a change, and none is advisory."""
        return all(row.state in _NEEDLESS and not row.advisory for row in (*self.rows, *self.folded))


def folded_title(rows: Sequence[SliceRow], *, more: bool) -> str:
    """`25 more slices without a shown change`, `9 slices: 2 regressions, 7 without a shown change`."""
    quiet = sum(row.state in _NEEDLESS for row in rows)
    total = counted(len(rows), "more slice" if more else "slice")
    if quiet == len(rows):
        marked = sum(row.dagger for row in rows)
        return f"{total} without a shown change{f', {marked} of them †' if marked else ''}"
    found = ((word, sum(row.state is state for row in rows)) for state, word in _REMARKABLE)
    told = [counted(count, word) for word, count in found if count]
    return f"{total}: {', '.join([*told, *([f'{quiet:,} without a shown change'] if quiet else [])])}"


BAR_WIDTH = 17
"""Columns of a bar; the outermost two are for the arrows of ends outside the scale."""

_STEP = 0.05
_MARGIN = 0.15
_ZERO = 1e-9


class StateText(NamedTuple):
    """The state of a slice in words, and in fewer; whether it says more than that no change is shown."""

    whole: str
    short: str
    remarkable: bool = True


class BarInterval(NamedTuple):
    """A mean change and its bounds."""

    mean: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class BarScale:
    """The range of a bar's columns; zero is always strictly inside."""

    low: float
    high: float

    @property
    def zero(self) -> int:
        """The column of zero, with at least one column on either side."""
        return min(max(self._position(0.0), 2), BAR_WIDTH - 3)

    def column(self, value: float) -> int:
        """The column of a value; a value other than zero is never in zero's column or on its other side."""
        if abs(value) < _ZERO:
            return self.zero
        place = min(max(self._position(value), 1), BAR_WIDTH - 2)
        return min(place, self.zero - 1) if value < 0 else max(place, self.zero + 1)

    def _position(self, value: float) -> int:
        share = (value - self.low) / (self.high - self.low)
        return 1 + round(share * (BAR_WIDTH - 3))


def bar_scale(values: Iterable[float]) -> BarScale:
    """The smallest round scale that holds zero and all values, within [-1, 1]."""
    ends = [0.0, *values]
    low, high = max(min(ends), -1.0), min(max(ends), 1.0)
    room = max((high - low) * _MARGIN, _STEP)
    low, high = min(low, -room), max(high, room)
    return BarScale(math.floor(low / _STEP + _ZERO) * _STEP, math.ceil(high / _STEP - _ZERO) * _STEP)


def interval_bar(interval: BarInterval | None, scale: BarScale) -> str:
    """One bar, `BAR_WIDTH` characters: `  ├──●──┤ │      `, `◄──●──┼─┤       `; all rows of a table have one scale."""
    cells = [" "] * BAR_WIDTH
    cells[scale.zero] = "│"
    if interval is None:
        return "".join(cells)
    mean, lower, upper = interval
    left, right = _end(lower, scale), _end(upper, scale)
    for place in range(left, right + 1):
        cells[place] = "┼" if place == scale.zero else "─"
    cells[left] = "◄" if left == 0 else "├"
    cells[right] = "►" if right == BAR_WIDTH - 1 else "┤"
    cells[scale.column(mean)] = "●"
    return "".join(cells)


def _end(bound: float, scale: BarScale) -> int:
    if bound < scale.low - _ZERO:
        return 0
    if bound > scale.high + _ZERO:
        return BAR_WIDTH - 1
    return scale.column(bound)


SHOWN_UNREMARKABLE = 5
"""Slices without a shown change fill the table up to this number of rows below `overall`."""
SHOWN_REMARKABLE = 5
"""Most rows below `overall`; the worst are shown."""

STATE_WORDS = {
    State.REGRESSION: "regression",
    State.SUSPECT: "suspect",
    State.IMPROVEMENT: "improvement",
    State.NOISE: "no change shown",
    State.TOO_FEW: "too few cases",
}

_SHORT_WORDS = {State.NOISE: "no change", State.TOO_FEW: "too few"}

_ORDER = tuple(STATE_WORDS)
_NO_WIDTH = 1e-9


def slice_tables(run: RunRecord) -> tuple[SliceTable, ...]:
    """One table for each suite with scores."""
    return tuple(_table(run, suite) for suite in run.suites if suite.quality.overall.n)


def slice_footnotes(run: RunRecord) -> tuple[str, ...]:
    """What the marks in the tables mean, for those that occur."""
    slices = run_slices(run)
    records = [named.record for named in slices]
    notes = []
    if any(is_marked(run, record) for record in records):
        notes.append("† Worse when tested alone; by chance, some slice often is. It never blocks.")
    if any(record.advisory for record in records):
        notes.append("° Advisory: never blocks.")
    if widthless := [named.full for named in slices if _without_width(named.record)]:
        which = (
            f"interval of {listed(widthless)} has" if len(widthless) == 1 else f"intervals of {listed(widthless)} have"
        )
        notes.append(
            f"The {which} no width because all its cases changed by the same amount. "
            "That is no proof: other cases may change differently."
        )
    for scorer in dict.fromkeys(short_line(one.scorer) for suite in run.suites for one in suite.positions):
        notes.append(f"Pairwise judge “{scorer}”: its scores of the two arms add up to 1.")
    unmoved = [named for named in slices if named.record.undetected(run.method.alpha) is not None]
    # The line of a suite in which nothing changed says it in words.
    if unmoved and not any(named.overall for named in unmoved):
        sure = numbers.share(1.0 - run.method.alpha)
        notes.append(f"≤: no case of the slice changed; of all cases at most this share would, {sure}.")
    if any(record.n != record.units for record in records):
        notes.append("Groups are variants of one source. Each group counts as one independent case.")
    return tuple(notes)


def _without_width(record: Comparison) -> bool:
    low, high = record.lower, record.upper
    return low is not None and high is not None and high - low < _NO_WIDTH


def slice_row(run: RunRecord, named: NamedSlice, scale: BarScale) -> SliceRow:
    """One slice as text."""
    record = named.record
    words, lacking = _words(named), _lacking(record) if record.state is State.NOISE else 0
    return SliceRow(
        name=short_line(named.local),
        cases=f"{record.n:,}",
        groups=groups_text(record.n, record.units),
        scores=_scores(record),
        delta=numbers.delta(record.mean),
        interval="" if record.mean is None else quality_interval(record, run.method.alpha),
        bar=interval_bar(drawn_interval(run, record), scale),
        state=record.state,
        words=words.whole,
        short=words.short,
        more=numbers.rough_figure(lacking) if lacking else "",
        dagger=is_marked(run, record),
        advisory=record.advisory,
    )


def more_cases(named: NamedSlice) -> str:
    """`about 120 more cases`, after which the observed change would show; empty where unknown."""
    lacking = _lacking(named.record)
    return f"{numbers.rough_count(lacking)} more {'case' if lacking == 1 else 'cases'}" if lacking else ""


def _lacking(record: Comparison) -> int:
    """Cases to add, after which the observed change would show; 0 where unknown."""
    return max(0, (record.cases_needed or 0) - record.n)


def _table(run: RunRecord, suite: SuiteRecord) -> SliceTable:
    overall, *others = suite_slices(run, suite)
    ordered = sorted(others, key=partial(slice_rank, run))
    kept, folded = _parted(run, ordered)
    scale = bar_scale(value for named in (overall, *others) for value in scale_values(run, named.record))
    return SliceTable(
        suite=short_line(suite_label(run, suite)),
        scale=f"{_bound_text(scale.low)} … {_bound_text(scale.high)}",
        rows=tuple(slice_row(run, named, scale) for named in (overall, *kept)),
        folded=tuple(slice_row(run, named, scale) for named in folded),
    )


def _parted(run: RunRecord, ordered: Sequence[NamedSlice]) -> tuple[Sequence[NamedSlice], Sequence[NamedSlice]]:
    """What is shown, and what is folded; a single row is not folded."""
    remarkable = sum(not is_unremarkable(run, named) for named in ordered)
    room = SHOWN_REMARKABLE if remarkable > SHOWN_UNREMARKABLE else SHOWN_UNREMARKABLE
    if all(map(is_unmoved, ordered)):
        room = 0
    if len(ordered) <= room + 1:
        return ordered, ()
    kept, folded = shown_and_folded(ordered, partial(is_unremarkable, run), max(0, room - remarkable))
    return kept[:room], sorted((*kept[room:], *folded), key=partial(slice_rank, run))


def drawn_interval(run: RunRecord, record: Comparison) -> BarInterval | None:
    """What a bar shows of a slice: only a point where no case changed; None without a mean."""
    if record.mean is None:
        return None
    changed = record.undetected(run.method.alpha) is None
    return BarInterval(record.mean, *(numbers.change_bounds(record) if changed else (record.mean, record.mean)))


def scale_values(run: RunRecord, record: Comparison) -> Iterator[float]:
    """What the scale of a drawing has to hold: an infinite bound does not widen it, an arrow stands for it."""
    if interval := drawn_interval(run, record):
        known = (True, record.lower is not None, record.upper is not None)
        yield from compress(interval, known)


def slice_rank(run: RunRecord, named: NamedSlice) -> tuple[float, bool, tuple[float, float, bool, str]]:
    """Sort key: the most important slices first, advisory ones behind those that can block."""
    state = _ORDER.index(named.record.state)
    order = max(state, _ORDER.index(State.SUSPECT) + 0.5) if named.record.advisory else state
    return (order, not is_marked(run, named.record), worst_first(named))


def is_unremarkable(run: RunRecord, named: NamedSlice) -> bool:
    """Whether a slice can be folded: no change shown, no mark, not advisory."""
    record = named.record
    return record.state in _NEEDLESS and not is_marked(run, record) and not record.advisory


def is_marked(run: RunRecord, record: Comparison) -> bool:
    """Whether only the percentile bootstrap of this slice would have failed it.

    Not for a handful of cases, where the bootstrap is mostly wrong, and not where it is the method of the run.
    """
    alone = record.familiar_fail and record.state is not State.REGRESSION
    return alone and record.units >= FEWEST_UNITS and run.method.name != "percentile"


def _words(named: NamedSlice) -> StateText:
    record = named.record
    if record.state is State.TOO_FEW and record.units >= FEWEST_UNITS:
        nothing = not record.baseline and not record.candidate
        return StateText("every score is 0" if nothing else "too little variation", "too few")
    if is_tolerated(named):
        inside = is_within_margin(named)
        return StateText(
            *(("within its margin", "in margin") if inside else ("dropped, maybe within margin", "in margin?"))
        )
    if is_unmoved(named):
        return StateText("no case changed", "no change")
    if _boundless(record):
        return StateText("too few changed", "too few")
    words = STATE_WORDS[record.state]
    return StateText(words, _SHORT_WORDS.get(record.state, words), remarkable=record.state is not State.NOISE)


def _boundless(record: Comparison) -> bool:
    """Whether so few cases changed that no test could show a drop or an improvement of any size."""
    unknown = record.lower is None and record.upper is None
    return record.state is State.NOISE and unknown and bool(record.mean)


def _bound_text(value: float) -> str:
    return f"{numbers.MINUS if value < 0 else '+'}{abs(value):.2f}"


CALLS_FOR_P95 = 1_000
"""Samples of an arm below which its 95th percentile is not trusted."""


def axes_rows(run: RunRecord) -> tuple[AxesRow, ...]:
    """Quality, cost and latency of each suite, each with its interval."""
    out = []
    for suite in run.suites:
        overall = suite.quality.overall
        out.append(
            AxesRow(
                suite=short_line(suite_label(run, suite)),
                label=short_line(suite_label(run, suite) or suite.candidate.path, LONGEST_SENTENCE),
                quality=_quality(overall, run.method.alpha),
                cost=_axis(suite.cost),
                latency=_with_p95(_axis(suite.latency), suite.latency),
                quiet=_quiet(suite),
                state=overall.state,
                scores="" if overall.mean is None else _scores(overall),
                remark=_remark(run, suite_slices(run, suite)[0]),
            )
        )
    return tuple(out)


def _quality(overall: Comparison, alpha: float) -> AxisText:
    if overall.mean is None:
        return AxisText("not measured", missing="not compared")
    if overall.undetected(alpha) is not None:
        return AxisText(quality_change(overall, alpha))
    return AxisText(numbers.delta(overall.mean), numbers.score_interval(overall))


def _scores(record: Comparison) -> str:
    return f"{numbers.score(record.baseline)} → {numbers.score(record.candidate)}"


def _remark(run: RunRecord, named: NamedSlice) -> str:
    if is_unmoved(named) or named.record.mean is None:
        return ""
    words, mark = _words(named), "†" * is_marked(run, named.record)
    return " ".join(filter(None, (words.whole * words.remarkable, mark)))


def _quiet(suite: SuiteRecord) -> bool:
    records = (suite.quality.overall, *suite.quality.slices)
    still = all(record.state in _NEEDLESS and not record.advisory for record in records)
    return still and not suite.cost.exceeded and not suite.latency.exceeded


def over_limit(axis: AxisComparison) -> str:
    """`rose by 31 % [+24 %, +38 %], limit +10 %`."""
    rise = numbers.with_interval(numbers.percent(axis.change or 0.0), axis.lower, axis.upper, numbers.change)
    return f"rose by {rise}, limit {numbers.change(axis.allowance)}"


def p95_change(change: Estimate) -> str:
    """`p95 +90 ms [−40 ms, +220 ms]`."""
    return f"p95 {duration_change_interval(change)}"


def p95_is_trusted(axis: AxisComparison) -> bool:
    """Whether each arm has enough calls for a 95th percentile."""
    return min(axis.baseline.calls, axis.candidate.calls) >= CALLS_FOR_P95


def _axis(axis: AxisComparison) -> AxisText:
    why = f": {short_line(axis.reason)}" if axis.reason else ""
    if not axis.applicable:
        return AxisText("n/a", rest=why or " (local model)", missing="not applicable")
    if not axis.compared or axis.change is None:
        return AxisText("not compared", rest=why, missing="not compared")
    limit = f", above the limit of {numbers.change(axis.allowance)}" if axis.exceeded else ""
    interval = numbers.with_interval("", axis.lower, axis.upper, numbers.change)
    if axis.lower is None or axis.upper is None:
        return AxisText(numbers.change(axis.change), rest=f"{interval}{limit}")
    return AxisText(numbers.change(axis.change), interval.strip(), limit)


def _with_p95(text: AxisText, axis: AxisComparison) -> AxisText:
    before, after = axis.baseline.p95, axis.candidate.p95
    if not axis.compared or before is None or after is None:
        return text
    if axis.p95_change is None:
        told = f"p95 {numbers.duration_change(after - before)}"
    else:
        told = f"{p95_change(axis.p95_change)}{'' if p95_is_trusted(axis) else ' (rough)'}"
    return replace(text, rest=f"{text.rest}, {told}", p95=True)
