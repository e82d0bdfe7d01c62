"""The report in a terminal, or as plain lines where there is none."""

from collections.abc import Iterator, Sequence

from rich.console import Console, Group, JustifyMethod
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text as RichText

from gate.record.comparison import PassState, State, Verdict
from gate.record.parts import CaseState
from gate.record.rules import ChangeState
from gate.record.run import RunRecord
from gate.report.differences import AnswerDiff
from gate.report.escape import terminal_text
from gate.report.view.cases import Answer, CaseView, FailingCase
from gate.report.view.comparisons import SliceRow, SliceTable
from gate.report.view.conversations import ConversationTable
from gate.report.view.exam import PromiseRow, PromiseTable
from gate.report.view.pass_rates import CheckedCaseRow, CheckTable, NewPrompt, RateRow
from gate.report.view.report import ReportView, report_view
from gate.report.view.scorers import DimensionTable, ScorerTable
from gate.report.view.text import Code, Text

ROWS_SHOWN = 500
"""Of one table; the worst come first."""

_NARROWEST_NAME = 8

_STYLES = {
    PassState.MISSED: "red",
    PassState.UNPROVEN: "yellow",
    PassState.MET: "green",
    PassState.TOO_FEW: "dim",
    PassState.NO_THRESHOLD: "dim",
}


def new_prompt_heading(prompt: NewPrompt) -> RichText:
    """Which prompt, and when an answer passes."""
    title = RichText(f"New prompt {terminal_text(prompt.path)}", style="bold")
    return RichText.assemble(title, f" (suite {terminal_text(prompt.suite)}): {terminal_text(prompt.about)}")


