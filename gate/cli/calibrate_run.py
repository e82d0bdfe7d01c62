"""From the options of `gate calibrate` to what is printed."""

import sys
from dataclasses import dataclass, field
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from gate.app.calibration import (
    JudgeCalibrationRequest,
    NoiseTrial,
    check_place,
    conclude_noise,
    free_place,
    keep_judge_calibration,
    measure_judge,
    measure_noise,
)
from gate.app.environment.settings import Settings
from gate.app.repository import own_folder
from gate.calibration.noise import Steps
from gate.cli.progress import print_error_line
from gate.cli.runs import run_progress
from gate.config.policy import Budget
from gate.errors import GateError
from gate.record.calibration import (
    FILE,
    CalibrationRecord,
    JudgeCalibrationRecord,
    dump_calibration,
    dump_judge_calibration,
)
from gate.record.run import RunRecord
from gate.report.sheets import judge_calibration
from gate.report.sheets.plan import calibration_sheet
from gate.report.terminal import sheet
from gate.store.run_folder import load_run

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
    found = conclude_noise(_run(options), steps, out)
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
    trial = NoiseTrial(options.config, options.suites, options.samples, settings.concurrency, out)
    return measure_noise(trial, settings, run_progress(quiet=options.quiet))


def _show(found: CalibrationRecord, options: CalibrateOptions) -> None:
    if options.as_json:
        click.echo(dump_calibration(found), nl=False)
    else:
        sheet.render_sheet(calibration_sheet(found), Console(file=sys.stdout, highlight=False), brief=options.quiet)


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


REPEATS = 5


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """The options of `gate calibrate --judge`, as typed."""

    judge: Path
    config: str
    suites: tuple[str, ...]
    scorer: str | None
    criteria: str | None
    model: str | None
    repeats: int | None
    label_scale: tuple[float, float] | None
    max_calls: int | None
    max_usd: float | None
    out: Path | None
    as_json: bool
    quiet: bool


def execute_judge(options: JudgeOptions) -> int:
    """Judge the labelled answers, print, and keep what came out.

    Returns:
        0; 3 when not every answer was judged as often as it was asked for, or some judgement has no score.
    """
    out = options.out or options.judge.parent / FILE
    check_place(out, options.judge, named=options.out is not None)
    settings = Settings.from_environ()
    found = measure_judge(
        _wanted(options, settings.concurrency), settings, run_progress(quiet=options.quiet), print_error_line
    )
    if not found.unfinished and found.agreement is not None:
        out = out if options.out is not None else free_place(out, found)
        keep_judge_calibration(found, out)
    _show_judge(found, options)
    if not (found.unfinished or options.as_json or options.quiet or found.agreement is None):
        click.echo(f"\nWritten: {out}")
    return 3 if found.unfinished or found.judging.unscored else 0


def _wanted(options: JudgeOptions, concurrency: int) -> JudgeCalibrationRequest:
    if len(options.suites) > 1:
        raise GateError("a judge belongs to one suite", "name one --suite")
    return JudgeCalibrationRequest(
        labels=options.judge,
        config=options.config,
        suite=options.suites[0] if options.suites else None,
        scorer=options.scorer,
        criteria=options.criteria,
        model=options.model,
        repeats=options.repeats or REPEATS,
        scale=options.label_scale,
        concurrency=concurrency,
        budget=_budget(options),
    )


def _budget(options: JudgeOptions) -> Budget:
    budget = Budget()
    if options.max_calls is not None:
        budget = budget.lowered("max_calls", options.max_calls, "--max-calls")
    return budget if options.max_usd is None else budget.lowered("max_usd", options.max_usd, "--max-usd")


def _show_judge(found: JudgeCalibrationRecord, options: JudgeOptions) -> None:
    if options.as_json:
        click.echo(dump_judge_calibration(found), nl=False)
    else:
        sheet.render_sheet(
            judge_calibration.judge_sheet(found), Console(file=sys.stdout, highlight=False), brief=options.quiet
        )
