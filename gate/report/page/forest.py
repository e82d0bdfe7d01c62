"""The forest plot: every slice with its interval on one scale, grouped by dimension; it is its own table."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from gate.config.policy import OVERALL
from gate.domain.comparison import Comparison
from gate.domain.passrate import PassRate, PassState
from gate.domain.record import RunRecord
from gate.domain.record_new import NewSuiteRecord
from gate.domain.verdict import State
from gate.report import numbers
from gate.report.alone.checks import check_tables
from gate.report.alone.newprompts import about, rate_rank, rate_row, rate_unremarkable
from gate.report.compared import bars
from gate.report.compared.tables import only_familiar, row
from gate.report.page.scale import Scale, scale_of
from gate.report.parts.alone import RateRow
from gate.report.parts.compared import Row
from gate.report.slices import Named, badness, of_run, of_suite, parted, short, suite_label

SHOWN = 20
"""Unremarkable slices of one suite that stay unfolded."""
FOLDED = 470
"""Those that are folded; the record has them all."""
ROWS = 1_000
"""Of all suites together, as far as what is unremarkable can be left out."""
_LEAST = 0.1
_MARKS = 3
"""Of the scale: the column is narrow, and more would run into each other."""
_ORDER = tuple(State)
_UNIT = bars.Scale(-1.0, 1.0)
"""The page draws its own intervals."""
_WHOLE = Scale(0.0, 1.0)

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark of the scale: where, in percent of the width, and what it says."""

    x: float
    label: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """An interval as it is drawn; places are percent of the width.

    Args:
        point: None where there is no number.
        low, high: its ends.
        open_low, open_high: an end is infinite.
        band: of the margin that is tolerated, or up to the rate that is wanted; None where there is none.
    """

    point: float | None
    low: float
    high: float
    open_low: bool = False
    open_high: bool = False
    band: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One slice.

    Args:
        row: its words and numbers.
        drawn: its interval.
        overall: it is all cases.
    """

    row: Row | RateRow
    drawn: Drawn
    overall: bool


@dataclass(frozen=True, slots=True)
class Group:
    """The slices of one dimension; the name is empty for all cases."""

    name: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Forest:
    """One suite.

    Args:
        suite: its name; empty where there is one alone.
        zero: of the line that says no change; None on a scale of rates.
        marks: of the scale.
        groups: `overall`, then dimension by dimension, the one with the worst slice first.
        folded: dimensions with the unremarkable rest.
        count: slices in `folded`.
        more: slices that there is no room for.
        about: what the figures are; empty where the page says it.
    """

    suite: str
    zero: float | None
    marks: tuple[Mark, ...]
    groups: tuple[Group, ...]
    folded: tuple[Group, ...]
    count: int
    more: int
    about: str = ""

    @property
    def lacking(self) -> bool:
        """Is there a slice of which it is known how many more cases would show something?"""
        lines = (line for group in (*self.groups, *self.folded) for line in group.lines)
        return any(isinstance(line.row, Row) and line.row.more for line in lines)


def forests(run: RunRecord) -> tuple[Forest, ...]:
    """One for each compared suite, all on the same scale."""
    records = [named.record for named in of_run(run)]
    ends = [end for one in records for end in (one.mean, one.lower, one.upper, -one.margin) if end is not None]
    scale = scale_of(ends, least=_LEAST, limits=(-1.0, 1.0))
    found = []
    named = {suite.name: of_suite(run, suite) for suite in run.suites if suite.quality.overall.n}
    rooms = _rooms([rows[1:] for rows in named.values()], _unremarkable)
    for suite, room in zip((suite for suite in run.suites if suite.name in named), rooms, strict=True):
        overall, *others = named[suite.name]
        line = partial(_compared, scale, run.method.name != "percentile")
        kept, folded, more = _chosen(sorted(others, key=_rank), _unremarkable, room)
        shown, rest = (_grouped((one.local, line(one)) for one in some) for some in (kept, folded))
        label = short(suite_label(run, suite))
        marks = tuple(Mark(scale.at(mark), numbers.plain(mark)) for mark in scale.marks(_MARKS))
        first = Group("", (line(overall),))
        found.append(Forest(label, scale.at(0.0), marks, (first, *shown), rest, len(folded), more))
    return tuple(found)


def rate_forests(run: RunRecord) -> tuple[Forest, ...]:
    """One for each suite that stands alone: shares of what passes, from none to all."""
    tables = check_tables(run)
    rooms = _rooms([suite.slices for suite in run.new], rate_unremarkable)
    if not tables:
        told = [(suite, about(suite, "An answer")) for suite in run.new]
        return tuple(_rates(suite, rate_row, said, room) for (suite, said), room in zip(told, rooms, strict=True))
    found = []
    for suite, table, room in zip(run.new, tables, rooms, strict=True):
        names = (rate.slice for rate in (suite.overall, *suite.slices))
        rows = dict(zip(names, table.rates, strict=True))
        found.append(_rates(suite, partial(_row_of, rows), table.about, room))
    return tuple(found)


def _rooms(suites: Sequence[Sequence[Item]], plain: Callable[[Item], bool]) -> list[int]:
    """How many slices of each suite are told: an equal share where all are too many, and what is remarkable beside."""
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
    marks = tuple(Mark(_WHOLE.at(mark), numbers.share(mark)) for mark in _WHOLE.marks(_MARKS))
    first = Group("", (line(suite.overall),))
    return Forest(short(suite.name), None, marks, (first, *shown), rest, len(folded), more, told)


def _chosen(ordered: Sequence[Item], plain: Callable[[Item], bool], room: int) -> tuple[list[Item], list[Item], int]:
    """What is shown, what is folded, and how many there is no room for."""
    kept, rest = parted(ordered, plain, SHOWN)
    folded = [*kept[room:], *rest][: max(0, room - len(kept))]
    return kept[:room], folded, len(ordered) - min(len(kept), room) - len(folded)


def _grouped(items: Iterable[tuple[str, Line]]) -> tuple[Group, ...]:
    """By what stands before the equals sign of each name, in the order in which that comes first."""
    found: dict[str, list[Line]] = {}
    for name, line in items:
        found.setdefault(name.partition("=")[0], []).append(line)
    return tuple(Group(short(which), tuple(same)) for which, same in found.items())


def _compared(scale: Scale, dagger: bool, named: Named) -> Line:
    record = named.record
    text = row(named, _UNIT, dagger=dagger)
    return Line(text, _drawn(record, scale), named.local == OVERALL)


def _drawn(record: Comparison, scale: Scale) -> Drawn:
    band = (scale.at(-record.margin), scale.at(0.0)) if record.margin > 0 else None
    if record.mean is None:
        return Drawn(None, 0.0, 0.0, band=band)
    # Two infinite ends are no interval: nothing was shown, and the whole width would look like much.
    if record.lower is None and record.upper is None and record.state is State.TOO_FEW:
        return Drawn(scale.at(record.mean), scale.at(record.mean), scale.at(record.mean), band=band)
    low = scale.start if record.lower is None else scale.at(record.lower)
    high = scale.end if record.upper is None else scale.at(record.upper)
    return Drawn(scale.at(record.mean), low, high, record.lower is None, record.upper is None, band)


def _rate(text: Callable[[PassRate], RateRow], rate: PassRate) -> Line:
    wanted = None if rate.wanted is None else (_WHOLE.at(rate.wanted), _WHOLE.end)
    drawn = Drawn(None, 0.0, 0.0, band=wanted)
    if rate.rate is not None:
        low, high = (_WHOLE.at(rate.rate if end is None else end) for end in (rate.lower, rate.upper))
        drawn = Drawn(_WHOLE.at(rate.rate), low, high, band=wanted)
    return Line(text(rate), drawn, rate.slice == OVERALL)


def _rank(named: Named) -> tuple[int, bool, tuple[float, float, bool, str]]:
    return (_ORDER.index(named.record.state), not only_familiar(named.record), badness(named))


def _unremarkable(named: Named) -> bool:
    record = named.record
    return record.state in (State.NOISE, State.TOO_FEW) and not only_familiar(record) and not record.advisory


def tone(state: State | PassState, *, doubtful: bool = False) -> str:
    """The word by which the style knows how a state looks."""
    if isinstance(state, State):
        return state.value.replace("_", "-")
    if state is PassState.MISSED:
        return "regression"
    if state is PassState.MET:
        return "improvement"
    return "suspect" if doubtful else "noise"
