"""The forest plot: every slice with its interval on one scale, grouped by dimension."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from gate import numbers
from gate.config.values import OVERALL
from gate.record.comparison import Comparison, PassRate, PassState, State
from gate.record.run import NewSuiteRecord, RunRecord
from gate.report.page.charts import LinearScale, ScaleMark, linear_scale
from gate.report.slices import NamedSlice, run_slices, short_line, shown_and_folded, suite_label, suite_slices
from gate.report.view import comparisons
from gate.report.view.comparisons import SliceRow, drawn_interval, is_unremarkable, scale_values, slice_rank, slice_row
from gate.report.view.pass_rates import RateRow, check_tables, passing_rule, rate_rank, rate_row, rate_unremarkable

SLICES_SHOWN = 20
"""Unremarkable slices of one suite that are not folded."""
FOLDED = 470
"""Folded slices of one suite; the record has them all."""
ROWS = 1_000
"""Of all suites together, as far as unremarkable ones can be left out."""
_LEAST = 0.1
_MARKS = 3
"""The column is narrow: more marks would overlap."""
_UNIT = comparisons.BarScale(-1.0, 1.0)
"""Not shown: the page draws its own intervals."""
_WHOLE = LinearScale(0.0, 1.0)
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class DrawnInterval:
    """An interval as it is drawn; places are percent of the width.

    Args:
        point: None where there is no number.
        open_low, open_high: an end lies outside the scale.
        band: the tolerated margin, or the range up to the required rate; None where there is none.
    """

    point: float | None
    low: float
    high: float
    open_low: bool = False
    open_high: bool = False
    band: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class ForestLine:
    """One slice, or all cases where `overall`."""

    row: SliceRow | RateRow
    drawn: DrawnInterval
    overall: bool


@dataclass(frozen=True, slots=True)
class ForestGroup:
    """The slices of one dimension; the name is empty for `overall`."""

    name: str
    lines: tuple[ForestLine, ...]


@dataclass(frozen=True, slots=True)
class Forest:
    """One suite.

    Args:
        suite: empty where there is only one.
        zero: place of the line for no change; None on a scale of rates.
        groups: `overall`, then dimension by dimension, the one with the worst slice first.
        count: slices in `folded`.
        about: what the figures are; may be empty.
    """

    suite: str
    zero: float | None
    marks: tuple[ScaleMark, ...]
    groups: tuple[ForestGroup, ...]
    folded: tuple[ForestGroup, ...]
    count: int
    more: int
    about: str = ""

    @property
    def lacking(self) -> bool:
        """Whether it is known of any slice how many more cases it needs."""
        lines = (line for group in (*self.groups, *self.folded) for line in group.lines)
        return any(isinstance(line.row, SliceRow) and line.row.more for line in lines)


def forests(run: RunRecord) -> tuple[Forest, ...]:
    """One for each compared suite, all on the same scale."""
    records = [named.record for named in run_slices(run)]
    ends = [end for one in records for end in (*scale_values(run, one), -one.margin)]
    scale = linear_scale(ends, least=_LEAST, limits=(-1.0, 1.0))
    found = []
    named = {suite.name: suite_slices(run, suite) for suite in run.suites if suite.quality.overall.n}
    plain = partial(is_unremarkable, run)
    rooms = _rooms([rows[1:] for rows in named.values()], plain)
    for suite, room in zip((suite for suite in run.suites if suite.name in named), rooms, strict=True):
        overall, *others = named[suite.name]
        line = partial(_compared, run, scale)
        kept, folded, more = _chosen(sorted(others, key=partial(slice_rank, run)), plain, room)
        shown, rest = (_grouped((one.local, line(one)) for one in some) for some in (kept, folded))
        label = short_line(suite_label(run, suite))
        marks = tuple(ScaleMark(scale.at(mark), numbers.two_decimals(mark)) for mark in scale.marks(_MARKS))
        first = ForestGroup("", (line(overall),))
        found.append(Forest(label, scale.at(0.0), marks, (first, *shown), rest, len(folded), more))
    return tuple(found)


def rate_forests(run: RunRecord) -> tuple[Forest, ...]:
    """One for each suite without a baseline: pass rates on a scale from none to all."""
    tables = check_tables(run)
    rooms = _rooms([suite.slices for suite in run.new], rate_unremarkable)
    if not tables:
        told = [(suite, passing_rule(suite, "An answer")) for suite in run.new]
        return tuple(_rates(suite, rate_row, said, room) for (suite, said), room in zip(told, rooms, strict=True))
    found = []
    for suite, table, room in zip(run.new, tables, rooms, strict=True):
        names = (rate.slice for rate in (suite.overall, *suite.slices))
        rows = dict(zip(names, table.rates, strict=True))
        found.append(_rates(suite, partial(_row_of, rows), table.about, room))
    return tuple(found)


def _rooms(suites: Sequence[Sequence[Item]], plain: Callable[[Item], bool]) -> list[int]:
    """How many slices of each suite are shown: an equal share where there are too many, plus the remarkable ones."""
    if sum(map(len, suites)) <= ROWS:
        return [FOLDED] * len(suites)
    share = ROWS // len(suites)
    loud = [sum(not plain(one) for one in found) for found in suites]
    return [min(FOLDED, max(share, one if sum(loud) <= ROWS else 1)) for one in loud]


def _row_of(rows: Mapping[str, RateRow], rate: PassRate) -> RateRow:
    return rows[rate.slice]


def _rates(suite: NewSuiteRecord, text: Callable[[PassRate], RateRow], told: str, room: int) -> Forest:
    line = partial(_rate, text)
    kept, folded, more = _chosen(sorted(suite.slices, key=rate_rank), rate_unremarkable, room)
    shown, rest = (_grouped((one.slice, line(one)) for one in some) for some in (kept, folded))
    marks = tuple(ScaleMark(_WHOLE.at(mark), numbers.share(mark)) for mark in _WHOLE.marks(_MARKS))
    first = ForestGroup("", (line(suite.overall),))
    return Forest(short_line(suite.name), None, marks, (first, *shown), rest, len(folded), more, told)


def _chosen(ordered: Sequence[Item], plain: Callable[[Item], bool], room: int) -> tuple[list[Item], list[Item], int]:
    """The shown rows, the folded ones, and how many are left out."""
    kept, rest = shown_and_folded(ordered, plain, SLICES_SHOWN)
    folded = [*kept[room:], *rest][: max(0, room - len(kept))]
    return kept[:room], folded, len(ordered) - min(len(kept), room) - len(folded)


def _grouped(items: Iterable[tuple[str, ForestLine]]) -> tuple[ForestGroup, ...]:
    """Grouped by the dimension in each name, in the order of its first row."""
    found: dict[str, list[ForestLine]] = {}
    for name, line in items:
        found.setdefault(name.partition("=")[0], []).append(line)
    return tuple(ForestGroup(short_line(which), tuple(same)) for which, same in found.items())


def _compared(run: RunRecord, scale: LinearScale, named: NamedSlice) -> ForestLine:
    return ForestLine(slice_row(run, named, _UNIT), _drawn(run, named.record, scale), named.overall)


def _drawn(run: RunRecord, record: Comparison, scale: LinearScale) -> DrawnInterval:
    band = (scale.at(-record.margin), scale.at(0.0)) if record.margin > 0 else None
    interval = drawn_interval(run, record)
    if interval is None:
        return DrawnInterval(None, 0.0, 0.0, band=band)
    mean, lower, upper = interval
    # Two infinite ends are no interval: nothing was shown, and the whole width would look like much.
    if record.lower is None and record.upper is None and record.state is State.TOO_FEW:
        return DrawnInterval(scale.at(mean), scale.at(mean), scale.at(mean), band=band)
    places = (scale.at(mean), scale.at(lower), scale.at(upper))
    return DrawnInterval(*places, lower < scale.low, upper > scale.high, band)


def _rate(text: Callable[[PassRate], RateRow], rate: PassRate) -> ForestLine:
    wanted = None if rate.wanted is None else (_WHOLE.at(rate.wanted), _WHOLE.end)
    drawn = DrawnInterval(None, 0.0, 0.0, band=wanted)
    if rate.rate is not None:
        low, high = (_WHOLE.at(rate.rate if end is None else end) for end in (rate.lower, rate.upper))
        drawn = DrawnInterval(_WHOLE.at(rate.rate), low, high, band=wanted)
    return ForestLine(text(rate), drawn, rate.slice == OVERALL)


def state_tone(state: State | PassState, *, doubtful: bool = False) -> str:
    """The style class of a state."""
    if isinstance(state, State):
        return state.value.replace("_", "-")
    if state is PassState.MISSED:
        return "regression"
    if state is PassState.MET:
        return "improvement"
    return "suspect" if doubtful else "noise"
