"""A check in a terminal: the table of cases, and that of pass rates."""

from rich.table import Table
from rich.text import Text

from gate.domain.checked import CaseState
from gate.report.escape import terminal
from gate.report.parts_alone import CaseRow, CheckTable, NewPrompt
from gate.report.terminal_new import grid

STYLES = {CaseState.FAILED: "red", CaseState.UNSCORED: "yellow", CaseState.PASSED: "green"}
_NARROWEST = 16
_WIDEST_NAME = 40


def heading(table: CheckTable) -> Text:
    """What is checked, and when a case passes."""
    title = Text(f"Suite {terminal(table.suite)}", style="bold")
    return Text.assemble(title, f" ({terminal(table.path)}): {terminal(table.about)}")


def cases(table: CheckTable, width: int) -> Table:
    """The cases; what the scorers say wraps within its column.

    Args:
        table: of one suite.
        width: of the console, in columns.
    """
    out = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    names = min(_WIDEST_NAME, max(_NARROWEST, width // 3))
    out.add_column(Text("case"), no_wrap=True, overflow="ellipsis", max_width=names)
    sliced = any(row.slices for row in table.rows)
    if sliced:
        out.add_column(Text("slices"), no_wrap=True, overflow="ellipsis", max_width=max(_NARROWEST, width // 5))
    out.add_column(Text("result"), no_wrap=True)
    out.add_column(Text("score"), justify="right", no_wrap=True)
    out.add_column(Text("scorers"), overflow="fold")
    for row in table.rows:
        out.add_row(
            Text(terminal(row.name)),
            *([Text(terminal(row.slices), style="dim")] if sliced else []),
            Text(f"{row.words}{'' if row.counts else ' °'}", style=STYLES[row.state]),
            Text(row.score),
            _said(row),
        )
    return out


def rates(table: CheckTable, width: int) -> Table:
    """The pass rates by slice."""
    shown = NewPrompt(table.suite, table.path, "", table.rates, (), ())
    return grid(shown, width, "cases that pass")


def rest(table: CheckTable) -> str:
    """How many more cases there are; empty where all are shown."""
    more = len(table.folded) + table.more
    if not more:
        return ""
    bad = sum(row.state is not CaseState.PASSED for row in table.folded)
    what = f", {bad:,} of which did not pass," if bad else " that passed" if not table.more else ""
    return f"and {more:,} more{what} in the report and the record of the run"


def _said(row: CaseRow) -> Text:
    lines = [Text("\n".join(terminal(one) for one in row.scorers))]
    if row.reason:
        lines.append(Text(terminal(row.reason), style="dim"))
    return Text("\n").join(lines)
