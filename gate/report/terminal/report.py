"""The report in a terminal, or as plain lines where there is none."""

from collections.abc import Iterator, Sequence

from rich.console import Console, JustifyMethod
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text as RichText

from gate.record.comparison import State, Verdict
from gate.record.run import RunRecord
from gate.report.differences import AnswerDiff
from gate.report.escape import terminal_text
from gate.report.terminal.tables import (
    ROWS_SHOWN,
    check_cases,
    check_heading,
    check_rates,
    check_rest,
    check_unseen,
    conversation_grid,
    conversation_heading,
    dimension_grid,
    dimension_heading,
    new_prompt_grid,
    new_prompt_heading,
    promise_lines,
    scorer_grid,
    scorer_heading,
)
from gate.report.view.cases import Answer, CaseView, FailingCase
from gate.report.view.checks import CheckTable
from gate.report.view.comparisons import SliceRow, SliceTable
from gate.report.view.conversations import ConversationTable
from gate.report.view.pass_rates import NewPrompt
from gate.report.view.report import ReportView, report_view
from gate.report.view.scorers import ScorerTable
from gate.report.view.slices import Code, Text

CASES_SHOWN = 3
RUBRICS_SHOWN = 20
"""Rubrics, and suites with their scorers."""
LINES_SHOWN = 6
"""Lines of one answer."""

