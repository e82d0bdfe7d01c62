"""From the options of `gate calibrate` to what is printed."""

import sys
from dataclasses import dataclass, field
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from gate.bootstrap.calibrating import Trial, conclude, measure
from gate.bootstrap.places import own_folder
from gate.cli.telling import progress
from gate.domain.calibration import CalibrationRecord, dump
from gate.domain.record import RunRecord
from gate.errors import GateError
from gate.flows.calibrate import Steps
from gate.report.calibration import noise as calibration
from gate.report.terminal import sheet
from gate.settings.services import Settings
from gate.store.load import load_run

USUAL_OUT = "calibration"


@dataclass(frozen=True, slots=True)
class CalibrateOptions:
    """The options of `gate calibrate`, as typed."""

    run: Path | None
    config: str
    suites: tuple[str, ...]
    samples: int | None
    out: Path | None
    as_json: bool
    quiet: bool


def execute(options: CalibrateOptions) -> int:
    """Measure, or read a run, and print.

    Returns:
        0; 3 when some of the samples that were asked for have no score.
    """
    console = Console(stderr=True)
    steps: Steps = _Bar(console) if console.is_terminal else _Line()
    steps = _NoSteps() if options.quiet else steps
    out = None if options.run is not None else options.out or own_folder() / USUAL_OUT
    found = conclude(_run(options), steps, out)
    _show(found, options)
    if out is not None and not (options.as_json or options.quiet):
        click.echo(f"\nWritten: {out / 'calibration.json'} (record: {out / 'run.json'})")
    return 3 if options.run is None and found.unfinished else 0


def _run(options: CalibrateOptions) -> RunRecord:
    if options.run is not None:
        for name, value in (("--suite", options.suites), ("--samples", options.samples), ("--out", options.out)):
            if value:
                raise GateError(f"{name} has no meaning with a finished run", "gate calibrate RUN.json makes no calls")
        return load_run(options.run)
    out = options.out or own_folder() / USUAL_OUT
    if out.is_file():
        raise GateError(f"{out} is a file", "name a folder")
    settings = Settings.from_environ()
    trial = Trial(options.config, options.suites, options.samples, settings.concurrency, out)
    return measure(trial, settings, progress(quiet=options.quiet))


def _show(found: CalibrationRecord, options: CalibrateOptions) -> None:
    if options.as_json:
        click.echo(dump(found), nl=False)
    else:
        sheet.render(calibration.sheet(found), Console(file=sys.stdout, highlight=False), brief=options.quiet)


class _NoSteps:
    """Tells nothing."""

    def start(self, total: int) -> None:
        return

    def step(self) -> None:
        return

    def finish(self) -> None:
        return


@dataclass(slots=True)
class _Line:
    """A plain line at the start, and one at every quarter."""

    _total: int = field(default=0, init=False)
    _done: int = field(default=0, init=False)

    def start(self, total: int) -> None:
        self._total = total
        print(f"resampling: {total} simulated runs", file=sys.stderr, flush=True)

    def step(self) -> None:
        self._done += 1
        if self._done * 4 // self._total > (self._done - 1) * 4 // self._total:
            print(f"resampling: {self._done} of {self._total}", file=sys.stderr, flush=True)

    def finish(self) -> None:
        return


@dataclass(slots=True)
class _Bar:
    """A bar on a terminal."""

    console: Console
    _progress: Progress | None = field(default=None, init=False)
    _task: TaskID = field(default=TaskID(0), init=False)

    def start(self, total: int) -> None:
        columns = (TextColumn("Resampling"), BarColumn(), MofNCompleteColumn())
        self._progress = Progress(*columns, console=self.console, transient=True)
        self._task = self._progress.add_task("replicates", total=total)
        self._progress.start()

    def step(self) -> None:
        if self._progress is not None:
            self._progress.update(self._task, advance=1)

    def finish(self) -> None:
        if self._progress is not None:
            self._progress.stop()
