"""A check in a terminal: the table of cases, and that of pass rates."""

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gate.domain.checked import CaseState
from gate.report.escape import terminal
from gate.report.parts.alone import CaseRow, CheckTable, NewPrompt
from gate.report.terminal.new import grid

STYLES = {CaseState.FAILED: "red", CaseState.UNSCORED: "yellow", CaseState.PASSED: "green"}


def heading(table: CheckTable) -> Text:
    """What is checked, and when a case passes."""
    title = Text(f"Suite {terminal(table.suite)}", style="bold")
    return Text.assemble(title, f" ({terminal(table.path)}): {terminal(table.about)}")


def cases(table: CheckTable) -> Table:
    """The cases: name and slices on one line, below it the scorers, those that fall short with their reason."""
    out = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    out.add_column(Text("result"), no_wrap=True)
    out.add_column(Text("score"), justify="right", no_wrap=True)
    out.add_column(Text("case"), overflow="fold")
    for row in table.rows:
        said = Text(f"{row.words}{'' if row.counts else ' °'}", style=STYLES[row.state])
        out.add_row(said, Text(row.score), _case(row))
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


def unseen(table: CheckTable, shown: int) -> str:
    """How many cases do not pass beside those whose answers are shown; empty where there are no others.

    Args:
        table: of one suite.
        shown: cases with their answers.
    """
    more = table.bad - shown
    return f"and {more:,} more that did not pass; samples.jsonl beside the record has every answer" if more > 0 else ""


def _case(row: CaseRow) -> Group:
    """A case that has nothing but full marks is one line."""
    name = Text.assemble(Text(terminal(row.name), style="bold"), "  ", Text(terminal(row.slices), style="dim"))
    name.rstrip()
    told = [Text(terminal(one)) for one in row.failing]
    if row.others and not row.perfect:
        told.append(Text(terminal(row.others), style="dim"))
    return Group(name, *(Padding(one, (0, 0, 0, 2), expand=False) for one in told))
