"""The report in a terminal: the verdict, the slices and cases that matter, and what to do next, on one screen."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.padding import Padding
from rich.segment import Segment, SegmentLines
from rich.table import Table as RichTable
from rich.text import Text as RichText

from gate.record.comparison import State, Verdict
from gate.record.findings.finding import plain
from gate.record.parts import CaseState, ChangeState
from gate.record.run import RunRecord
from gate.report.escape import terminal_text
from gate.report.slices import all_suites, placed, short_line
from gate.report.terminal.sheet import lines_of, styled, table_of
from gate.report.view.cases import CaseView, explain_command
from gate.report.view.comparisons import AxesRow, SliceRow, SliceTable, folded_title
from gate.report.view.exam import PromiseRow, PromiseTable
from gate.report.view.pass_rates import CheckedCaseRow, CheckTable, NewPrompt, rate_table
from gate.report.view.report import ReportView, report_view
from gate.report.view.scorers import agreement_in_short

LAST = ".gate/last"
"""Folder of a run that names no other."""
MOST_LINES = 24
"""Of a run over one suite, where its parts allow it; the command adds one line below."""


@dataclass(frozen=True, slots=True)
class ScreenSize:
    """How much of each part is shown.

    Args:
        rows: of each table, `overall` included.
        notes: below the summary, and below the tables.
    """

    rows: int
    cases: int
    notes: int


SIZES = (
    ScreenSize(6, 3, 4),
    ScreenSize(6, 3, 2),
    ScreenSize(5, 2, 2),
    ScreenSize(4, 2, 1),
    ScreenSize(3, 1, 1),
    ScreenSize(2, 1, 1),
)
"""The first one that fits is used."""
ERRORS_SHOWN = 10
"""Reasons of a run that was not evaluated."""
SUITES_SHOWN = 20
REASONS_SHOWN = 2
"""Scorers of one case of a check."""

_NARROWEST_NAME = 8
_RESULT = 10
_ROOM_FOR_BARS = 76
_ROOM_FOR_SCORES = 110

_VERDICT_STYLES = {
    Verdict.BLOCK: "bold white on red",
    Verdict.INCONCLUSIVE: "bold black on white",
    Verdict.HOLD: "bold black on yellow",
    Verdict.PASS: "bold black on green",
    Verdict.SHIP: "bold black on green",
    Verdict.SKIPPED: "bold",
}
_STATE_STYLES = {
    State.REGRESSION: "red",
    State.SUSPECT: "yellow",
    State.IMPROVEMENT: "green",
    State.NOISE: "",
    State.TOO_FEW: "dim",
}
_CASE_STYLES = {CaseState.FAILED: "red", CaseState.UNSCORED: "yellow", CaseState.PASSED: "green"}
_PROMISE_STYLES: dict[ChangeState, str] = {
    "removed": "red",
    "loosened": "yellow",
    "changed": "yellow",
    "unknown": "dim",
}

_Part = RichText | RichTable | Padding


def render_report(run: RunRecord, console: Console, folder: str = LAST) -> None:
    """Print the report, laid out for the console; it needs 80 columns to show everything.

    Args:
        folder: of the run, for the command that explains a case.
    """
    screen = _Screen(run, report_view(run), console.width, folder)
    lines: list[list[Segment]] = []
    for size in SIZES if len(all_suites(run)) <= 1 else SIZES[:1]:
        lines = [line for part in screen.parts(size) for line in console.render_lines(part, pad=False)]
        if len(lines) <= MOST_LINES:
            break
    console.print(SegmentLines(lines, new_lines=True), end="")


@dataclass(frozen=True, slots=True)
class _Screen:
    """Makes the parts of a screen; all text is escaped for terminals, and rich's markup stays off."""

    run: RunRecord
    view: ReportView
    width: int
    folder: str

    def parts(self, size: ScreenSize) -> Iterator[_Part]:
        """Sections with a blank line between them."""
        sections = (
            self._opening(size),
            self._slices(size),
            self._exam(size),
            *(self._new(prompt, size) for prompt in self.view.new[:SUITES_SHOWN]),
            *(self._check(table, size) for table in self.view.checks[:SUITES_SHOWN]),
            self._cases(size),
            self._closing(),
        )
        first = True
        for section in sections:
            for place, part in enumerate(section):
                if place == 0 and not first:
                    yield RichText()
                first = False
                yield part

    def _opening(self, size: ScreenSize) -> Iterator[_Part]:
        """Verdict and worst slice, the summary, notes, cost and latency."""
        view = self.view
        first = RichText(f" {view.verdict} ", style=_VERDICT_STYLES[view.verdict])
        before = (styled((*view.aside, ": "), "bold"),) if view.aside else ()
        yield RichText.assemble(first, " ", *before, styled(view.headline, "bold"))
        if view.notice:
            yield styled(view.notice, "bold yellow" if view.weighty else "")
        only = self.run.suites[0] if len(self.run.suites) == 1 else None
        about = f"{short_line(only.name)} ({short_line(only.candidate.path)}): " if only else ""
        if about or view.sentence:
            yield styled((about, *view.sentence))
        most = size.notes if self.run.evaluated else ERRORS_SHOWN
        notes = view.notes if len(view.notes) <= most + 1 else view.notes[:most]
        for note in notes:
            yield RichText.assemble("- ", styled((note,) if isinstance(note, str) else note))
        if more := len(view.notes) - len(notes):
            yield _dim(f"- and {more} more notes in the full report")
        tables = {table.suite for table in view.tables if not (table.suite and table.quiet)}
        for axes in view.axes[:SUITES_SHOWN]:
            yield _axes(axes, tabled=axes.suite in tables)

    def _slices(self, size: ScreenSize) -> Iterator[_Part]:
        """The tables, their notes, and one line each on scorers, dimensions, conversations and rules."""
        view = self.view
        blank = False
        for table in [one for one in view.tables if not (one.suite and one.quiet)][:SUITES_SHOWN]:
            if blank:
                yield RichText()
            blank = True
            yield from self._table(table, size)
        if not view.checks:
            for note in view.footnotes[: size.notes]:
                yield _dim(terminal_text(note))
        lines = [
            *((plain(one.title), plain(one.brief)) for one in view.results),
            *((f"Rules of the prompt{f' in {one.suite}' if one.suite else ''}", one.brief) for one in view.promises),
        ]
        if judges := agreement_in_short(self.run):
            lines.append(("Judges", judges))
        for label, text in lines:
            yield RichText(terminal_text(f"{label}: {text}"))

    def _table(self, table: SliceTable, size: ScreenSize) -> Iterator[_Part]:
        """The slices of one suite; narrow consoles drop the scores first, then the bars."""
        scores, bars = self.width >= _ROOM_FOR_SCORES, self.width >= _ROOM_FOR_BARS
        head = [
            terminal_text(table.suite) if table.suite else "slice",
            "cases",
            *(["baseline → candidate"] * scores),
            f"change [{self.view.confidence}]",
            *([table.scale] * bars),
            "state",
        ]
        shown, rest = table.rows[: size.rows], (*table.rows[size.rows :], *table.folded)
        yield _grid(head, [list(_slice_cells(row, scores=scores, bars=bars)) for row in shown], self.width)
        if rest:
            yield _dim(f"and {folded_title(rest, more=True)}")

    def _exam(self, size: ScreenSize) -> Iterator[_Part]:
        """The results with the edited cases and scorers."""
        if self.view.exam is None:
            return
        table = self.view.exam.tables[0].shortened(size.rows)
        yield styled(self.view.exam.title, "bold")
        yield from (RichText(f"- {line}") for line in lines_of(table))
        if table.more:
            yield _dim(f"and {table.more} more results in the full report")

    def _new(self, prompt: NewPrompt, size: ScreenSize) -> Iterator[_Part]:
        """The pass rates of a new prompt, and the cases that fail most."""
        path, suite = terminal_text(prompt.path), terminal_text(prompt.suite)
        yield RichText.assemble((f"New prompt {path}", "bold"), f" (suite {suite}): {terminal_text(prompt.about)}")
        yield table_of(rate_table(prompt.rows[: size.rows], "answers that pass"), self.width)
        if more := len(prompt.rows[size.rows :]) + len(prompt.folded):
            yield _dim(f"and {more:,} more slices in the full report")
        for case in prompt.cases[: size.cases]:
            yield _case_line(case)
        if prompt.cases and (command := explain_command(self.run, self.folder)):
            yield _command(command)

    def _check(self, table: CheckTable, size: ScreenSize) -> Iterator[_Part]:
        """The cases of one suite of a check that do not pass, and its pass rates."""
        path, suite = terminal_text(table.path), terminal_text(table.suite)
        yield RichText.assemble((f"Suite {suite}", "bold"), f" ({path}): {terminal_text(table.about)}")
        rows = (*table.rows, *table.folded)
        shown = [row for row in rows if row.state is not CaseState.PASSED][: 2 * size.cases]
        if shown:
            reasons = max(1, min(REASONS_SHOWN, size.cases - 1))
            for row in shown:
                yield from _checked(row, reasons)
        if rest := _rest(table, rows, shown):
            yield _dim(rest)
        rates = [table.rates[0], *(row for row in table.rates[1:] if row.has_threshold)]
        yield table_of(rate_table(rates[: size.rows], "passed"), self.width)
        for note in self.view.footnotes[: size.notes] if any(not row.counts for row in shown) else ():
            yield _dim(terminal_text(note))
        if shown and (command := explain_command(self.run, self.folder)):
            yield _command(command)

    def _cases(self, size: ScreenSize) -> Iterator[_Part]:
        """The cases behind the verdict, one line each, and the command that shows all of one."""
        if not self.view.cases:
            return
        yield styled(self.view.cases_brief, "bold")
        for case in self.view.cases[: size.cases]:
            yield _case_line(case)
        if command := explain_command(self.run, self.folder):
            yield _command(command)

    def _closing(self) -> Iterator[_Part]:
        """The method, what the run took, and the next steps."""
        view = self.view
        if view.method:
            yield _dim(f"Method: {terminal_text(view.method)}")
        if view.spent:
            yield _dim(f"Run: {terminal_text(plain(view.spent))}")
        for place, step in enumerate(view.steps, start=1):
            number = f"{place}. " if len(view.steps) > 1 else ""
            grid = RichTable.grid()
            grid.add_column(no_wrap=True)
            grid.add_column(overflow="fold")
            said = styled(placed(step, "above"))
            grid.add_row(RichText.assemble(("Next: " if place == 1 else "      ", "bold"), number), said)
            yield grid


