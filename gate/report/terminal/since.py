"""What the last save changed, on one screen."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from gate.domain.verdict import State, Verdict
from gate.report.escape import terminal
from gate.report.trend.since import CASES_NAMED, Since, SinceRow

_VERDICTS = {
    Verdict.BLOCK: "bold white on red",
    Verdict.INCONCLUSIVE: "bold black on white",
    Verdict.HOLD: "bold black on yellow",
    Verdict.PASS: "bold black on green",
    Verdict.SHIP: "bold black on green",
    Verdict.SKIPPED: "bold",
}
_STATES = {State.REGRESSION: "red", State.SUSPECT: "yellow", State.IMPROVEMENT: "green"}
_ARROWS = {1: ("▲", "green"), -1: ("▼", "red"), 0: (" ", "")}
_OTHER_LINES = 14
_FEWEST_ROWS = 5


def render(shown: Since, at: str, console: Console) -> None:
    """Print it.

    Args:
        shown: a run against the one before.
        at: the time of day.
        console: where to; its height decides how many slices there are.
    """
    words = shown.first_line.removeprefix(shown.verdict.value).lstrip(": ")
    head = Text.assemble((at, "dim"), "  ", (f" {shown.verdict} ", _VERDICTS[shown.verdict]))
    console.print(Text.assemble(head, (terminal(words), "bold")), highlight=False)
    if shown.before:
        console.print(Text.assemble(("last run: ", "dim"), terminal(shown.before)), highlight=False)
    most = max(_FEWEST_ROWS, console.height - _OTHER_LINES) if console.is_terminal else len(shown.rows)
    if shown.rows:
        console.print(_table(shown.rows[:most]))
    if len(shown.rows) > most:
        console.print(Text(f"and {len(shown.rows) - most:,} more slices", "dim"))
    for label, cases, style in (("fell", shown.fell, "red"), ("rose", shown.rose, "green")):
        if cases:
            more = f", and {len(cases) - CASES_NAMED:,} more" if len(cases) > CASES_NAMED else ""
            said = terminal(", ".join(cases[:CASES_NAMED])) + more
            console.print(Text.assemble((f"{label} since the last run: ", style), said), highlight=False)
    if shown.axes:
        console.print(Text(terminal(" · ".join(shown.axes))), highlight=False)


def _table(rows: Sequence[SinceRow]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for head in ("slice", "change", "", "last run", "state"):
        table.add_column(head, overflow="fold")
    for row in rows:
        style = _STATES.get(row.state, "") if row.state is not None else ""
        cells = (terminal(row.name), row.now, _ARROWS[row.moved], row.before)
        table.add_row(Text(cells[0]), Text(cells[1]), Text(*cells[2]), Text(cells[3], "dim"), Text(row.words, style))
    return table
