"""From the options of `gate check` to an exit code."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import click

from gate.bootstrap.checking import resolve_check, resolve_check_files, run_check
from gate.bootstrap.memory import Remembering
from gate.bootstrap.plan import Plan
from gate.cli.diff_resolving import file_run
from gate.cli.telling import out_of, progress, tell
from gate.errors import GateError
from gate.flows.resolved import Resolved
from gate.flows.solo import Chosen
from gate.inputs.models import parse_model
from gate.report.escape import terminal
from gate.settings.services import Settings


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The options of `gate check`, as typed."""

    ref: str | None
    config: str
    suites: tuple[str, ...]
    only: tuple[str, ...]
    prompt: str | None
    cases: str | None
    scorers: tuple[str, ...]
    criteria: str | None
    model: str | None
    judge_model: str | None
    params: tuple[str, ...]
    samples: int | None
    min_pass_rate: float | None
    fail_on: Literal["block", "hold"] | None
    concurrency: int
    no_cache: bool
    refresh: bool
    out: Path | None
    store: bool
    as_json: bool
    quiet: bool

    @property
    def baseline_model(self) -> None:
        """As in a comparison of files; a check has one arm."""

    @property
    def candidate_model(self) -> None:
        """As in a comparison of files; a check has one arm."""

    @property
    def margin(self) -> None:
        """Nothing is compared, so nothing may fall."""


def execute(options: CheckOptions) -> int:
    """Resolve, run, show.

    Returns:
        The exit code of the verdict.
    """
    if options.no_cache and options.refresh:
        raise GateError("--no-cache and --refresh do not go together", "--refresh alone asks for everything anew")
    folder, file = out_of(options.out, "check")
    resolved = _resolve(options)
    if options.fail_on is not None:
        resolved = replace(resolved, policy=replace(resolved.policy, fail_on=options.fail_on))
    for note in resolved.notes:
        click.echo(terminal(note), err=True)
    plan = Plan(
        resolved,
        options.concurrency,
        None,
        folder,
        progress(quiet=options.quiet),
        remember=Remembering(cache=not options.no_cache, refresh=options.refresh),
        say=lambda note: click.echo(note, err=True),
    )
    run = run_check(plan, Settings.from_environ())
    code = tell(run, options, folder, file)
    if options.store:
        from gate.cli.keeping import keep  # few runs do

        keep(folder, quiet=options.quiet)
    return code


def _resolve(options: CheckOptions) -> Resolved:
    chosen = Chosen(
        suites=options.suites,
        cases=options.only,
        model=parse_model(options.model) if options.model else None,
        samples=options.samples,
        min_pass_rate=options.min_pass_rate,
    )
    if options.prompt is None and options.cases is None:
        _refuse(options, "without --prompt and --cases", ("scorers", "criteria", "judge_model", "params"))
        return resolve_check(options.config, options.ref, chosen)
    _refuse(options, "with --prompt and --cases", ("ref", "suites"))
    if options.prompt is None or options.cases is None:
        absent = "--prompt" if options.prompt is None else "--cases"
        raise GateError(f"{absent} missing", "file mode needs --prompt and --cases")
    return resolve_check_files(options.prompt, options.cases, file_run(options), chosen)


def _refuse(options: CheckOptions, when: str, names: tuple[str, ...]) -> None:
    for name in names:
        if getattr(options, name):
            flag = "--" + name.replace("_", "-").removesuffix("s" if name in ("scorers", "params", "suites") else "")
            raise GateError(f"{flag} has no meaning {when}", "gate.yaml says it otherwise; see gate check --help")
