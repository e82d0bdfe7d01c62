"""Scorers before and after in a terminal: one line for each."""

from rich.table import Table
from rich.text import Text

from gate.report.escape import terminal
from gate.report.parts.scorers import ScorerTable


def heading(table: ScorerTable) -> Text:
    """Which suite, and what the figures are not."""
    suite = f" in {terminal(table.suite)}" if table.suite else ""
    return Text.assemble(Text(f"By scorer{suite}", style="bold"), " (described, not tested)")


def grid(table: ScorerTable) -> Table:
    """Name, weight, cases, scores and change of each, and how many answers passed where that counts."""
    out = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for name in ("scorer", *(["weight"] * table.weighted), "cases", "baseline → candidate", "change"):
        out.add_column(Text(name), justify="right" if name in ("weight", "cases") else "left", overflow="fold")
    if table.passing:
        out.add_column(Text("passed"), overflow="fold")
    for row in table.rows:
        cells = (terminal(row.name), *([row.weight] * table.weighted), row.cases, row.scores, row.change)
        out.add_row(*map(Text, (*cells, *([row.passed] * table.passing))))
    return out
