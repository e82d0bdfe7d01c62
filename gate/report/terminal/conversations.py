"""What agents did in a terminal: one line for each figure."""

from rich.table import Table
from rich.text import Text

from gate.report.escape import terminal
from gate.report.parts.whole import ConversationTable


def heading(table: ConversationTable) -> Text:
    """Which suite, and what the figures are not."""
    suite = f" in {terminal(table.suite)}" if table.suite else ""
    what = " (described, not tested)" if table.compared else ""
    return Text.assemble(Text(f"Conversations{suite}", style="bold"), f", {table.cases}{what}")


def grid(table: ConversationTable) -> Table:
    """Turns, questions back and tool calls of both arms."""
    out = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), show_header=False)
    for name, value in table.figures:
        out.add_row(Text(name), Text(value))
    return out
