"""New prompts in a terminal: the table of pass rates."""

from collections.abc import Iterator

from rich.console import JustifyMethod
from rich.table import Table
from rich.text import Text

from gate.domain.passrate import PassState
from gate.report.escape import terminal
from gate.report.parts.alone import NewPrompt, RateRow

ROWS_SHOWN = 500
"""Of one table; the worst come first, and nobody scrolls through more."""

_NARROWEST_NAME = 8

_STYLES = {
    PassState.MISSED: "red",
    PassState.UNPROVEN: "yellow",
    PassState.MET: "green",
    PassState.TOO_FEW: "dim",
    PassState.NO_THRESHOLD: "dim",
}


def heading(prompt: NewPrompt) -> Text:
    """What it is, and when an answer passes."""
    title = Text(f"New prompt {terminal(prompt.path)}", style="bold")
    return Text.assemble(title, f" (suite {terminal(prompt.suite)}): {terminal(prompt.about)}")


def grid(prompt: NewPrompt, width: int, passing: str = "answers that pass") -> Table:
    """The slices; long names are cut where the console is narrow.

    Args:
        prompt: with its rows.
        width: of the console, in columns.
        passing: head of the column of rates.
    """
    head = ("slice", "cases", passing, "wanted", "state")
    rows = prompt.rows[:ROWS_SHOWN]
    body = [tuple(_cells(row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    out = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for place, name in enumerate(head):
        most = max(width - sum(widths[1:]) - len(head), _NARROWEST_NAME) if place == 0 else None
        justify: JustifyMethod = "right" if name in ("cases", "wanted") else "left"
        out.add_column(Text(name), justify=justify, no_wrap=True, overflow="ellipsis", max_width=most)
    for row, cells in zip(rows, body, strict=True):
        *plain, state = cells
        out.add_row(*map(Text, plain), Text(state, style=_style(row)))
    return out


def _style(row: RateRow) -> str:
    return "" if row.state is PassState.UNPROVEN and not row.doubtful else _STYLES[row.state]


def _cells(row: RateRow) -> Iterator[str]:
    yield terminal(row.name)
    yield row.cases
    yield row.rate
    yield row.wanted
    yield f"{row.words}{' °' if row.advisory else ''}"
