"""Tables of a report in a terminal: checks, pass rates, scorers, rubrics, conversations, promises."""

from collections.abc import Iterator

from rich.console import Group, JustifyMethod
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text as RichText

from gate.record.comparison import PassState
from gate.record.parts import CaseState
from gate.record.rules import ChangeState
from gate.report.escape import terminal_text
from gate.report.view.checks import CheckedCaseRow, CheckTable
from gate.report.view.conversations import ConversationTable
from gate.report.view.pass_rates import NewPrompt, RateRow
from gate.report.view.promises import PromiseRow, PromiseTable
from gate.report.view.scorers import DimensionTable, ScorerTable

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
    body = [tuple(_cells(row)) for row in rows]
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


def _cells(row: RateRow) -> Iterator[str]:
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
        out.add_row(RichText(row.words, style=style), RichText(terminal_text(row.rule)), RichText("\n").join(_lines(row)))
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
        yield RichText(f"the prompt {'said' if not row.after else 'says'}: “{terminal_text(row.evidence)}”", style="dim")
    if row.reason:
        yield RichText(terminal_text(row.reason), style="dim")
    if row.tried:
        yield RichText(terminal_text(row.tried), style="yellow" if row.broken else "dim")
    if row.intended:
        yield RichText("on purpose?", style="bold")