def _dim(text: str) -> RichText:
    """A remark; already escaped."""
    return RichText(text, style="dim")


def _axes(axes: AxesRow, *, tabled: bool) -> RichText:
    """Cost and latency; quality too where no table shows it."""
    suite = f"{axes.suite}: " if axes.suite else ""
    quality = "" if tabled else f"quality {axes.quality.words} · "
    cost = axes.cost.change if axes.cost.missing == "not applicable" else axes.cost.words
    line = f"{suite}{quality}cost {cost} · latency {axes.latency.words}"
    return RichText(terminal_text(line if suite else line[0].upper() + line[1:]))


def _one_line(line: RichText, indent: int = 0) -> Padding:
    """One line, cut at the edge."""
    line.no_wrap, line.overflow = True, "ellipsis"
    return Padding(line, (0, 0, 0, indent), expand=False)


def _case_line(case: CaseView) -> Padding:
    slices = f"  {terminal_text(case.slices)}" if case.slices else ""
    line = RichText.assemble("  ", (terminal_text(case.name), "bold"), f"  {case.scores}", (slices, "dim"))
    return _one_line(line)


def _command(command: str) -> Padding:
    return Padding(RichText(terminal_text(command), style="cyan"), (0, 0, 0, 2), expand=False)


_Cell = str | RichText


