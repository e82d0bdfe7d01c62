"""From the options of `gate check` to an exit code."""

from dataclasses import dataclass
from pathlib import Path

import click

from gate.app.checks import resolve_check, resolve_check_files, run_check
from gate.app.environment.settings import Settings
from gate.app.memory import MemoryOptions
from gate.cli.runs import FileOptions, file_mode_run, output_paths, planned_run, refuse_options, report_run
from gate.config.models import parse_model
from gate.errors import GateError
from gate.report.escape import terminal_text
from gate.resolve.one_version import Chosen
from gate.resolve.resolved import Resolved

_HINT = "gate.yaml says it otherwise; see gate check --help"


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The options of `gate check`, as typed."""

    prompt: str | None
    ref: str | None
    suites: tuple[str, ...]
    only: tuple[str, ...]
    config: str
    cases: str | None
    scorers: tuple[str, ...]
    criteria: str | None
    model: str | None
    samples: int | None
    min_pass_rate: float | None
    refresh: bool
    out: Path | None
    as_json: bool
    quiet: bool


def execute(options: CheckOptions) -> int:
    """Resolve, run, show.

    Returns:
        The exit code of the verdict.
    """
    folder, file = output_paths(options.out, "check")
    resolved = _resolve(options)
    for note in resolved.notes:
        click.echo(terminal_text(note), err=True)
    settings = Settings.from_environ()
    remember = MemoryOptions(refresh=options.refresh)
    plan = planned_run(resolved, settings.concurrency, folder, remember, quiet=options.quiet)
    return report_run(run_check(plan, settings), options, folder, file)


def _resolve(options: CheckOptions) -> Resolved:
    chosen = Chosen(
        suites=options.suites,
        cases=options.only,
        model=parse_model(options.model) if options.model else None,
        samples=options.samples,
        min_pass_rate=options.min_pass_rate,
    )
    if options.prompt is None and options.cases is None:
        refuse_options(options, "without PROMPT and --cases", {"scorers": "--scorer", "criteria": "--criteria"}, _HINT)
        return resolve_check(options.config, options.ref, chosen)
    refuse_options(options, "with PROMPT and --cases", {"ref": "--ref", "suites": "--suite"}, _HINT)
    if options.prompt is None or options.cases is None:
        absent = "the prompt" if options.prompt is None else "--cases"
        raise GateError(f"{absent} is missing", "gate check PROMPT --cases FILE --model MODEL")
    how = FileOptions(options.scorers, options.criteria, options.model)
    return resolve_check_files(options.prompt, options.cases, file_mode_run(how), chosen)
