"""The command group, and how every error leaves the process."""

import gc
import io
import sys

import click

from gate.cli.demo import demo
from gate.cli.diff import diff
from gate.cli.report import report
from gate.cli.schema import schema
from gate.errors import GateError, InputErrors, Interrupted

INTERRUPTED = 130
SHOWN = 20
"""Mistakes printed at once; more are counted."""


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="prompt-gate", prog_name="gate")
def cli() -> None:
    """Treat a prompt change as a migration.

    Runs the prompt before and after a change over the same eval set, says with honest statistics what moved in
    quality, cost and latency, slice by slice, and exits with a code that a merge gate can use.

    \b
    Try it on a real local model:
      gate demo
    Compare your working tree with the merge target:
      gate diff --base origin/main
    Exit codes: 0 fine, 1 a slice got worse, 2 a mistake in configuration or usage,
    3 could not be decided, 130 interrupted.
    """


cli.add_command(diff)
cli.add_command(report)
cli.add_command(schema)
cli.add_command(demo)


def main() -> None:
    """Run the command line and exit with its code."""
    # Imports make a great many objects that live to the end; looking through them again and again costs a tenth of the
    # start.
    gc.set_threshold(50_000, 20, 20)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A report must not die of a character that the screen cannot show.
            stream.reconfigure(errors="replace")
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.Exit as done:
        code = done.exit_code
    except click.Abort:
        code = INTERRUPTED
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except GateError as error:
        click.echo(message(error), err=True)
        code = error.exit_code
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        code = INTERRUPTED
    sys.exit(code if isinstance(code, int) else 0)


def message(error: GateError) -> str:
    """What the user reads: the mistake, where it is, and the remedy."""
    if isinstance(error, InputErrors):
        lines = [f"error: {problem.where}: {problem.message}" for problem in error.problems[:SHOWN]]
        for row, problem in enumerate(error.problems[:SHOWN]):
            if problem.hint:
                lines[row] += f"\n  hint: {problem.hint}"
        more = len(error.problems) - SHOWN
        return _printable("\n".join([*lines, f"and {more} more"] if more > 0 else lines))
    if isinstance(error, Interrupted):
        return _printable(error.message)
    return _printable(f"error: {error.message}" + (f"\n  hint: {error.hint}" if error.hint else ""))


def _printable(text: str) -> str:
    """File content may stand in a message; a terminal must not obey it."""
    return "".join(char if char == "\n" or char.isprintable() else repr(char)[1:-1] for char in text)
