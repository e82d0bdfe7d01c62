"""A run that was asked to be kept in the store; its verdict stands, whatever becomes of that."""

import shlex
from pathlib import Path

import click

from gate.bootstrap.pushing import Kept, keep_here
from gate.errors import GateError
from gate.report.escape import terminal


def keep(folder: Path, *, quiet: bool) -> None:
    """Put the run of a folder into the store, or warn that it could not be.

    Args:
        folder: of the run.
        quiet: say nothing where it went well.
    """
    try:
        kept = keep_here(folder)
    except GateError as error:
        hint = f" ({error.hint})" if error.hint else ""
        _warn(f"{error.message}{hint}", folder)
    except Exception as error:  # the run is finished and written: its exit code is that of its verdict
        _warn(f"{type(error).__name__}", folder)
    else:
        if not quiet:
            click.echo(told(kept), err=True)


def told(kept: Kept) -> str:
    """Where it is now, in a sentence."""
    again = "" if kept.new else " already"
    return terminal(f"The run is in the store {kept.store}{again}, as number {kept.id}.")


def _warn(why: str, folder: Path) -> None:
    click.echo(terminal(f"warning: the run is not in the store: {why}"), err=True)
    click.echo(terminal(f"  It stays in {folder}; to send it later: gate push {shlex.quote(str(folder))}"), err=True)
