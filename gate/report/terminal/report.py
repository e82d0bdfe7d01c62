"""The report in a terminal, or as plain lines where there is none."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text as RichText

from gate.record.comparison import PassState, State, Verdict
from gate.record.parts import CaseState, ChangeState
from gate.record.run import RunRecord
from gate.report.differences import AnswerDiff
from gate.report.escape import terminal_text
from gate.report.numbers import Code, Text
from gate.report.view.cases import Answer, CaseView
from gate.report.view.comparisons import SliceRow, SliceTable
from gate.report.view.exam import PromiseRow, PromiseTable
from gate.report.view.pass_rates import CheckedCaseRow, CheckTable, NewPrompt, RateRow
from gate.report.view.report import ReportView, report_view
from gate.report.view.scorers import DimensionTable, ScorerTable

if TYPE_CHECKING:
    from gate.report.view.conversations import ConversationTable


ROWS_SHOWN = 500
"""Of one table; the worst come first."""
CASES_SHOWN = 3
RUBRICS_SHOWN = 20
"""Rubrics, and suites with their scorers."""
LINES_SHOWN = 6
"""Lines of one answer."""

_NARROWEST_NAME = 8
_ROOM_FOR_BARS = 76
_ROOM_FOR_SCORES = 110
_TO_THE_RIGHT = ("weight", "cases", "wanted", "score")

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
_RATE_STYLES = {
    PassState.MISSED: "red",
    PassState.UNPROVEN: "yellow",
    PassState.MET: "green",
    PassState.TOO_FEW: "dim",
    PassState.NO_THRESHOLD: "dim",
}
_CASE_STYLES = {CaseState.FAILED: "red", CaseState.UNSCORED: "yellow", CaseState.PASSED: "green"}
_CHANGE_STYLES = {"fell": "red", "rose": "green", "": ""}
_PROMISE_STYLES: dict[ChangeState, str] = {
    "removed": "red",
    "loosened": "yellow",
    "changed": "yellow",
    "unknown": "dim",
}
_DIFF_STYLES = {"-": "red", "+": "green", "@": "dim"}

_SHORT_WORDS = {
    "no change shown": "no change",
    "within its margin": "in margin",
    "fell, margin in doubt": "fell, margin?",
    "no case moved": "no change",
    "too few moved": "too few",
    "every score is 0": "too few",
    "too little variation": "too few",
    "too few cases": "too few",
}


def render_report(run: RunRecord, console: Console) -> None:
    """Print the report, laid out for the console; it needs 80 columns to show everything."""
    shown = report_view(run)
    printer = _Printer(console)
    printer.opening(shown)
    printer.suites(shown)
    for check in shown.checks:
        printer.check(check)
    if shown.checks and shown.footnotes:
        printer.line()
    for note in shown.footnotes:
        printer.dim(terminal_text(note))
    if shown.exam:
        printer.exam(shown)
    for prompt in shown.new:
        printer.new_prompt(prompt)
    if shown.cases:
        printer.line()
        printer.line(_text(shown.cases_head, "bold"))
    for case in shown.cases[:CASES_SHOWN]:
        printer.case(case)
    printer.closing(shown)


class _Printer:
    """Prints parts of a view; all text is escaped for terminals, and rich's markup stays off."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def line(self, text: RichText | RichTable = RichText(), indent: int = 0) -> None:  # noqa: B008
        """One paragraph or table; long lines wrap within their indent."""
        self._console.print(Padding(text, (0, 0, 0, indent), expand=False) if indent else text, highlight=False)

    def dim(self, text: str, indent: int = 0) -> None:
        """A remark; already escaped."""
        self.line(RichText(text, style="dim"), indent)

    def _headed(self, title: str, rest: str) -> None:
        self.line()
        self.line(RichText.assemble((title, "bold"), rest))

    def opening(self, shown: ReportView) -> None:
        """Verdict and worst slice, slices won and lost, the three axes."""
        first = RichText(f" {shown.verdict} ", style=_VERDICT_STYLES[shown.verdict])
        before = (_text((*shown.aside, ": "), "bold"),) if shown.aside else ()
        self.line(RichText.assemble(first, " ", *before, _text(shown.headline, "bold")))
        if shown.notice:
            self.line(_text(shown.notice, "bold yellow" if shown.weighty else ""))
        if shown.sentence:
            self.line(_text(shown.sentence))
        for note in shown.notes:
            self.line(RichText.assemble("- ", _text((note,) if isinstance(note, str) else note)))
        for axes in shown.axes:
            line = f"{axes.label}: quality {axes.quality} · cost {axes.cost} · latency {axes.latency}"
            self.line(RichText(terminal_text(line)))

    def suites(self, shown: ReportView) -> None:
        """Slices, promises, what agents did, scorers and dimensions."""
        for table in shown.tables:
            self._slices(table, shown.confidence)
        for promises in shown.promises[:RUBRICS_SHOWN]:
            self.line()
            for line in promise_lines(promises):
                self.line(line)
        for conversations in shown.conversations[:RUBRICS_SHOWN]:
            self._conversations(conversations)
        for scorers in shown.scorers[:RUBRICS_SHOWN]:
            self._scorers(scorers)
        for dimensions in shown.dimensions[:RUBRICS_SHOWN]:
            self._dimensions(dimensions, shown.confidence)

    def _slices(self, table: SliceTable, confidence: str) -> None:
        """The slices of one suite; narrow consoles drop the scores first, then the bars."""
        width = self._console.width
        scores, bars = width >= _ROOM_FOR_SCORES, width >= _ROOM_FOR_BARS
        head = [
            terminal_text(table.suite) if table.suite else "slice",
            "cases",
            *(["baseline → candidate"] * scores),
            f"change [{confidence}]",
            *([table.scale] * bars),
            "state",
        ]
        rows = [list(_slice_cells(row, scores=scores, bars=bars)) for row in table.rows]
        self.line()
        self.line(_grid(head, rows, width))
        if table.folded:
            self.dim(f"and {table.brief}")

    def _scorers(self, table: ScorerTable) -> None:
        """What each scorer of a suite says before and after."""
        suite = f" in {terminal_text(table.suite)}" if table.suite else ""
        self._headed(f"By scorer{suite}", " (described, not tested)")
        weight, passed = table.weighted, table.passing
        head = ("scorer", *(["weight"] * weight), "cases", "baseline → candidate", "change", *(["passed"] * passed))
        self.line(
            _grid(
                head,
                (
                    (row.name, *([row.weight] * weight), row.cases, row.scores, row.change, *([row.passed] * passed))
                    for row in table.rows
                ),
            )
        )
        if table.more:
            self.dim(f"and {table.more:,} more; the record of the run has them all")

    def _dimensions(self, table: DimensionTable, confidence: str) -> None:
        """What each dimension of a rubric says before and after."""
        suite = f" in {terminal_text(table.suite)}" if table.suite else ""
        held = f"; the {confidence} intervals hold for all of them together" if table.compared else ""
        self._headed(f"By dimension of {terminal_text(table.scorer)}{suite}", f" ({table.scale}{held})")
        head = ("dimension", "weight", "cases", "baseline → candidate" if table.compared else "mean", "change")
        rows = [
            (row.name, row.weight, row.cases, row.scores, RichText(row.change, style=_CHANGE_STYLES[row.trend]))
            for row in table.rows
        ]
        self.line(_grid(head, rows) if table.compared else _grid(head[:-1], (row[:-1] for row in rows)))

    def _conversations(self, table: "ConversationTable") -> None:
        """What the agents of a suite did before and after."""
        suite = f" in {terminal_text(table.suite)}" if table.suite else ""
        self._headed(f"Conversations{suite}", f", {table.cases}{' (described, not tested)' if table.compared else ''}")
        for sentence in table.sentences:
            self.line(RichText.assemble("- ", _text(sentence)))
        grid = RichTable(box=None, pad_edge=False, padding=(0, 1, 0, 0), show_header=False)
        for figure in table.figures:
            grid.add_row(*map(RichText, figure))
        self.line(grid)

    def exam(self, shown: ReportView) -> None:
        """The results for the edited exam."""
        self._headed("Exam changes (no part in the verdict)", "")
        for row in shown.exam[:ROWS_SHOWN]:
            suite = f"{row.suite}: " if row.suite else ""
            reason = f" ({row.reason})" if row.reason else ""
            line = f"- {suite}{row.words}: {row.scores}, change {row.change}, cases: {row.cases}{reason}"
            self.line(RichText(terminal_text(line)))

    def case(self, case: CaseView) -> None:
        """One case with the answers of its arms, shortened."""
        self._asked(case)
        arms = (("baseline", case.baseline, "red"), ("candidate", case.candidate, "green"))
        if case.diff is not None:
            self._difference(case, case.diff)
        for arm, answers, style in arms:
            for answer in answers[1:] if case.diff is not None else answers:
                self._answer(arm, answer, style)

    def new_prompt(self, prompt: NewPrompt) -> None:
        """The pass rates of a new prompt, and the cases that fail most."""
        path, suite = terminal_text(prompt.path), terminal_text(prompt.suite)
        self._headed(f"New prompt {path}", f" (suite {suite}): {terminal_text(prompt.about)}")
        self._rates(prompt.rows, "answers that pass")
        if len(prompt.rows) > ROWS_SHOWN:
            self.dim(f"and {len(prompt.rows) - ROWS_SHOWN:,} more slices; the record of the run has them all")
        if prompt.folded:
            self.dim(f"and {len(prompt.folded):,} more slices without a shortfall")
        for case in prompt.cases[:CASES_SHOWN]:
            self._asked(case)
            for answer in case.candidate:
                self._answer("answer", answer, "red")

    def check(self, table: CheckTable) -> None:
        """The cases of one suite of a check, its pass rates, and the answers that fail most."""
        path, suite = terminal_text(table.path), terminal_text(table.suite)
        self._headed(f"Suite {suite}", f" ({path}): {terminal_text(table.about)}")
        self.line()
        self.line(_grid(("result", "score", "case"), map(_checked, table.rows)))
        if rest := _rest(table):
            self.dim(rest)
        self._rates(table.rates, "cases that pass")
        for case in table.cases[:CASES_SHOWN]:
            self._asked(case)
            for answer in case.candidate:
                self._answer("answer", answer, "red", reasons=None)
        if (more := table.bad - len(table.cases[:CASES_SHOWN])) > 0:
            self.line()
            self.dim(f"and {more:,} more that did not pass; samples.jsonl beside the record has every answer")

    def _rates(self, rows: Sequence[RateRow], passing: str) -> None:
        self.line()
        self.line(
            _grid(
                ("slice", "cases", passing, "wanted", "state"),
                [
                    (
                        row.name,
                        row.cases,
                        row.rate,
                        row.wanted,
                        RichText(f"{row.words}{' °' * row.advisory}", style=_rate_style(row)),
                    )
                    for row in rows[:ROWS_SHOWN]
                ],
                self._console.width,
            )
        )

    def closing(self, shown: ReportView) -> None:
        """How the verdict was reached, and the next steps."""
        self.line()
        for fact in shown.facts:
            if fact.brief:
                self.line(RichText.assemble(f"{terminal_text(fact.label)}: ", _text(fact.text), style="dim"))
        if shown.steps:
            self.line()
        for place, step in enumerate(shown.steps, start=1):
            self.line(RichText.assemble(f"{place}. ", _text(step)))
        if shown.command:
            self.line(RichText(terminal_text(shown.command), style="bold"), indent=3)

    def _asked(self, case: CaseView) -> None:
        """The case and its question."""
        slices = f"  ({terminal_text(case.slices)})" if case.slices else ""
        self.line()
        self.line(RichText.assemble((terminal_text(case.name), "bold"), f"  {case.scores}", (slices, "dim")))
        for label, text in (("input", case.question), ("expected", case.expected)):
            if text is not None:
                self._block(label, text)

    def _difference(self, case: CaseView, diff: AnswerDiff) -> None:
        """The best answer of the baseline and the worst of the candidate, line by line."""
        before, after = case.baseline[0], case.candidate[0]
        told = ", ⟦different words⟧ in brackets" if diff.marked else ""
        self.dim(terminal_text(f"baseline (-, {before.label}) and candidate (+, {after.label}){told}"), indent=2)
        lines = [
            (line, _DIFF_STYLES.get(whole[:1], ""))
            for whole in diff.text.split("\n")
            for line in _clipped(terminal_text(whole, lines=True) or " ", self._console)
        ]
        self._lines(lines, 2 * LINES_SHOWN)
        reasons = [
            f"{arm}: {one.reasons[0]}" for arm, one in (("baseline", before), ("candidate", after)) if one.reasons
        ]
        if reasons:
            self._block("because", "\n".join(reasons))

    def _answer(self, arm: str, answer: Answer, style: str, reasons: int | None = 1) -> None:
        self._block(f"{arm} ({answer.label})", answer.text or "", style)
        if answer.reasons:
            self._block("because", "\n".join(answer.reasons[:reasons]))

    def _block(self, label: str, text: str, style: str = "") -> None:
        """Text from outside: every line behind a bar, so that none looks like ours."""
        self.dim(terminal_text(label), indent=2)
        if text.strip():
            found = _clipped(terminal_text(text, lines=True), self._console)
            self._lines([(line, style) for line in found], LINES_SHOWN)

    def _lines(self, lines: Sequence[tuple[str, str]], most: int) -> None:
        for line in lines[:most]:
            shown = RichText.assemble("  │ ", line)
            self._console.print(shown, highlight=False, no_wrap=True, overflow="ellipsis")
        if len(lines) > most:
            self.dim(f"… {len(lines) - most:,} more lines", indent=2)


