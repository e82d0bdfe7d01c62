"""A run on the screen, or in a file whose ending gives the format."""

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from gate.bootstrap.keeping import page
from gate.domain.record import RunRecord
from gate.errors import GateError
from gate.report.markdown import report as markdown
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


def form_of(path: Path) -> str | None:
    """The format that a file's name asks for; None where its ending is none."""
    return ENDINGS.get(path.suffix.lower())


def render(run: RunRecord, form: str, folder: Path | None = None) -> None:
    """Print a run.

    Args:
        run: finished.
        form: one of `FORMATS`.
        folder: that holds the run's samples; None where there are none.
    """
    if form == "terminal":
        # No other form needs the library that draws.
        from rich.console import Console

        from gate.report.terminal import run as terminal

        terminal.render(run, Console(file=sys.stdout, highlight=False))
    else:
        for part in parts(run, form, folder):
            click.echo(part, nl=False)


def write(run: RunRecord, path: Path, form: str | None = None, folder: Path | None = None) -> None:
    """Write a run to a file, whose folder is made unless it is there.

    Args:
        run: finished.
        path: of the file.
        form: one of `FORMATS`, the terminal's excepted; None for that of the file's ending.
        folder: that holds the run's samples; None where there are none.

    Raises:
        GateError: an ending that says no format, or a file that cannot be written.
    """
    chosen = form or form_of(path)
    if chosen is None or chosen == "terminal":
        raise GateError(f"{path} does not say which format it should have", f"end it in {TOLD}, or give --format")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_lines(path, parts(run, chosen, folder))
    except OSError as error:
        raise GateError(f"cannot write {path}: {error.strerror}", "name another file") from None


def parts(run: RunRecord, form: str, folder: Path | None = None) -> Iterable[str]:
    """A run as text, piece by piece: what has a line for each sample is never in memory as a whole.

    Args:
        run: finished.
        form: one of `FORMATS`, the terminal's excepted.
        folder: that holds the run's samples; None where there are none.
    """
    if form != "jsonl":
        return (_text(run, form, folder),)
    from gate.report.outputs import rows
    from gate.store.run_samples import samples_of

    if folder is None:
        raise GateError("a record alone has no samples", "name the folder of the run, with its samples.jsonl")
    return rows.lines(run, samples_of(folder))


def _text(run: RunRecord, form: str, folder: Path | None) -> str:
    """Each format loads what it needs, and nothing else."""
    if form == "html":
        return page(run, folder)
    if form == "junit":
        from gate.report.outputs import junit
        from gate.store.run_samples import seconds_of

        return junit.render(run, seconds_of(folder) if folder else None)
    if form == "sarif":
        from gate.bootstrap.changed_lines import changed_lines
        from gate.report.outputs import sarif

        return sarif.render(run, changed_lines(run))
    return dump_run(run) if form == "json" else markdown.render(run)
