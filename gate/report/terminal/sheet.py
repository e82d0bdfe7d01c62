"""A sheet in a terminal, or as plain lines where there is none."""

from collections.abc import Iterator
from typing import Literal

from rich.align import Align
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gate.record.findings.finding import Code
from gate.record.findings.finding import Text as Sentence
from gate.report.escape import terminal_text
from gate.report.sheet import Fact, Item, Sheet, SheetTable, Tone

_STYLES: dict[Tone, str] = {"": "", "good": "green", "doubtful": "yellow", "bad": "red", "dim": "dim"}
_WORDS: dict[Tone, str] = {"bad": "error: ", "doubtful": "warning: "}

_GAP = 2
_NARROWEST = 8


def render_sheet(sheet: Sheet, console: Console, *, brief: bool = False) -> None:
    """Print a sheet, or only its first line and remarks where `brief`."""
    _print(Text(terminal_text(sheet.headline), style="bold"), console)
    for remark in sheet.remarks:
        word = Text(_WORDS.get(remark.tone, ""), style=f"bold {_STYLES[remark.tone]}")
        _print(Text.assemble(word, terminal_text(remark.text)), console)
    if brief:
        return
    for grid in sheet.grids:
        _grid(grid, console)
    if sheet.notes:
        console.print()
    for note in sheet.notes:
        _print(Text(terminal_text(note), style="dim"), console)
    for block in sheet.blocks:
        console.print()
        _print(Text(terminal_text(block.title), style="bold"), console)
        console.print(Text(terminal_text(block.text, lines=True).rstrip("\n")), highlight=False, soft_wrap=True)


def _grid(grid: SheetTable, console: Console) -> None:
    console.print()
    if grid.title:
        _print(Text(terminal_text(grid.title), style="bold"), console)
    if grid.lines:
        _print(table_of(grid, console.width), console)
    for item in grid.items:
        entry = Table.grid(padding=(0, 1, 0, 0))
        entry.add_row("-", _entry(item))
        _print(entry, console)
    if grid.more:
        _print(Text(f"and {grid.more:,} more in run.json", style="dim"), console)
    for sentence in grid.below:
        _print(Text(terminal_text(sentence), style="dim"), console)


def _print(what: Text | Table, console: Console) -> None:
    """Print without trailing blanks."""
    for line in console.render_lines(what, pad=False):
        text = Text.assemble(*((part.text, part.style or "") for part in line))
        text.rstrip()
        console.print(text, highlight=False, soft_wrap=True)


def _entry(item: Item) -> Text:
    if isinstance(item, Fact):
        return Text.assemble((f"{terminal_text(item.heading)}: ", "bold"), styled(item.text))
    return styled((item,) if isinstance(item, str) else item)


def styled(sentence: Sentence, style: str = "") -> Text:
    """Running text with its names marked."""
    out = Text(style=style)
    for piece in sentence:
        if isinstance(piece, Code):
            out.append(terminal_text(piece.text), style="cyan")
        else:
            lead, tail = " " * piece.startswith(" "), " " * (piece.endswith(" ") and len(piece) > 1)
            out.append(f"{lead}{terminal_text(piece)}{tail}")
    return out


def lines_of(grid: SheetTable) -> Iterator[str]:
    """Each row in one line, where there is no room for columns; already escaped."""
    for line in grid.lines:
        first, *rest = (f"{column.label}{cell}" for column, cell in zip(grid.head, line.cells, strict=True))
        yield terminal_text(f"{first}: {', '.join(rest)}")


def table_of(grid: SheetTable, width: int) -> Table:
    """The rows of a table: heads wrap and cells do not; without enough room the first column is cut, or wraps."""
    head = [terminal_text(column.name) for column in grid.head]
    body = [[Text(terminal_text(cell)) for cell in line.cells] for line in grid.lines]
    widths = [max(cell.cell_len for cell in column) for column in zip(*body, strict=True)]
    widths = [max(most, *(len(word) for word in name.split(" "))) for most, name in zip(widths, head, strict=True)]
    widths[0] = max(_NARROWEST, min(widths[0], width - sum(widths[1:]) - _GAP * (len(widths) - 1)))
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="dim", show_header=any(head))
    for name, most, column in zip(head, widths, grid.head, strict=True):
        justify: Literal["left", "right"] = "right" if column.figures else "left"
        table.add_column(Align(Text(name, justify=justify), justify, vertical="bottom"), justify=justify, width=most)
    for cells, line in zip(body, grid.lines, strict=True):
        for place, cell in enumerate(cells):
            cell.no_wrap = not (grid.wraps and place == 0)
            cell.overflow = "ellipsis" if cell.no_wrap else "fold"
        cells[-1].stylize(_STYLES[line.tone])
        table.add_row(*cells)
    return table