_Cell = str | RichText | Group


def _grid(head: Collection[str], rows: Iterable[Sequence[_Cell]], width: int | None = None) -> RichTable:
    """A table without lines; plain strings in it are escaped.

    Args:
        width: of the console, where no cell may wrap; the first column is cut if it has to be.
    """
    body = [[RichText(terminal_text(cell)) if isinstance(cell, str) else cell for cell in row] for row in rows]
    grid = RichTable(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    most = None
    if width is not None:
        texts = [[cell for cell in row if isinstance(cell, RichText)] for row in body]
        columns = list(zip([RichText(name) for name in head], *texts, strict=True))[1:]
        most = max(width - sum(1 + max(cell.cell_len for cell in column) for column in columns) - 1, _NARROWEST_NAME)
    for place, name in enumerate(head):
        grid.add_column(
            RichText(name),
            justify="right" if name in _TO_THE_RIGHT else "left",
            no_wrap=width is not None or name in ("result", "score"),
            overflow="fold" if width is None else "ellipsis",
            max_width=most if place == 0 else None,
        )
    for row in body:
        grid.add_row(*row)
    return grid


def _slice_cells(row: SliceRow, *, scores: bool, bars: bool) -> Iterator[_Cell]:
    style = _STATE_STYLES[row.state]
    yield RichText(terminal_text(row.name), style="bold" if row.state is State.REGRESSION else "")
    yield row.cases
    if scores:
        yield row.scores
    yield RichText(f"{row.delta} {row.interval}")
    if bars:
        yield RichText(row.bar, style=style)
    words = row.words if scores else _SHORT_WORDS.get(row.words, row.words)
    yield RichText(f"{words}{' †' * row.dagger}{' °' * row.advisory}", style=style)


def _rate_style(row: RateRow) -> str:
    return "" if row.state is PassState.UNPROVEN and not row.doubtful else _RATE_STYLES[row.state]


def _checked(row: CheckedCaseRow) -> tuple[_Cell, ...]:
    """A case: name and slices on one line, the scorers below; one with only full scores takes one line."""
    name = RichText.assemble((terminal_text(row.name), "bold"), "  ", (terminal_text(row.slices), "dim"))
    name.rstrip()
    told = [RichText(terminal_text(one)) for one in row.failing]
    if row.others and not row.perfect:
        told.append(RichText(terminal_text(row.others), style="dim"))
    case = Group(name, *(Padding(one, (0, 0, 0, 2), expand=False) for one in told))
    return RichText(f"{row.words}{'' if row.counts else ' °'}", style=_CASE_STYLES[row.state]), row.score, case


def _rest(table: CheckTable) -> str:
    """How many more cases there are; may be empty."""
    more = len(table.folded) + table.more
    if not more:
        return ""
    bad = sum(row.state is not CaseState.PASSED for row in table.folded)
    what = f", {bad:,} of which did not pass," if bad else " that passed" if not table.more else ""
    return f"and {more:,} more{what} in the report and the record of the run"


def promise_lines(table: PromiseTable) -> Iterator[RichText | RichTable]:
    """The counts; state, id and words of each rule, the old ones above the new ones; then the notes."""
    suite = f" of {terminal_text(table.suite)}" if table.suite else ""
    yield RichText.assemble((f"Promises{suite}", "bold"), f" ({table.brief})")
    if table.rows or table.folded or table.inputs:
        yield _promises(table)
    for note in table.notes:
        yield RichText(terminal_text(note), style="dim")
    if table.more:
        yield RichText(f"and {table.more:,} more; the record has them all", style="dim")


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
        said = "says" if row.after else "said"
        yield RichText(f"the prompt {said}: “{terminal_text(row.evidence)}”", style="dim")
    if row.reason:
        yield RichText(terminal_text(row.reason), style="dim")
    if row.tried:
        yield RichText(terminal_text(row.tried), style="yellow" if row.broken else "dim")
    if row.intended:
        yield RichText("on purpose?", style="bold")


def _clipped(text: str, console: Console) -> Iterator[str]:
    """Lines that fit behind the bar, whatever the width of their characters; longer ones wrap."""
    for line in text.strip("\n").split("\n"):
        for part in RichText(line).wrap(console, max(console.width - 4, 20), overflow="fold"):
            yield part.plain


def _text(text: Text, style: str = "") -> RichText:
    out = RichText(style=style)
    for piece in text:
        if isinstance(piece, Code):
            out.append(terminal_text(piece.text), style="cyan")
        else:
            lead, tail = " " * piece.startswith(" "), " " * (piece.endswith(" ") and len(piece) > 1)
            out.append(f"{lead}{terminal_text(piece)}{tail}")
    return out
