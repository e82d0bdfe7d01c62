"""What commands that evaluate share: options of file mode, progress, and the report of a finished run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import click

from gate.app.memory import MemoryOptions, RunOrder
from gate.app.repository import own_folder
from gate.app.run_reports import run_folder
from gate.cli import output
from gate.cli.progress import LineProgress, SilentProgress
from gate.config.models import ModelRef, Params, parse_model
from gate.config.policy import RunPolicy, SuitePolicy
from gate.config.scorer import JUDGED, parse_scorers
from gate.engine.run import Progress
from gate.engine.without_evaluation import deleted
from gate.errors import GateError
from gate.record.run import RunRecord
from gate.report.escape import terminal_text
from gate.report.view.cases import explain_command
from gate.report.view.headline import first_line
from gate.resolve.resolved import Resolved
from gate.resolve.two_files import FileRun
from gate.values import JsonValue

DEFAULT_SAMPLES = 3


@dataclass(frozen=True, slots=True)
class FileOptions:
    """How files are evaluated where there is no configuration.

    Args:
        scorers: kinds; empty for the default.
        criteria: what a judge looks for.
        model: of both arms and of the judge.
        baseline_model, candidate_model: of one arm, before `model`.
    """

    scorers: Sequence[str] = ()
    criteria: str | None = None
    model: str | None = None
    baseline_model: str | None = None
    candidate_model: str | None = None


def file_mode_run(options: FileOptions) -> FileRun:
    """Models, scorers and policy of file mode.

    Raises:
        GateError: no model, or a judge without criteria.
    """
    baseline = _model(options.baseline_model or options.model, "--baseline-model")
    candidate = _model(options.candidate_model or options.model, "--candidate-model")
    judge = parse_model(options.model) if options.model else baseline
    kinds = options.scorers or (("judge",) if options.criteria else ("contains",))
    asking = [kind for kind in kinds if kind in JUDGED]
    if asking and not options.criteria:
        raise GateError("a judge needs criteria", "say what a good answer is: --criteria 'Polite, and names the price'")
    if options.criteria and not asking:
        raise GateError("--criteria is for a judge", "add --scorer judge, or --scorer pairwise")
    return FileRun(
        baseline_model=baseline,
        candidate_model=candidate,
        params=Params(),
        scorers=parse_scorers([_scorer(kind, options) for kind in dict.fromkeys(kinds)], "--scorer"),
        judge=judge,
        samples=DEFAULT_SAMPLES,
        policy=RunPolicy(),
        suite_policy=SuitePolicy(),
    )


def _scorer(kind: str, options: FileOptions) -> JsonValue:
    """The scorer as `gate.yaml` would have it."""
    if kind in JUDGED:
        return {kind: {"criteria": options.criteria}}
    return {"regex": {"pattern": "{{ expected }}"}} if kind == "regex" else kind


def _model(text: str | None, flag: str) -> ModelRef:
    if text is None:
        raise GateError("no model is named", f"add --model openai:NAME (or anthropic:, local:), or {flag}")
    return parse_model(text)


def with_samples(resolved: Resolved, samples: int | None) -> Resolved:
    """The same with so many samples of each case; None leaves what the files say."""
    if samples is None:
        return resolved
    return replace(resolved, suites=tuple(replace(suite, samples=samples) for suite in resolved.suites))


def with_early_stop(resolved: Resolved, *, early: bool) -> Resolved:
    """The same with or without early stopping: what is asked all at once has nothing to look at on the way."""
    return replace(resolved, policy=resolved.policy.model_copy(update={"early_stop": early}))


def refuse_options(options: object, when: str, names: dict[str, str], hint: str) -> None:
    """Raise a GateError for the first option that is given and has no meaning here.

    Args:
        options: as typed.
        when: it has no meaning.
        names: attributes, and the options that they come from.
        hint: what else there is.
    """
    for name, flag in names.items():
        if getattr(options, name):
            raise GateError(f"{flag} has no meaning {when}", hint)


class OutputOptions(Protocol):
    """How a finished run is shown."""

    @property
    def as_json(self) -> bool: ...
    @property
    def quiet(self) -> bool: ...


def run_progress(*, quiet: bool) -> Progress:
    """A bar on a terminal, plain lines elsewhere, nothing on request."""
    if quiet:
        return SilentProgress()
    # A quiet run does without the library that draws.
    from rich.console import Console

    from gate.cli.progress_bar import BarProgress

    console = Console(stderr=True)
    if console.is_terminal:
        return BarProgress(console)
    return LineProgress()


def planned_run(
    resolved: Resolved, concurrency: int, folder: Path, remember: MemoryOptions, *, quiet: bool, batch: bool = False
) -> RunOrder:
    """The run that a command was asked for; what it has to say goes to standard error."""
    return RunOrder(
        resolved,
        concurrency,
        None,
        folder,
        run_progress(quiet=quiet),
        remember=remember,
        batch=batch,
        say=lambda note: click.echo(terminal_text(note), err=True),
    )


def output_paths(out: Path | None, usual: str = "last") -> tuple[Path, Path | None]:
    """The folder of the run, and the one file that was asked for, if any.

    Args:
        out: as the user says.
        usual: name in the gate's own folder where they say nothing.
    """
    if out is None:
        return own_folder() / usual, None
    if output.format_of(out) is not None and not out.is_dir():
        return own_folder() / usual, out
    if out.is_file():
        raise GateError(f"{out} is a file whose ending is no format", f"name a folder, or a file: {output.TOLD}")
    return out, None


def report_untouched(resolved: Resolved, options: OutputOptions, out: Path | None) -> int:
    """Tell that there is nothing to evaluate, or that what there was is deleted.

    Returns:
        0 for the first; the second is a HOLD.
    """
    if not resolved.deleted:
        click.echo(skipped_text(resolved))
        return 0
    folder, file = output_paths(out)
    run = deleted(resolved, datetime.now(UTC))
    keeper = run_folder(folder)
    keeper.made()
    keeper.clear()
    keeper.run(run)
    return report_run(run, options, folder, file)


def report_run(run: RunRecord, options: OutputOptions, folder: Path, file: Path | None) -> int:
    """Show a finished run, and write the one file that was asked for.

    Returns:
        Its exit code.
    """
    if file is not None:
        output.write_run(run, file, folder=folder)
    if options.as_json:
        output.print_run(run, "json")
    elif options.quiet:
        click.echo(first_line(run))
    else:
        output.print_run(run, "terminal")
        click.echo(f"\nWritten: {file or folder / 'report.md'} (record: {folder / 'run.json'})")
        if more := explain_command(run, str(folder)):
            click.echo(terminal_text(f"Everything about the worst case: {more}"))
    return run.exit_code


def skipped_text(resolved: Resolved) -> str:
    """What is said where there is nothing to evaluate."""
    if resolved.touched:
        return "PASS: no prompt changed; the exam did. A run in parts does not try it: run gate diff as a whole."
    names = terminal_text(", ".join(resolved.untouched)) or "any suite that can be compared"
    return f"SKIPPED: the change touches no prompt, model, case or scorer of {names}. Use --all to run anyway."
