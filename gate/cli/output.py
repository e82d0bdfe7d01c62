"""A run on the screen, or in a file whose ending gives the format."""

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from gate.app.run_reports import page
from gate.errors import GateError
from gate.record.run import RunRecord
from gate.report.markdown.report import render_report
from gate.store.run_folder import dump_run, write_lines

ENDINGS = {
    ".md": "md",
    ".json": "json",
    ".html": "html",
    ".xml": "junit",
    ".jsonl": "jsonl",
    ".sarif": "sarif",
}
"""What a file's name ends in, and the format that it asks for."""
FORMATS = ("terminal", *ENDINGS.values())
TOLD = ".md, .html, .json, .xml, .sarif or .jsonl"


def format_of(path: Path) -> str | None:
    """The format that a file's name asks for; None where its ending is none."""
    return ENDINGS.get(path.suffix.lower())


def print_run(run: RunRecord, form: str, folder: Path | None = None) -> None:
    """Print a run.

    Args:
        run: finished.
        form: one of `FORMATS`.
        folder: that holds the run's samples; None where there are none.
    """
    if form == "terminal":
        # No other form needs the library that draws.
        from rich.console import Console

        from gate.report.terminal import report as terminal

        terminal.render_report(run, Console(file=sys.stdout, highlight=False))
    else:
        for part in run_parts(run, form, folder):
            click.echo(part, nl=False)


def write_run(run: RunRecord, path: Path, form: str | None = None, folder: Path | None = None) -> None:
    """Write a run to a file, whose folder is made unless it is there.

    Args:
        run: finished.
        path: of the file.
        form: one of `FORMATS`, the terminal's excepted; None for that of the file's ending.
        folder: that holds the run's samples; None where there are none.

    Raises:
        GateError: an ending that says no format, or a file that cannot be written.
    """
    chosen = form or format_of(path)
    if chosen is None or chosen == "terminal":
        raise GateError(f"{path} does not say which format it should have", f"end it in {TOLD}, or give --format")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_lines(path, run_parts(run, chosen, folder))
    except OSError as error:
        raise GateError(f"cannot write {path}: {error.strerror}", "name another file") from None


def run_parts(run: RunRecord, form: str, folder: Path | None = None) -> Iterable[str]:
    """A run as text, piece by piece: what has a line for each sample is never in memory as a whole.

    Args:
        run: finished.
        form: one of `FORMATS`, the terminal's excepted.
        folder: that holds the run's samples; None where there are none.
    """
    if form != "jsonl":
        return (_text(run, form, folder),)
    from gate.report.exports import rows
    from gate.store.samples import samples_of

    if folder is None:
        raise GateError("a record alone has no samples", "name the folder of the run, with its samples.jsonl")
    return rows.row_lines(run, samples_of(folder))


def _text(run: RunRecord, form: str, folder: Path | None) -> str:
    """Each format loads what it needs, and nothing else."""
    if form == "html":
        return page(run, folder)
    if form == "junit":
        from gate.report.exports import junit
        from gate.store.samples import seconds_of

        return junit.render(run, seconds_of(folder) if folder else None)
    if form == "sarif":
        from gate.action.changed_lines import changed_lines
        from gate.report.exports import sarif

        return sarif.render(run, changed_lines(run))
    return dump_run(run) if form == "json" else render_report(run)
