"""The command group, and how every error leaves the process."""

import gc
import io
import sys
from collections import UserDict
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

import click

from gate.errors import CannotEvaluate, GateError, InputErrors, Interrupted


def error_message(error: GateError) -> str:
    """What the user reads: the mistake, where it is, and the remedy."""
    if isinstance(error, Interrupted):
        return _printable(error.message)
    if not isinstance(error, InputErrors):
        return "error: " + _paragraph(error.message, error.hint)
    return "\n".join("error: " + _paragraph(f"{one.where}: {one.message}", one.hint) for one in error.shown)


def _paragraph(said: str, hint: str) -> str:
    return _printable(said) + (f"\n  hint: {_printable(hint)}" if hint else "")


def _printable(text: str) -> str:
    """File content may stand in a message; neither a terminal nor a runner that reads the log must obey it."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _ClosedPipeWriter(io.RawIOBase):
    """Writes to another stream until nobody reads any more, and then nowhere."""

    def __init__(self, raw: io.RawIOBase) -> None:
        self._raw = raw

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._raw.fileno()

    def isatty(self) -> bool:
        return self._raw.isatty()

    def write(self, data: "ReadableBuffer") -> int | None:
        try:
            return self._raw.write(data)
        except BrokenPipeError:
            return memoryview(data).nbytes


def forgive_closed_pipes() -> None:
    """Let `gate … | head` end with the code that `gate …` has."""
    out = sys.stdout
    if not isinstance(out, io.TextIOWrapper):
        return
    # With PYTHONUNBUFFERED there is no buffer between.
    if isinstance(raw := getattr(out.buffer, "raw", out.buffer), io.RawIOBase):
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(_ClosedPipeWriter(raw)),
            encoding=out.encoding,
            errors=out.errors,
            line_buffering=out.line_buffering or out.write_through,
        )


def refuse_options(given: Mapping[str, object], when: str, hint: str) -> None:
    """Raise a GateError for the first option that is given and has no meaning here."""
    for flag, value in given.items():
        if value:
            raise GateError(f"{flag} has no meaning {when}", hint)


COMMANDS = {
    "action": ("evaluations", "Judge the pull request of a GitHub workflow."),
    "backtest": ("backtest", "Judge the last commits that changed a prompt, each against its parent."),
    "calibrate": ("evaluations", "Measure how noisy the suites are, or how far a judge agrees with people."),
    "cases": ("cases.group", "Look at cases, write them, and move them between files and the store."),
    "check": ("evaluations", "Test the current prompts against their thresholds, case by case."),
    "comment": ("results", "Publish RUN.json (or the folder that holds it) as the comment of a pull request."),
    "demo": ("setup", "Watch a real language model get worse because a prompt was simplified."),
    "diff": ("evaluations", "Compare the prompt before and after a change on the same eval set."),
    "explain": ("results", "Show everything about CASE of RUN.json (or of the folder that holds it)."),
    "generate": ("generate.command", "Make tests for a prompt out of the prompt itself."),
    "init": ("setup", "Find the prompts of a repository, and write what the gate needs."),
    "merge": ("evaluations", "Judge the shards of one run together."),
    "plan": ("evaluations", "Say beforehand what a run costs and what it can see."),
    "push": ("results", "Put a finished run into the store, with its samples."),
    "report": ("results", "Render RUN.json (or the folder that holds it) again."),
    "schema": ("setup", "Print a JSON Schema, for editors and for other programs."),
    "serve": ("server", "Write cases, try them, and look at runs in the browser."),
    "store": ("server", "Look after the store: copy it, upgrade it, delete what is too old."),
    "tokens": ("server", "Make and revoke the tokens by which programs use a server."),
    "validate": ("setup", "Check gate.yaml, prompts, cases, scorers, rubrics and judge prompts."),
}
"""The module of each command in this package, and the first sentence of its help."""


class _Commands(UserDict[str, click.Command]):
    """Loads a command when it is asked for: `gate --version` and the list of commands load none."""

    def __getitem__(self, name: str) -> click.Command:
        if name not in self.data and name in COMMANDS:
            self.data[name] = getattr(import_module(f"gate.cli.{COMMANDS[name][0]}"), name)
        return self.data[name]

    def __contains__(self, name: object) -> bool:
        return name in self.data or name in COMMANDS

    def __iter__(self) -> Iterator[str]:
        return iter({**COMMANDS, **self.data})

    def __len__(self) -> int:
        return len({**COMMANDS, **self.data})


class _Gate(click.Group):
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        room = formatter.width - 6 - max(map(len, COMMANDS))
        with formatter.section("Commands"):
            for_help = {name: click.Command(name, help=said) for name, (_, said) in COMMANDS.items()}
            formatter.write_dl([(name, command.get_short_help_str(room)) for name, command in for_help.items()])


@click.group(
    cls=_Gate, commands=_Commands(), context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
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
