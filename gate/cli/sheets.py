"""Plans and calibrations on the screen."""

import sys

import click
from rich.console import Console

from gate.report.markdown import sheet as sheet_markdown
from gate.report.sheet import Sheet
from gate.report.terminal import sheet as sheet_terminal


def show(sheet: Sheet, *, markdown: bool, quiet: bool) -> None:
    """Print a sheet.

    Args:
        sheet: is printed.
        markdown: as Markdown, whole.
        quiet: its first line alone.
    """
    if markdown:
        click.echo(sheet_markdown.render(sheet), nl=False)
    else:
        sheet_terminal.render(sheet, Console(file=sys.stdout, highlight=False), brief=quiet)
