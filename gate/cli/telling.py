"""What the commands that take a run tell: how far it is, what came out, and where it was written."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import click

from gate.bootstrap.keeping import run_folder
from gate.bootstrap.memory import Remembering
from gate.bootstrap.places import own_folder
from gate.bootstrap.plan import Plan
from gate.cli import show
from gate.cli.progress import Lines, Silent
from gate.domain.record import RunRecord
from gate.errors import GateError
from gate.flows.ports import Progress
from gate.flows.resolved import Resolved
from gate.flows.unevaluated import deleted
from gate.report.cases import worst as worst_case
from gate.report.escape import terminal
from gate.report.verdict.headline import first_line


class Telling(Protocol):
    """How a finished run is shown."""

    @property
    def as_json(self) -> bool: ...
    @property
    def quiet(self) -> bool: ...


def progress(*, quiet: bool) -> Progress:
    """A bar on a terminal, plain lines elsewhere, nothing on request."""
    if quiet:
        return Silent()
    # A quiet run does without the library that draws.
    from rich.console import Console

    from gate.cli.bar import Bar

    console = Console(stderr=True)
    if console.is_terminal:
        return Bar(console)
    return Lines()


def planned(
    resolved: Resolved, concurrency: int, folder: Path, remember: Remembering, *, quiet: bool, batch: bool = False
) -> Plan:
    """The run that a command was asked for; what it has to say goes to standard error."""
    return Plan(
        resolved,
        concurrency,
        None,
        folder,
        progress(quiet=quiet),
        remember=remember,
        batch=batch,
        say=lambda note: click.echo(terminal(note), err=True),
    )


def out_of(out: Path | None, usual: str = "last") -> tuple[Path, Path | None]:
    """The folder of the run, and the one file that was asked for, if any.

    Args:
        out: as the user says.
        usual: name in the gate's own folder where they say nothing.
    """
    if out is None:
        return own_folder() / usual, None
    if show.form_of(out) is not None and not out.is_dir():
        return own_folder() / usual, out
    if out.is_file():
        raise GateError(f"{out} is a file whose ending is no format", f"name a folder, or a file: {show.TOLD}")
    return out, None


def untouched(resolved: Resolved, options: Telling, out: Path | None) -> int:
    """Tell that there is nothing to evaluate, or that what there was is deleted.

    Returns:
        0 for the first; the second is a HOLD.
    """
    if not resolved.deleted:
        click.echo(skipped(resolved))
        return 0
    folder, file = out_of(out)
    run = deleted(resolved, datetime.now(UTC))
    keeper = run_folder(folder)
    keeper.made()
    keeper.clear()
    keeper.run(run)
    return tell(run, options, folder, file)


def tell(run: RunRecord, options: Telling, folder: Path, file: Path | None) -> int:
    """Show a finished run, and write the one file that was asked for.

    Returns:
        Its exit code.
    """
    if file is not None:
        show.write(run, file, folder=folder)
    if options.as_json:
        show.render(run, "json")
    elif options.quiet:
        click.echo(first_line(run))
    else:
        show.render(run, "terminal")
        click.echo(f"\nWritten: {file or folder / 'report.md'} (record: {folder / 'run.json'})")
        if more := worst_case.command(run, str(folder)):
            click.echo(terminal(f"Everything about the worst case: {more}"))
    return run.exit_code


def skipped(resolved: Resolved) -> str:
    """What is said where there is nothing to evaluate."""
    if resolved.touched:
        return "PASS: no prompt changed; the exam did. A run in parts does not try it: run gate diff as a whole."
    names = terminal(", ".join(resolved.untouched)) or "any suite that can be compared"
    return f"SKIPPED: the change touches no prompt, model, case or scorer of {names}. Use --all to run anyway."
