"""Shared by commands that evaluate: where a run is written and how it is shown."""

import io
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

import click

from gate.app.run_order import run_folder
from gate.calls.interface import SilentProgress
from gate.cli.options import endings_or, format_named, format_of
from gate.errors import GateError
from gate.files import write_lines
from gate.git.places import own_folder
from gate.record.run import RunRecord
from gate.record.transcript import Failed, Sample
from gate.report.escape import terminal_text, without_commands
from gate.report.view.coverage import coverage_lines
from gate.report.view.headline import first_line
from gate.resolve.resolved import Resolved

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID


class LogStream(io.TextIOBase):
    """A stream that may be a runner's log: where a long word was folded, its rest is no workflow command either."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    @property
    def encoding(self) -> str:  # pyrefly: ignore
        return self._stream.encoding

    def write(self, text: str) -> int:
        self._stream.write(without_commands(text))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()


def stdout_console() -> "Console":
    """Standard output, for rich."""
    from rich.console import Console

    return Console(file=sys.stdout if sys.stdout.isatty() else cast(TextIO, LogStream(sys.stdout)), highlight=False)


def print_error_line(line: str) -> None:
    """Print a line on standard error and flush it."""
    print(terminal_text(line), file=sys.stderr, flush=True)


@dataclass(slots=True)
class LineProgress:
    """Plain lines: one at the start, one every `every_s` seconds, one at the end."""

    write: Callable[[str], None] = print_error_line
    clock: Callable[[], float] = time.monotonic
    every_s: float = 10.0
    doing: str = "sampling"
    things: str = "samples to take"
    _total: int = field(default=0, init=False)
    _done: int = field(default=0, init=False)
    _failed: int = field(default=0, init=False)
    _last: float = field(default=0.0, init=False)
    _note: str = field(default="", init=False)

    def start(self, total: int) -> None:
        self._total, self._done, self._failed, self._last = total, 0, 0, self.clock()
        self.write(f"{self.doing}: {total} {self.things}")

    def advance(self, sample: Sample, spent_usd: float | None) -> None:
        self.step(spent_usd, failed=isinstance(sample.reply, Failed))

    def step(self, spent_usd: float | None, *, failed: bool = False) -> None:
        self._done += 1
        self._failed += failed
        self._note = progress_note(spent_usd, self._failed)
        if self.clock() - self._last >= self.every_s:
            self._tell()

    def finish(self) -> None:
        self._tell()

    def _tell(self) -> None:
        self._last = self.clock()
        self.write(f"{self.doing}: {self._done} of {self._total}{', ' if self._note else ''}{self._note}")


@dataclass(slots=True)
class BarProgress:
    """A bar with samples, cost and remaining time."""

    console: "Console"
    doing: str = "Sampling"
    _progress: "Progress | None" = field(default=None, init=False)
    _task: "TaskID | None" = field(default=None, init=False)
    _failed: int = field(default=0, init=False)

    def start(self, total: int) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._progress = Progress(
            TextColumn(self.doing),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            TextColumn("left"),
            TimeRemainingColumn(compact=True),
            console=self.console,
            transient=True,
        )
        self._failed = 0
        self._task = self._progress.add_task("samples", total=total, note="")
        self._progress.start()

    def advance(self, sample: Sample, spent_usd: float | None) -> None:
        self.step(spent_usd, failed=isinstance(sample.reply, Failed))

    def step(self, spent_usd: float | None, *, failed: bool = False) -> None:
        self._failed += failed
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, advance=1, note=progress_note(spent_usd, self._failed))

    def finish(self) -> None:
        if self._progress is not None:
            self._progress.stop()


AnyProgress = SilentProgress | LineProgress | BarProgress


def run_progress(*, quiet: bool, doing: str = "sampling", things: str = "samples to take") -> AnyProgress:
    """A bar on a terminal, plain lines elsewhere, nothing if `quiet`."""
    if quiet:
        return SilentProgress()
    # A quiet run does not load rich.
    from rich.console import Console

    console = Console(stderr=True)
    if console.is_terminal:
        return BarProgress(console, doing.capitalize())
    return LineProgress(doing=doing, things=things)


def progress_note(spent_usd: float | None, failed: int) -> str:
    """`$0.0123, 2 failed`, or parts of it."""
    parts = []
    if spent_usd:
        parts.append(f"${spent_usd:.4f}")
    if failed:
        parts.append(f"{failed} failed")
    return ", ".join(parts)


def output_paths(out: Path | None, usual: str = "last") -> tuple[Path, Path | None]:
    """The folder of the run, and the report file of `--out`, if any.

    Args:
        usual: name of the default folder in `.gate/`.
    """
    if out is None:
        return own_folder() / usual, None
    if format_of(out) is not None and not out.is_dir():
        return own_folder() / usual, out
    if out.is_file():
        raise GateError(
            f"--out {out} is a file, and its ending is not a report format", f"name a folder, or a file: {endings_or()}"
        )
    return out, None


def print_note(note: str) -> None:
    """Print a note on standard error."""
    click.echo(terminal_text(note), err=True)


def report_run(run: RunRecord, out: tuple[Path, Path | None], *, as_json: bool, quiet: bool) -> int:
    """Show a finished run and write the file of `--out`; returns the exit code."""
    folder, file = out
    if file is not None:
        write_run(run, file, folder=folder)
    if as_json:
        print_run(run, "json")
    elif quiet:
        click.echo(first_line(run))
    else:
        print_run(run, "terminal", folder)
        click.echo(f"Full report: {file or folder / 'report.md'} (record: {folder / 'run.json'})")
    return run.exit_code


def report_untouched(resolved: Resolved, out: tuple[Path, Path | None], *, as_json: bool, quiet: bool) -> int:
    """Print SKIPPED, or INCONCLUSIVE if the change removes a prompt; returns the exit code."""
    if not resolved.deleted:
        click.echo(skipped_text(resolved))
        return 0
    from gate.engine.without_evaluation import deleted_record

    run = deleted_record(resolved, datetime.now(UTC))
    folder = run_folder(out[0])
    folder.made()
    folder.clear()
    folder.run(run)
    return report_run(run, out, as_json=as_json, quiet=quiet)


def skipped_text(resolved: Resolved) -> str:
    """The message when there is nothing to evaluate."""
    if resolved.touched:
        return "PASS: only cases, scorers or policy changed. To test such a change, run gate diff without --shard."
    names = ", ".join(resolved.untouched) or "any suite"
    told = f"SKIPPED: the change touches no prompt, model, case or scorer of {names}. Add --all to run anyway."
    return "\n".join(map(terminal_text, (told, *coverage_lines(resolved.coverage, resolved.notes))))


def print_run(run: RunRecord, form: str, folder: Path | None = None) -> None:
    """Print a run; `folder` contains its samples, if there are any.

    Args:
        form: `terminal`, or the name of one of `FORMATS`.
    """
    if found := format_named(form):
        for part in found.render(run, folder):
            click.echo(part, nl=False)
        return
    # Only this form needs rich.
    from gate.report.terminal import report as terminal

    terminal.render_report(run, stdout_console(), str(folder or terminal.LAST))


def write_run(run: RunRecord, path: Path, form: str | None = None, folder: Path | None = None) -> None:
    """Write a run to a file; creates the folder.

    Args:
        form: None to take it from the ending of the file.
        folder: contains the samples of the run; None if there are none.

    Raises:
        GateError: unknown ending, or the file cannot be written.
    """
    chosen = format_named(form) if form else format_of(path)
    if chosen is None:
        hint = f"use the ending {endings_or()}, or add --format"
        raise GateError(f"the ending of {path} is not a report format", hint)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_lines(path, chosen.render(run, folder))
    except OSError as error:
        raise GateError(f"cannot write {path}: {error.strerror}", "name another file") from None
