"""Rubrics in a terminal: one line for each dimension."""

from rich.table import Table
from rich.text import Text

from gate.report.escape import terminal
from gate.report.parts.scorers import DimensionTable

_STYLES = {"fell": "red", "rose": "green", "": ""}


def heading(table: DimensionTable, confidence: str) -> Text:
    """Which rubric, and what the intervals hold for."""
    suite = f" in {terminal(table.suite)}" if table.suite else ""
    held = f"; the {confidence} intervals hold for all of them together" if table.compared else ""
    title = Text(f"By dimension of {terminal(table.scorer)}{suite}", style="bold")
    return Text.assemble(title, f" ({table.scale}{held})")


def grid(table: DimensionTable) -> Table:
    """Name, weight, cases, scores and change of each."""
    head = ("dimension", "weight", "cases", "baseline → candidate" if table.compared else "mean", "change")
    out = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for name in head if table.compared else head[:-1]:
        out.add_column(Text(name), justify="right" if name in ("weight", "cases") else "left", overflow="fold")
    for row in table.rows:
        cells = [Text(terminal(row.name)), Text(row.weight), Text(row.cases), Text(row.scores)]
        out.add_row(*cells, *([Text(row.change, style=_STYLES[row.trend])] if table.compared else []))
    return out
