"""From the options of `gate calibrate --judge` to what is printed."""

import sys
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console

from gate.bootstrap.calibrating_judge import Wanted, check_place, free_place, keep, measure_judge
from gate.cli.progress import say
from gate.cli.telling import progress
from gate.config.policy import Budget
from gate.domain.judge_calibration import FILE, JudgeCalibrationRecord, dump
from gate.errors import GateError
from gate.report.calibration import judge as judge_calibration
from gate.report.terminal import sheet
from gate.settings.services import Settings

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


def execute(options: JudgeOptions) -> int:
    """Judge the labelled answers, print, and keep what came out.

    Returns:
        0; 3 when not every answer was judged as often as it was asked for, or some judgement has no score.
    """
    out = options.out or options.judge.parent / FILE
    check_place(out, options.judge, named=options.out is not None)
    settings = Settings.from_environ()
    found = measure_judge(_wanted(options, settings.concurrency), settings, progress(quiet=options.quiet), say)
    if not found.unfinished and found.agreement is not None:
        out = out if options.out is not None else free_place(out, found)
        keep(found, out)
    _show(found, options)
    if not (found.unfinished or options.as_json or options.quiet or found.agreement is None):
        click.echo(f"\nWritten: {out}")
    return 3 if found.unfinished or found.judging.unscored else 0


def _wanted(options: JudgeOptions, concurrency: int) -> Wanted:
    if len(options.suites) > 1:
        raise GateError("a judge belongs to one suite", "name one --suite")
    return Wanted(
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


def _show(found: JudgeCalibrationRecord, options: JudgeOptions) -> None:
    if options.as_json:
        click.echo(dump(found), nl=False)
    else:
        sheet.render(judge_calibration.sheet(found), Console(file=sys.stdout, highlight=False), brief=options.quiet)
