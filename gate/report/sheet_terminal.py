"""A sheet in a terminal, or as plain lines where there is none."""

from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from gate.report.escape import terminal
from gate.report.sheet import Grid, Sheet, Tone

_STYLES: dict[Tone, str] = {"": "", "good": "green", "doubtful": "yellow", "bad": "red", "dim": "dim"}
_WORDS: dict[Tone, str] = {"bad": "error: ", "doubtful": "warning: "}

_GAP = 2
_NARROWEST = 8


def render(sheet: Sheet, console: Console, *, brief: bool = False) -> None:
    """Print a sheet.

    Args:
        sheet: what to print.
        console: where to; its width, colours and kind decide the looks.
        brief: the first line and the remarks only.
    """
    console.print(Text(terminal(sheet.headline), style="bold"), highlight=False)
    for remark in sheet.remarks:
        word = Text(_WORDS.get(remark.tone, ""), style=f"bold {_STYLES[remark.tone]}")
        console.print(Text.assemble(word, terminal(remark.text)), highlight=False)
    if brief:
        return
    for grid in sheet.grids:
        _grid(grid, console)
    if sheet.notes:
        console.print()
    for note in sheet.notes:
        console.print(Text(terminal(note), style="dim"), highlight=False)
    for block in sheet.blocks:
        console.print()
        console.print(Text(terminal(block.title), style="bold"), highlight=False)
        console.print(Text(terminal(block.text, lines=True)), highlight=False, soft_wrap=True)


def _grid(grid: Grid, console: Console) -> None:
    console.print()
    if grid.title:
        console.print(Text(terminal(grid.title), style="bold"), highlight=False)
    if grid.lines:
        console.print(_table(grid, console.width), highlight=False)
    for sentence in grid.below:
        console.print(Text(terminal(sentence), style="dim"), highlight=False)


def _table(grid: Grid, width: int) -> Table:
    """Heads wrap, cells do not; where there is no room the first column is cut short."""
    head = [terminal(name) for name in grid.head]
    body = [[Text(terminal(cell)) for cell in line.cells] for line in grid.lines]
    widths = [max(cell.cell_len for cell in column) for column in zip(*body, strict=True)]
    widths = [max(most, *(len(word) for word in name.split(" "))) for most, name in zip(widths, head, strict=True)]
    widths[0] = max(_NARROWEST, min(widths[0], width - sum(widths[1:]) - _GAP * len(widths)))
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="dim", show_header=any(head))
    for place, name in enumerate(head):
        justify: JustifyMethod = "right" if 0 < place < len(head) - 1 else "left"
        table.add_column(Text(name), justify=justify, width=widths[place], overflow="ellipsis", vertical="bottom")
    for cells, line in zip(body, grid.lines, strict=True):
        for cell in cells:
            cell.no_wrap = True
        cells[-1].stylize(_STYLES[line.tone])
        table.add_row(*cells)
    return table
