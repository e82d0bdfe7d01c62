"""What a Markdown report shows open, and what it folds: a reviewer reads a few lines before the first fold."""

from dataclasses import dataclass

from gate.report.numbers import Text
from gate.report.view.comparisons import AxesRow, SliceRow, SliceTable, folded_title
from gate.report.view.pass_rates import CheckedCaseRow, CheckTable, NewPrompt, RateRow
from gate.report.view.report import ReportView

OPEN_LINES = 15
"""Lines before the first fold, without blank ones."""
ROWS_OPEN = 5
"""Slices of one table."""
CHECKED_OPEN = 6
"""Cases of a check."""
NOTES_OPEN, ERRORS_OPEN = 2, 8
"""Notes of a run that was evaluated, and of one that was not."""
AXES_OPEN = 3
"""Suites in a run over several."""

_HEAD = 2
"""Lines of a table above its rows."""


@dataclass(frozen=True, slots=True)
class SlicesLayout:
    """The slices of one suite.

    Args:
        shown: open rows; empty where the whole table is folded.
        title: of the fold; empty where nothing is folded.
    """

    table: SliceTable
    shown: tuple[SliceRow, ...]
    folded: tuple[SliceRow, ...]
    title: str


@dataclass(frozen=True, slots=True)
class NewLayout:
    """The pass rates of one new prompt; without open rows it is folded with its path and its rate."""

    prompt: NewPrompt
    shown: tuple[RateRow, ...]
    folded: tuple[RateRow, ...]


@dataclass(frozen=True, slots=True)
class CheckLayout:
    """The cases of one suite of a check; without open rows the suite is folded."""

    table: CheckTable
    shown: tuple[CheckedCaseRow, ...]
    folded: tuple[CheckedCaseRow, ...]


@dataclass(frozen=True, slots=True)
class MarkdownLayout:
    """The parts of a report, by where they stand."""

    notes: tuple[str | Text, ...]
    more_notes: tuple[str | Text, ...]
    axes: tuple[AxesRow, ...]
    more_axes: tuple[AxesRow, ...]
    tables: tuple[SlicesLayout, ...]
    new: tuple[NewLayout, ...]
    checks: tuple[CheckLayout, ...]

    @property
    def open(self) -> tuple[SlicesLayout, ...]:
        """The tables with open rows."""
        return tuple(part for part in self.tables if part.shown)


def markdown_layout(view: ReportView) -> MarkdownLayout:
    """Give the open lines to the parts in the order of their importance."""
    room = _Room(OPEN_LINES - 1 - bool(view.notice) - bool(view.lead) - bool(view.alert) - bool(view.footnotes))
    # The heading of the cases, and the steps where no fold stands before them.
    room.left -= 1 if view.cases else 0 if not view.steps else 1 + len(view.steps) * (len(view.steps) > 1)
    details = view.tables or view.new or view.checks
    most = NOTES_OPEN if details else ERRORS_OPEN
    notes = view.rest if len(view.rest) <= most + 1 else view.rest[:most]
    room.left -= len(notes)
    several = any(axes.suite for axes in view.axes)
    listed = [axes for axes in view.axes if axes.suite not in view.still]
    ordered = sorted(listed, key=lambda axes: axes.quiet) if len(listed) > AXES_OPEN else listed
    axes = tuple(ordered[: AXES_OPEN if several else 1])
    room.left -= len(axes)
    return MarkdownLayout(
        notes=tuple(notes),
        more_notes=tuple(view.rest[len(notes) :]),
        axes=axes,
        more_axes=tuple(one for one in view.axes if one not in axes),
        tables=tuple(_slices(table, room) for table in view.tables),
        new=tuple(_new(prompt, room) for prompt in view.new),
        checks=tuple(_check(table, room, titled=len(view.checks) > 1) for table in view.checks),
    )


@dataclass(slots=True)
class _Room:
    left: int

    def rows(self, most: int, fixed: int) -> int:
        """Take the lines of a table with `fixed` other lines; 0 where not even one row has room."""
        found = min(most, self.left - fixed)
        if found < 1:
            return 0
        self.left -= found + fixed
        return found


def _slices(table: SliceTable, room: _Room) -> SlicesLayout:
    rows = (*table.rows[1:], *table.folded)
    telling = [row for row in rows if row.matters]
    count = room.rows(min(len(telling), ROWS_OPEN), _HEAD + bool(table.suite)) if telling else 0
    shown = tuple(telling[:count])
    folded = tuple(row for row in rows if row not in shown)
    title = folded_title(folded, more=bool(shown)) if folded else ""
    return SlicesLayout(table, shown, folded, title)


def _new(prompt: NewPrompt, room: _Room) -> NewLayout:
    rows = (*prompt.rows, *prompt.folded)
    count = room.rows(min(len(prompt.rows), ROWS_OPEN), _HEAD + 3)
    return NewLayout(prompt, rows[:count], rows[count:])


def _check(table: CheckTable, room: _Room, *, titled: bool) -> CheckLayout:
    rows = (*table.rows, *table.folded)
    telling = sum(row.state != "passed" for row in rows)
    count = room.rows(min(telling, CHECKED_OPEN), _HEAD + 1 + titled) if telling else 0
    return CheckLayout(table, rows[:count], rows[count:])
