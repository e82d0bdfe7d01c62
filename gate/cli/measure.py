"""`gate plan` and `gate calibrate`: from options to output."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from gate.app.resolving import against_itself
from gate.calibration.plan import forecast
from gate.cli.output import print_note, run_progress, stdout_console
from gate.engine.forecast import FallToShow
from gate.environment.settings import Settings
from gate.errors import GateError
from gate.git.places import own_folder
from gate.report.sheet import Sheet
from gate.report.sheets import judge_calibration
from gate.report.sheets.plan import calibration_sheet, plan_sheet
from gate.report.terminal.sheet import render_sheet

SCHEMA = "prompt-gate/plan/1"
REPEATS = 5


def plan(
    base: str | None,
    head: str | None,
    config: str,
    suites: tuple[str, ...],
    effect: float,
    power: float,
    as_json: bool,
    quiet: bool,
) -> None:
    """Plan and print."""
    if head is not None and base is None:
        raise GateError("--head needs --base", "gate plan --base origin/main --head HEAD")
    found = forecast((base, head), config, suites, FallToShow(effect, power), Settings.from_environ())
    if as_json:
        click.echo(json.dumps({"schema": SCHEMA, **asdict(found)}, indent=2, ensure_ascii=False))
    else:
        _show(plan_sheet(found), quiet)


def noise(
    run: Path | None,
    config: str,
    suites: tuple[str, ...],
    samples: int | None,
    out: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Measure, or read a run, and print; returns 3 if samples have no score."""
    from gate.calibration.measure import conclude_noise, measure_noise
    from gate.record.calibration import dump_calibration
    from gate.store.run_folder import load_run

    if run is not None:
        for name, value in (("--suite", suites), ("--samples", samples), ("--out", out)):
            if value:
                raise GateError(
                    f"{name} cannot be used with a finished run", "leave it out; gate calibrate RUN makes no calls"
                )
        record, folder = load_run(run), None
    else:
        folder = out or own_folder() / "calibration"
        if folder.is_file():
            raise GateError(f"--out {folder} is a file", "name a folder")
        resolved = against_itself(config, suites).with_samples(samples)
        record = measure_noise(resolved, folder, run_progress(quiet=quiet), Settings.from_environ())
    found = conclude_noise(record, run_progress(quiet=quiet, doing="resampling", things="simulated runs"), folder)
    if as_json:
        click.echo(dump_calibration(found), nl=False)
    else:
        _show(calibration_sheet(found), quiet)
    if folder is not None and not (as_json or quiet):
        click.echo(f"\nWritten: {folder / 'calibration.json'} (record: {folder / 'run.json'})")
    return 3 if run is None and found.unfinished else 0


def judge(
    labels: Path,
    config: str,
    suites: tuple[str, ...],
    scorer: str | None,
    criteria: str | None,
    model: str | None,
    repeats: int | None,
    label_scale: tuple[float, float] | None,
    max_calls: int | None,
    max_usd: float | None,
    out: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Judge the labelled answers, print and save; returns 3 if judgements are missing or have no score."""
    from gate.calibration.measure import JudgeRequest, check_place, free_place, keep_judge_calibration, measure_judge
    from gate.record.calibration import FILE, dump_calibration

    place = out or labels.parent / FILE
    check_place(place, labels, named=out is not None)
    if len(suites) > 1:
        raise GateError("--judge works on one suite", "give one --suite")
    suite = suites[0] if suites else None
    who = labels, config, suite, scorer, criteria, model
    wanted = JudgeRequest(*who, repeats or REPEATS, label_scale, max_calls, max_usd)
    found = measure_judge(wanted, Settings.from_environ(), run_progress(quiet=quiet), print_note)
    kept = not found.unfinished and found.agreement is not None
    if kept:
        place = place if out is not None else free_place(place, found)
        keep_judge_calibration(found, place)
    if as_json:
        click.echo(dump_calibration(found), nl=False)
    else:
        _show(judge_calibration.judge_sheet(found), quiet)
    if kept and not (as_json or quiet):
        click.echo(f"\nWritten: {place}")
    return 3 if found.unfinished or found.judging.unscored else 0


def _show(sheet: Sheet, quiet: bool) -> None:
    render_sheet(sheet, stdout_console(), brief=quiet)
