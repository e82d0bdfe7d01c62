"""The command group, and how every error leaves the process."""

import gc
import io
import sys

import click

from gate.cli.cases.lookup import cases
from gate.cli.console import error_message, forgive_closed_pipes
from gate.cli.evaluations import action, calibrate, check, diff, merge, plan
from gate.cli.generate.command import generate
from gate.cli.results import comment, explain, push, report
from gate.cli.server import serve, store, tokens
from gate.cli.setup import demo, init, schema, validate
from gate.errors import CannotEvaluate, GateError, Interrupted


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="prompt-gate", prog_name="gate")
def cli() -> None:
    """Treat a prompt change as a migration.

    Runs the prompt before and after a change over the same eval set, says with honest statistics what moved in
    quality, cost and latency, slice by slice, and exits with a code that a merge gate can use.

    \b
    Try it on a real local model:
      gate demo
    Set up a repository that has prompts:
      gate init
    Compare your working tree with the merge target:
      gate diff --base origin/main
    Test the current prompts against their thresholds:
      gate check
    Make tests for a prompt out of the prompt itself:
      gate generate prompts/support.md --model openai:gpt-5-mini
    Exit codes: 0 fine, 1 a slice got worse or a case failed, 2 a mistake in configuration or usage,
    3 could not be decided, 130 interrupted.
    """


cli.add_command(init)
cli.add_command(validate)
cli.add_command(diff)
cli.add_command(check)
cli.add_command(generate)
cli.add_command(cases)
cli.add_command(merge)
cli.add_command(push)
cli.add_command(plan)
cli.add_command(calibrate)
cli.add_command(action)
cli.add_command(report)
cli.add_command(comment)
cli.add_command(explain)
cli.add_command(serve)
cli.add_command(store)
cli.add_command(tokens)
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
    forgive_closed_pipes()
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.Exit as done:
        code = done.exit_code
    except click.Abort:
        code = Interrupted.exit_code
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except GateError as error:
        click.echo(error_message(error), err=True)
        code = error.exit_code
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        code = Interrupted.exit_code
    except Exception as error:  # the last resort: a defect of ours must not look like a verdict
        click.echo(_defect(error), err=True)
        code = CannotEvaluate.exit_code
    sys.exit(code if isinstance(code, int) else 0)


def _defect(error: Exception) -> str:
    """Name the defect in one paragraph, and keep its trace in a file for a report."""
    import tempfile
    import traceback

    trace = "".join(traceback.format_exception(error))
    with tempfile.NamedTemporaryFile("w", prefix="prompt-gate-", suffix=".txt", delete=False, encoding="utf-8") as file:
        file.write(trace)
    said = f"error: Prompt Gate itself failed ({type(error).__name__}); nothing was decided"
    return f"{said}\n  hint: please report it with {file.name}, after a look that it holds nothing private"
