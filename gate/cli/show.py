"""A run on the screen, or in a file whose ending gives the format."""

import sys
from pathlib import Path

import click

from gate.domain.record import RunRecord
from gate.errors import GateError
from gate.report import markdown
from gate.store.run_folder import dump_run, write_whole

ENDINGS = {".md": "md", ".json": "json", ".html": "html"}


def render(run: RunRecord, form: str) -> None:
    """Print a run as `terminal`, `md`, `html` or `json`."""
    if form == "terminal":
        # No other form needs the library that draws.
        from rich.console import Console

        from gate.report import terminal

        terminal.render(run, Console(file=sys.stdout, highlight=False))
    else:
        click.echo(text(run, form), nl=False)


def write(run: RunRecord, path: Path, form: str | None = None) -> None:
    """Write a run to a file.

    Raises:
        GateError: an ending that says no format, or a file that cannot be written.
    """
    chosen = form or ENDINGS.get(path.suffix, "")
    if chosen not in ENDINGS.values():
        raise GateError(
            f"{path} does not say which format it should have", "end it in .md, .html or .json, or give --format"
        )
    try:
        write_whole(path, text(run, chosen))
    except OSError as error:
        raise GateError(f"cannot write {path}: {error.strerror}", "name another file") from None


def text(run: RunRecord, form: str) -> str:
    """A run as `md`, `html` or `json`."""
    if form == "html":
        from gate.report import preview  # no other format needs its Markdown parser

        return preview.render(run)
    return dump_run(run) if form == "json" else markdown.render(run)
