"""The promises of a prompt before and after, in a terminal."""

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from gate.domain.specdiff import ChangeState
from gate.report.escape import terminal
from gate.report.parts.specdiff import PromiseRow, PromiseTable

_STYLES: dict[ChangeState, str] = {"removed": "red", "loosened": "yellow", "changed": "yellow", "unknown": "dim"}


def lines(table: PromiseTable) -> Iterator[Text | Table]:
    """The counts, then state, id and words of each rule, the old ones above the new ones, then what is left to say."""
    suite = f" of {terminal(table.suite)}" if table.suite else ""
    yield Text.assemble(Text(f"Promises{suite}", style="bold"), f" ({table.brief})")
    if table.rows or table.folded or table.inputs:
        yield _grid(table)
    for note in table.notes:
        yield Text(terminal(note), style="dim")
    if table.more:
        yield Text(f"and {table.more:,} more; the record has them all", style="dim")


def _grid(table: PromiseTable) -> Table:
    out = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), show_header=False)
    out.add_column(no_wrap=True)
    out.add_column(no_wrap=True, max_width=12)
    out.add_column(overflow="fold")
    for row in (*table.rows, *table.folded):
        style = _STYLES.get(row.state, "")
        out.add_row(Text(row.words, style=style), Text(terminal(row.rule)), Text("\n").join(_lines(row)))
    for change in table.inputs:
        said = " → ".join(terminal(part) for part in (change.before, change.after) if part)
        out.add_row(Text(f"input {change.words}"), Text(terminal(change.name)), Text(said))
    return out


def _lines(row: PromiseRow) -> Iterator[Text]:
    if row.before:
        yield Text(f"{'- ' if row.after else ''}{terminal(row.before)}")
    if row.after:
        yield Text(f"{'+ ' if row.before else ''}{terminal(row.after)}")
    if row.evidence:
        yield Text(f"the prompt {'said' if not row.after else 'says'}: “{terminal(row.evidence)}”", style="dim")
    if row.reason:
        yield Text(terminal(row.reason), style="dim")
    if row.tried:
        yield Text(terminal(row.tried), style="yellow" if row.broken else "dim")
    if row.intended:
        yield Text("on purpose?", style="bold")