_NARROWEST_NAME = 8
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
        printer.line(RichText(terminal_text(note), style="dim"))
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
            suite = f"{axes.suite}: " if axes.suite else ""
            line = f"{suite}quality {axes.quality} · cost {axes.cost} · latency {axes.latency}"
            self.line(RichText(terminal_text(line)))

    def suites(self, shown: ReportView) -> None:
        """Slices, promises, what agents did, scorers and dimensions."""
        for table in shown.tables:
            self.table(table, shown.confidence)
        for promises in shown.promises[:RUBRICS_SHOWN]:
            self.line()
            for line in promise_lines(promises):
                self.line(line)
        for conversations in shown.conversations[:RUBRICS_SHOWN]:
            self.conversations(conversations)
        for scorers in shown.scorers[:RUBRICS_SHOWN]:
            self.scorers(scorers)
        for dimensions in shown.dimensions[:RUBRICS_SHOWN]:
            self.line()
            self.line(dimension_heading(dimensions, shown.confidence))
            self.line(dimension_grid(dimensions))

    def table(self, table: SliceTable, confidence: str) -> None:
        """The slices of one suite; narrow consoles drop the scores first, then the bars."""
        width = self._console.width
        head = _head(table, confidence, width)
        body = [tuple(_cells(row, width)) for row in table.rows]
        rest = sum(1 + max(cell.cell_len for cell in column) for column in list(zip(head, *body, strict=True))[1:])
        grid = RichTable(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
        for place, cell in enumerate(head):
            most = max(width - rest - 1, _NARROWEST_NAME) if place == 0 else None
            justify: JustifyMethod = "right" if cell.plain == "cases" else "left"
            grid.add_column(cell, justify=justify, no_wrap=True, overflow="ellipsis", max_width=most)
        for cells in body:
            grid.add_row(*cells)
        self.line()
        self.line(grid)
        if table.folded:
            self.line(RichText(f"and {table.brief}", style="dim"))

    def scorers(self, table: ScorerTable) -> None:
        """What each scorer of a suite says before and after."""
        self.line()
        self.line(scorer_heading(table))
        self.line(scorer_grid(table))
        if table.more:
            self.line(RichText(f"and {table.more:,} more; the record of the run has them all", style="dim"))

    def conversations(self, table: ConversationTable) -> None:
        """What the agents of a suite did before and after."""
        self.line()
        self.line(conversation_heading(table))
        for sentence in table.sentences:
            self.line(RichText.assemble("- ", _text(sentence)))
        self.line(conversation_grid(table))

    def _cut_off(self, rows: int) -> None:
        if rows > ROWS_SHOWN:
            left = f"and {rows - ROWS_SHOWN:,} more slices; the record of the run has them all"
            self.line(RichText(left, style="dim"))

    def exam(self, shown: ReportView) -> None:
        """The results for the edited exam."""
        self.line()
        self.line(RichText("Exam changes (no part in the verdict)", style="bold"))
        for row in shown.exam[:ROWS_SHOWN]:
            suite = f"{row.suite}: " if row.suite else ""
            reason = f" ({row.reason})" if row.reason else ""
            line = f"- {suite}{row.words}: {row.scores}, change {row.change}, cases: {row.cases}{reason}"
            self.line(RichText(terminal_text(line)))

    def case(self, case: CaseView) -> None:
        """One case that fell, with both answers shortened."""
        self._asked(case, case.scores)
        arms = (("baseline", case.baseline, "red"), ("candidate", case.candidate, "green"))
        if case.diff is not None:
            self._difference(case, case.diff)
        for arm, answers, style in arms:
            for answer in answers[1:] if case.diff is not None else answers:
                self._answer(arm, answer, style)

    def new_prompt(self, prompt: NewPrompt) -> None:
        """The pass rates of a new prompt, and the cases that fail most."""
        self.line()
        self.line(new_prompt_heading(prompt))
        self.line()
        self.line(new_prompt_grid(prompt, self._console.width))
        self._cut_off(len(prompt.rows))
        if prompt.folded:
            count = len(prompt.folded)
            self.line(RichText(f"and {count:,} more slices without a shortfall", style="dim"))
        for case in prompt.cases[:CASES_SHOWN]:
            self._asked(case, case.passed)
            for answer in case.answers:
                self._answer("answer", answer, "red")

    def check(self, table: CheckTable) -> None:
        """The cases of one suite of a check, its pass rates, and the answers that fail most."""
        self.line()
        self.line(check_heading(table))
        self.line()
        self.line(check_cases(table))
        if rest := check_rest(table):
            self.line(RichText(rest, style="dim"))
        self.line()
        self.line(check_rates(table, self._console.width))
        for case in table.cases[:CASES_SHOWN]:
            self._asked(case, case.passed)
            for answer in case.answers:
                self._answer("answer", answer, "red", reasons=None)
        if unseen := check_unseen(table, len(table.cases[:CASES_SHOWN])):
            self.line()
            self.line(RichText(unseen, style="dim"))

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

    def _asked(self, case: CaseView | FailingCase, result: str) -> None:
        """The case and its question."""
        self.line()
        slices = f"  ({terminal_text(case.slices)})" if case.slices else ""
        title = RichText(terminal_text(case.name), style="bold")
        self.line(RichText.assemble(title, f"  {result}", RichText(slices, style="dim")))
        for label, text in (("input", case.question), ("expected", case.expected)):
            if text is not None:
                self._block(label, text)

    def _difference(self, case: CaseView, diff: AnswerDiff) -> None:
        """The best answer of the baseline and the worst of the candidate, line by line."""
        before, after = case.baseline[0], case.candidate[0]
        told = ", ⟦different words⟧ in brackets" if diff.marked else ""
        label = f"baseline (-, {before.label}) and candidate (+, {after.label}){told}"
        self.line(RichText(terminal_text(label), style="dim"), indent=2)
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
        self.line(RichText(terminal_text(label), style="dim"), indent=2)
        if not text.strip():
            return
        found = _clipped(terminal_text(text, lines=True), self._console)
        self._lines([(line, style) for line in found], LINES_SHOWN)

    def _lines(self, lines: Sequence[tuple[str, str]], most: int) -> None:
        for line, style in lines[:most]:
            shown = RichText.assemble("  │ ", RichText(line, style=style))
            self._console.print(shown, highlight=False, no_wrap=True, overflow="ellipsis")
        if len(lines) > most:
            self.line(RichText(f"… {len(lines) - most:,} more lines", style="dim"), indent=2)


def _head(table: SliceTable, confidence: str, width: int) -> tuple[RichText, ...]:
    names = [terminal_text(table.suite) if table.suite else "slice", "cases"]
    if width >= _ROOM_FOR_SCORES:
        names.append("baseline → candidate")
    names.append(f"change [{confidence}]")
    if width >= _ROOM_FOR_BARS:
        names.append(table.scale)
    return tuple(RichText(name) for name in (*names, "state"))


def _cells(row: SliceRow, width: int) -> Iterator[RichText]:
    style = _STATE_STYLES[row.state]
    marks = f"{' †' if row.dagger else ''}{' °' if row.advisory else ''}"
    yield RichText(f"{terminal_text(row.name)}", style="bold" if row.state is State.REGRESSION else "")
    yield RichText(row.cases)
    if width >= _ROOM_FOR_SCORES:
        yield RichText(row.scores)
    yield RichText(f"{row.delta} {row.interval}")
    if width >= _ROOM_FOR_BARS:
        yield RichText(row.bar, style=style)
    words = row.words if width >= _ROOM_FOR_SCORES else _SHORT_WORDS.get(row.words, row.words)
    yield RichText(f"{words}{marks}", style=style)


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
