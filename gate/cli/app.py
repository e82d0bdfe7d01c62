"""The command group, and how every error leaves the process."""

import gc
import io
import os
import sys
from collections import UserDict
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

import click

from gate.environment.certificates import share_certificates
from gate.errors import CannotEvaluate, GateError, InputErrors, Interrupted


def error_message(error: GateError) -> str:
    """The text of an error: place, problem and hint."""
    if isinstance(error, Interrupted):
        return _printable(error.message)
    if not isinstance(error, InputErrors):
        return "error: " + _paragraph(error.message, error.hint)
    return "\n".join("error: " + _paragraph(f"{one.where}: {one.message}", one.hint) for one in error.shown)


def _paragraph(text: str, hint: str) -> str:
    return _printable(text) + (f"\n  hint: {_printable(hint)}" if hint else "")


def _printable(text: str) -> str:
    """Escape control characters: a message may quote file content that a terminal or a CI runner would obey."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _ClosedPipeWriter(io.RawIOBase):
    """Writes to another stream until its reader has closed it, then drops the rest."""

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
    """Make `gate … | head` exit with the code of `gate …`."""
    out = sys.stdout
    if not isinstance(out, io.TextIOWrapper):
        return
    # PYTHONUNBUFFERED removes the buffer.
    if isinstance(raw := getattr(out.buffer, "raw", out.buffer), io.RawIOBase):
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(_ClosedPipeWriter(raw)),
            encoding=out.encoding,
            errors=out.errors,
            line_buffering=out.line_buffering or out.write_through,
        )


def refuse_options(given: Mapping[str, object], when: str, hint: str) -> None:
    """Raise a GateError for the first option that was given but does not apply here."""
    for flag, value in given.items():
        if value:
            raise GateError(f"{flag} cannot be used {when}", hint)


COMMANDS = {
    "action": ("evaluations", "Evaluate the pull request of a GitHub workflow."),
    "backtest": ("backtest", "Evaluate past commits that changed a prompt."),
    "calibrate": ("evaluations", "Measure noise, or compare a judge with human labels."),
    "cases": ("cases.group", "Manage test cases in files and in the store."),
    "check": ("evaluations", "Test the current prompts against their thresholds."),
    "comment": ("results", "Post a finished run as a comment on a pull request."),
    "demo": ("setup", "Watch the gate block a bad prompt change, on a local model."),
    "diff": ("evaluations", "Compare a prompt before and after a change."),
    "explain": ("results", "Show one case of a finished run in full, or what a finding means."),
    "generate": ("generate.command", "Generate tests from a prompt."),
    "init": ("setup", "Set up Prompt Gate in a repository."),
    "merge": ("evaluations", "Combine the shards of a run into one verdict."),
    "plan": ("evaluations", "Estimate cost, time and the smallest drop a run can show."),
    "push": ("results", "Save a finished run to the store or to a server."),
    "report": ("results", "Print or convert the report of a finished run."),
    "schema": ("setup", "Print a JSON Schema for editors and other programs."),
    "serve": ("server", "Start the web interface."),
    "store": ("server", "Show, back up, upgrade or prune the store."),
    "tokens": ("server", "Manage the access tokens of a server."),
    "validate": ("setup", "Check the configuration and its files for errors."),
}
"""The module and the summary of each command."""


class _Commands(UserDict[str, click.Command]):
    """Loads a command on first use: `gate --version` and `gate --help` load none."""

    def __getitem__(self, key: str) -> click.Command:
        if key not in self.data and key in COMMANDS:
            self.data[key] = getattr(import_module(f"gate.cli.{COMMANDS[key][0]}"), key)
        return self.data[key]

    def __contains__(self, key: object) -> bool:
        return key in self.data or key in COMMANDS

    def __iter__(self) -> Iterator[str]:
        return iter({**COMMANDS, **self.data})

    def __len__(self) -> int:
        return len({**COMMANDS, **self.data})


class _Gate(click.Group):
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        room = formatter.width - 6 - max(map(len, COMMANDS))
        with formatter.section("Commands"):
            for_help = {name: click.Command(name, help=summary) for name, (_, summary) in COMMANDS.items()}
            formatter.write_dl([(name, command.get_short_help_str(room)) for name, command in for_help.items()])


@click.group(
    cls=_Gate, commands=_Commands(), context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(package_name="prompt-gate", prog_name="gate")
def cli() -> None:
    """Test prompt changes before they merge.

    Runs a prompt before and after a change on the same cases, compares quality, cost and latency for every slice, and
    exits with a code that can block the merge.

    \b
    Start here:
      gate demo                      see it work on a local model
      gate init                      set up this repository
      gate diff --base origin/main   compare your working tree

    Exit codes: 0 ok, 1 failed, 2 usage error, 3 undecided, 130 interrupted.
    """


PREFERENCES = {
    # The matrices are small: a second thread would spend more time waiting than it saves.
    "OPENBLAS_NUM_THREADS": "1",
    # pydantic would look for plugins in the metadata of all packages.
    "PYDANTIC_DISABLE_PLUGINS": "__all__",
}
"""Settings of libraries, unless the environment sets them."""


def main() -> None:
    """Run the command line and exit with its code."""
    # Imports create many objects that live to the end. Scanning them repeatedly takes a tenth of the start-up time.
    gc.set_threshold(50_000, 20, 20)
    for name, value in PREFERENCES.items():
        os.environ.setdefault(name, value)  # noqa: TID251 set, not read
    share_certificates()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A character that the screen cannot show must not end a report.
            stream.reconfigure(errors="replace")
    forgive_closed_pipes()
    try:
        code = cli.main(prog_name="gate", standalone_mode=False)
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
    except Exception as error:  # a bug must not look like a verdict
        click.echo(_defect(error), err=True)
        code = CannotEvaluate.exit_code
    sys.exit(code if isinstance(code, int) else 0)


def _defect(error: Exception) -> str:
    """Describe a bug in one paragraph, and save its traceback for a report."""
    import tempfile
    import traceback

    trace = "".join(traceback.format_exception(error))
    with tempfile.NamedTemporaryFile("w", prefix="prompt-gate-", suffix=".txt", delete=False, encoding="utf-8") as file:
        file.write(trace)
    return (
        f"error: Prompt Gate failed because of a bug in it ({type(error).__name__}); there is no verdict\n"
        f"  hint: please report it and attach {file.name}; check first that the file contains nothing private"
    )