def _grid(head: Collection[str], rows: Iterable[Sequence[_Cell]], width: int) -> RichTable:
    """A table of slices without lines: no cell wraps, and names are cut. Plain strings in it are escaped."""
    body = [[RichText(terminal_text(cell)) if isinstance(cell, str) else cell for cell in row] for row in rows]
    grid = RichTable(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    columns = list(zip([RichText(name) for name in head], *body, strict=True))[1:]
    most = max(width - sum(1 + max(cell.cell_len for cell in column) for column in columns) - 1, _NARROWEST_NAME)
    for place, name in enumerate(head):
        grid.add_column(
            RichText(name),
            justify="right" if place == 1 else "left",
            no_wrap=True,
            overflow="ellipsis",
            max_width=most if place == 0 else None,
        )
    for row in body:
        grid.add_row(*row)
    return grid


def _slice_cells(row: SliceRow, *, scores: bool, bars: bool) -> Iterator[_Cell]:
    style = _STATE_STYLES[row.state]
    yield RichText(terminal_text(row.name), style="bold" if row.state is State.REGRESSION else "")
    yield row.cases_and_groups
    if scores:
        yield row.scores
    yield RichText(f"{row.delta} {row.interval}")
    if bars:
        yield RichText(row.bar, style=style)
    words = row.words if scores else row.short
    yield RichText(f"{words}{' †' * row.dagger}{' °' * row.advisory}", style=style)


def _checked(row: CheckedCaseRow, reasons: int) -> Iterator[_Part]:
    """A case: result, name, score and slices on one line, the scorers that fail below."""
    result = (f"{row.words}{'' if row.counts else ' °'}".ljust(_RESULT), _CASE_STYLES[row.state])
    score, slices = row.score if row.state is CaseState.FAILED else "", terminal_text(row.slices)
    name = RichText.assemble(
        result, (terminal_text(row.name), "bold"), f"  {score}".rstrip(), (f"  {slices}".rstrip(), "dim")
    )
    yield _one_line(name)
    for one in row.failing[:reasons]:
        yield _one_line(RichText(terminal_text(one)), _RESULT)


def _rest(table: CheckTable, rows: Sequence[CheckedCaseRow], shown: Sequence[CheckedCaseRow]) -> str:
    """How many other cases there are; may be empty."""
    more = len(rows) + table.more - len(shown)
    if not more:
        return ""
    bad = sum(row.state is not CaseState.PASSED for row in rows) - len(shown)
    what = f" in the full report; {bad:,} of them did not pass" if bad else " that passed"
    noun = "case" if more == 1 else "cases"
    return f"and {more:,} more {noun}{what}" if shown else f"{more:,} {noun}{what}"


def promise_lines(table: PromiseTable) -> Iterator[RichText | RichTable]:
    """The counts; state, id and words of each rule, the old ones above the new ones; then the notes."""
    suite = f" of {terminal_text(table.suite)}" if table.suite else ""
    yield RichText.assemble((f"Rules{suite}", "bold"), f" ({table.brief})")
    if table.rows or table.folded or table.inputs:
        yield _promises(table)
    for note in table.notes:
        yield RichText(terminal_text(note), style="dim")
    if table.more:
        yield RichText(f"and {table.more:,} more in the record", style="dim")


def _promises(table: PromiseTable) -> RichTable:
    out = RichTable(box=None, pad_edge=False, padding=(0, 1, 0, 0), show_header=False)
    out.add_column(no_wrap=True)
    out.add_column(no_wrap=True, max_width=12)
    out.add_column(overflow="fold")
    for row in (*table.rows, *table.folded):
        state = RichText(row.words, style=_PROMISE_STYLES.get(row.state, ""))
        out.add_row(state, RichText(terminal_text(row.rule)), RichText("\n").join(_rule_lines(row)))
    for change in table.inputs:
        said = " → ".join(terminal_text(part) for part in (change.before, change.after) if part)
        out.add_row(RichText(f"input {change.words}"), RichText(terminal_text(change.name)), RichText(said))
    return out


def _rule_lines(row: PromiseRow) -> Iterator[RichText]:
    if row.before:
        yield RichText(f"{'- ' if row.after else ''}{terminal_text(row.before)}")
    if row.after:
        yield RichText(f"{'+ ' if row.before else ''}{terminal_text(row.after)}")
    if row.evidence:
        which = "new" if row.after else "old"
        yield RichText(f"in the {which} prompt: “{terminal_text(row.evidence)}”", style="dim")
    if row.reason:
        yield RichText(terminal_text(row.reason), style="dim")
    if row.tried:
        yield RichText(terminal_text(row.tried), style="yellow" if row.broken else "dim")
    if row.intended:
        yield RichText("on purpose?", style="bold")
