"""From the options of `gate check` to an exit code."""

from dataclasses import dataclass
from pathlib import Path

import click

from gate.bootstrap.checking import resolve_check, resolve_check_files, run_check
from gate.bootstrap.memory import Remembering
from gate.cli.resolving import FileOptions, file_run, refuse
from gate.cli.telling import out_of, planned, tell
from gate.errors import GateError
from gate.flows.resolved import Resolved
from gate.flows.solo import Chosen
from gate.inputs.models import parse_model
from gate.report.escape import terminal
from gate.settings.services import Settings

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
    folder, file = out_of(options.out, "check")
    resolved = _resolve(options)
    for note in resolved.notes:
        click.echo(terminal(note), err=True)
    settings = Settings.from_environ()
    remember = Remembering(refresh=options.refresh)
    plan = planned(resolved, settings.concurrency, folder, remember, quiet=options.quiet)
    return tell(run_check(plan, settings), options, folder, file)


def _resolve(options: CheckOptions) -> Resolved:
    chosen = Chosen(
        suites=options.suites,
        cases=options.only,
        model=parse_model(options.model) if options.model else None,
        samples=options.samples,
        min_pass_rate=options.min_pass_rate,
    )
    if options.prompt is None and options.cases is None:
        refuse(options, "without PROMPT and --cases", {"scorers": "--scorer", "criteria": "--criteria"}, _HINT)
        return resolve_check(options.config, options.ref, chosen)
    refuse(options, "with PROMPT and --cases", {"ref": "--ref", "suites": "--suite"}, _HINT)
    if options.prompt is None or options.cases is None:
        absent = "the prompt" if options.prompt is None else "--cases"
        raise GateError(f"{absent} is missing", "gate check PROMPT --cases FILE --model MODEL")
    how = FileOptions(options.scorers, options.criteria, options.model)
    return resolve_check_files(options.prompt, options.cases, file_run(how), chosen)
