"""`gate check`: from its options to an exit code."""

from pathlib import Path

from gate.app.resolving import resolve_check, resolve_check_files
from gate.app.run_order import RunOrder
from gate.app.runs import run_check
from gate.cli.app import refuse_options
from gate.cli.output import output_paths, print_note, report_run, run_progress
from gate.config.models import parse_model
from gate.environment.settings import Settings
from gate.errors import GateError
from gate.resolve.one_version import Chosen
from gate.resolve.two_files import file_mode_run

_HINT = "run gate check --help"


def check(
    prompt: str | None,
    ref: str | None,
    suites: tuple[str, ...],
    only: tuple[str, ...],
    config: str,
    cases: str | None,
    scorers: tuple[str, ...],
    criteria: str | None,
    model: str | None,
    samples: int | None,
    min_pass_rate: float | None,
    refresh: bool,
    out: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Resolve, run, show; returns the exit code of the verdict."""
    paths = output_paths(out, "check")
    chosen = Chosen(suites, only, parse_model(model) if model else None, samples, min_pass_rate)
    if prompt is None and cases is None:
        refuse_options({"--scorer": scorers, "--criteria": criteria}, "without PROMPT and --cases", _HINT)
        resolved = resolve_check(config, ref, chosen)
    else:
        refuse_options({"--ref": ref, "--suite": suites}, "with PROMPT and --cases", _HINT)
        if prompt is None or cases is None:
            absent = "PROMPT" if prompt is None else "--cases"
            raise GateError(f"{absent} is missing", "gate check PROMPT --cases FILE --model MODEL")
        resolved = resolve_check_files(prompt, cases, file_mode_run(scorers, criteria, model), chosen)
    for note in resolved.notes:
        print_note(note.text)
    settings = Settings.from_environ()
    progress = run_progress(quiet=quiet)
    plan = RunOrder(resolved, settings.concurrency, None, paths[0], progress, refresh=refresh, say=print_note)
    return report_run(run_check(plan, settings), paths, as_json=as_json, quiet=quiet)