def new_prompt_grid(prompt: NewPrompt, width: int, passing: str = "answers that pass") -> RichTable:
    """The slices of a new prompt; long names are cut where the console is narrow."""
    head = ("slice", "cases", passing, "wanted", "state")
    rows = prompt.rows[:ROWS_SHOWN]
    body = [tuple(_rate_cells(row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    out = RichTable(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for place, name in enumerate(head):
        most = max(width - sum(widths[1:]) - len(head), _NARROWEST_NAME) if place == 0 else None
        justify: JustifyMethod = "right" if name in ("cases", "wanted") else "left"
        out.add_column(RichText(name), justify=justify, no_wrap=True, overflow="ellipsis", max_width=most)
    for row, cells in zip(rows, body, strict=True):
        *plain, state = cells
        out.add_row(*map(RichText, plain), RichText(state, style=_style(row)))
    return out


def _style(row: RateRow) -> str:
    return "" if row.state is PassState.UNPROVEN and not row.doubtful else _STYLES[row.state]


def _rate_cells(row: RateRow) -> Iterator[str]:
    yield terminal_text(row.name)
    yield row.cases
    yield row.rate
    yield row.wanted
    yield f"{row.words}{' °' if row.advisory else ''}"


STYLES = {CaseState.FAILED: "red", CaseState.UNSCORED: "yellow", CaseState.PASSED: "green"}


def check_heading(table: CheckTable) -> RichText:
    """What is checked, and when a case passes."""
    title = RichText(f"Suite {terminal_text(table.suite)}", style="bold")
    return RichText.assemble(title, f" ({terminal_text(table.path)}): {terminal_text(table.about)}")


def check_cases(table: CheckTable) -> RichTable:
    """The cases: name and slices on one line, the scorers below, with a reason for those that fall short."""
    out = RichTable(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    out.add_column(RichText("result"), no_wrap=True)
    out.add_column(RichText("score"), justify="right", no_wrap=True)
    out.add_column(RichText("case"), overflow="fold")
    for row in table.rows:
        said = RichText(f"{row.words}{'' if row.counts else ' °'}", style=STYLES[row.state])
        out.add_row(said, RichText(row.score), _case(row))
    return out


def check_rates(table: CheckTable, width: int) -> RichTable:
    """The pass rates by slice."""
    shown = NewPrompt(table.suite, table.path, "", table.rates, (), ())
    return new_prompt_grid(shown, width, "cases that pass")


def check_rest(table: CheckTable) -> str:
    """How many more cases there are; may be empty."""
    more = len(table.folded) + table.more
    if not more:
        return ""
    bad = sum(row.state is not CaseState.PASSED for row in table.folded)
    what = f", {bad:,} of which did not pass," if bad else " that passed" if not table.more else ""
    return f"and {more:,} more{what} in the report and the record of the run"


def check_unseen(table: CheckTable, shown: int) -> str:
    """How many failing cases are not among the `shown` ones with answers; empty where none."""
    more = table.bad - shown
    return f"and {more:,} more that did not pass; samples.jsonl beside the record has every answer" if more > 0 else ""


def _case(row: CheckedCaseRow) -> Group:
    """A case with only full scores takes one line."""
    name = RichText.assemble(
        RichText(terminal_text(row.name), style="bold"), "  ", RichText(terminal_text(row.slices), style="dim")
    )
    name.rstrip()
    told = [RichText(terminal_text(one)) for one in row.failing]
    if row.others and not row.perfect:
        told.append(RichText(terminal_text(row.others), style="dim"))
    return Group(name, *(Padding(one, (0, 0, 0, 2), expand=False) for one in told))


def scorer_heading(table: ScorerTable) -> RichText:
    """Which suite, and that the figures are not tested."""
    suite = f" in {terminal_text(table.suite)}" if table.suite else ""
    return RichText.assemble(RichText(f"By scorer{suite}", style="bold"), " (described, not tested)")


def scorer_grid(table: ScorerTable) -> RichTable:
    """Name, weight, cases, scores and change of each, and the answers that passed where that is required."""
    out = RichTable(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for name in ("scorer", *(["weight"] * table.weighted), "cases", "baseline → candidate", "change"):
        out.add_column(RichText(name), justify="right" if name in ("weight", "cases") else "left", overflow="fold")
    if table.passing:
        out.add_column(RichText("passed"), overflow="fold")
    for row in table.rows:
        cells = (terminal_text(row.name), *([row.weight] * table.weighted), row.cases, row.scores, row.change)
        out.add_row(*map(RichText, (*cells, *([row.passed] * table.passing))))
    return out


_CHANGE_STYLES = {"fell": "red", "rose": "green", "": ""}


def dimension_heading(table: DimensionTable, confidence: str) -> RichText:
    """Which rubric, and the confidence of its intervals."""
    suite = f" in {terminal_text(table.suite)}" if table.suite else ""
    held = f"; the {confidence} intervals hold for all of them together" if table.compared else ""
    title = RichText(f"By dimension of {terminal_text(table.scorer)}{suite}", style="bold")
    return RichText.assemble(title, f" ({table.scale}{held})")


def dimension_grid(table: DimensionTable) -> RichTable:
    """Name, weight, cases, scores and change of each."""
    head = ("dimension", "weight", "cases", "baseline → candidate" if table.compared else "mean", "change")
    out = RichTable(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for name in head if table.compared else head[:-1]:
        out.add_column(RichText(name), justify="right" if name in ("weight", "cases") else "left", overflow="fold")
    for row in table.rows:
        cells = [RichText(terminal_text(row.name)), RichText(row.weight), RichText(row.cases), RichText(row.scores)]
        out.add_row(*cells, *([RichText(row.change, style=_CHANGE_STYLES[row.trend])] if table.compared else []))
    return out


def conversation_heading(table: ConversationTable) -> RichText:
    """Which suite, and that the figures are not tested."""
    suite = f" in {terminal_text(table.suite)}" if table.suite else ""
    what = " (described, not tested)" if table.compared else ""
    return RichText.assemble(RichText(f"Conversations{suite}", style="bold"), f", {table.cases}{what}")


def conversation_grid(table: ConversationTable) -> RichTable:
    """Turns, questions back and tool calls of both arms."""
    out = RichTable(box=None, pad_edge=False, padding=(0, 1, 0, 0), show_header=False)
    for name, value in table.figures:
        out.add_row(RichText(name), RichText(value))
    return out


_PROMISE_STYLES: dict[ChangeState, str] = {
    "removed": "red",
    "loosened": "yellow",
    "changed": "yellow",
    "unknown": "dim",
}


def promise_lines(table: PromiseTable) -> Iterator[RichText | RichTable]:
    """The counts; state, id and words of each rule, the old ones above the new ones; then the notes."""
    suite = f" of {terminal_text(table.suite)}" if table.suite else ""
    yield RichText.assemble(RichText(f"Promises{suite}", style="bold"), f" ({table.brief})")
    if table.rows or table.folded or table.inputs:
        yield _grid(table)
    for note in table.notes:
        yield RichText(terminal_text(note), style="dim")
    if table.more:
        yield RichText(f"and {table.more:,} more; the record has them all", style="dim")


def _grid(table: PromiseTable) -> RichTable:
    out = RichTable(box=None, pad_edge=False, padding=(0, 1, 0, 0), show_header=False)
    out.add_column(no_wrap=True)
    out.add_column(no_wrap=True, max_width=12)
    out.add_column(overflow="fold")
    for row in (*table.rows, *table.folded):
        style = _PROMISE_STYLES.get(row.state, "")
        out.add_row(
            RichText(row.words, style=style), RichText(terminal_text(row.rule)), RichText("\n").join(_lines(row))
        )
    for change in table.inputs:
        said = " → ".join(terminal_text(part) for part in (change.before, change.after) if part)
        out.add_row(RichText(f"input {change.words}"), RichText(terminal_text(change.name)), RichText(said))
    return out


def _lines(row: PromiseRow) -> Iterator[RichText]:
    if row.before:
        yield RichText(f"{'- ' if row.after else ''}{terminal_text(row.before)}")
    if row.after:
        yield RichText(f"{'+ ' if row.before else ''}{terminal_text(row.after)}")
    if row.evidence:
        yield RichText(
            f"the prompt {'said' if not row.after else 'says'}: “{terminal_text(row.evidence)}”", style="dim"
        )
    if row.reason:
        yield RichText(terminal_text(row.reason), style="dim")
    if row.tried:
        yield RichText(terminal_text(row.tried), style="yellow" if row.broken else "dim")
    if row.intended:
        yield RichText("on purpose?", style="bold")


CASES_SHOWN = 3
RUBRICS_SHOWN = 20
"""Rubrics, and suites with their scorers."""
LINES_SHOWN = 6
"""Lines of one answer."""

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
        body = [tuple(_slice_cells(row, width)) for row in table.rows]
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


def _slice_cells(row: SliceRow, width: int) -> Iterator[RichText]:
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
