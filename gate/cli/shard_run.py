"""From the options of `gate diff --shard` and `gate merge` to an exit code."""

from dataclasses import dataclass
from pathlib import Path

import click

from gate.app.environment.settings import Settings
from gate.app.memory import MemoryOptions
from gate.app.repository import own_folder
from gate.app.shards import ShardOrder, check_same, load_shards, merge_shards, named_commit, resolve_commits, run_shard
from gate.app.sources import resolve_files_mode
from gate.cli import output
from gate.cli.diff_run import DiffOptions, check_options, resolved_by
from gate.cli.runs import (
    FileOptions,
    file_mode_run,
    output_paths,
    planned_run,
    report_run,
    report_untouched,
    with_early_stop,
    with_samples,
)
from gate.engine.shards import ShardOptions
from gate.errors import CannotEvaluate, GateError, Interrupted
from gate.record.shard import Evaluation, FileInputs, GitInputs, ShardRecord
from gate.report.escape import terminal_text
from gate.resolve.resolved import Resolved
from gate.resolve.two_files import Files
from gate.store.shard_folder import SHARD_FILE


def execute(options: DiffOptions) -> int:
    """Take one share of the samples.

    Returns:
        0 where the share is whole, 3 where it ended early; there is no verdict before the shards are merged.
    """
    share, settings = options.shard, Settings.from_environ()
    assert share is not None  # noqa: S101 the command sends nobody else here
    check_options(options)
    resolved = with_early_stop(resolved_by(options), early=False)
    for note in resolved.notes:
        click.echo(terminal_text(note), err=True)
    if options.out is not None and output.format_of(options.out) is not None and not options.out.is_dir():
        raise GateError(f"--out {options.out}: a shard has no report", "name a folder; gate merge makes the report")
    folder = options.out or own_folder() / f"shard-{share.number}-of-{share.of}"
    plan = planned_run(resolved, settings.concurrency, folder, MemoryOptions(cache=False), quiet=options.quiet)
    record = run_shard(plan, ShardOrder(share, _asked(options)), settings)
    if options.as_json:
        click.echo(record.model_dump_json(by_alias=True, indent=2))
    else:
        click.echo(_told(record, folder, quiet=options.quiet))
    if "SIGINT" in record.unfinished:
        return Interrupted.exit_code
    return CannotEvaluate.exit_code if record.unfinished else 0


def _asked(options: DiffOptions) -> ShardOptions:
    if options.base is not None:
        git = GitInputs(
            base=named_commit(options.base),
            head=None if options.head is None else named_commit(options.head),
            config=options.config,
            suites=list(options.suites),
            everything=options.everything,
        )
        return ShardOptions(git, options.samples)
    files = FileInputs(
        baseline=options.prompts[0],
        candidate=options.prompts[1],
        cases=str(options.cases),
        scorers=list(options.scorers),
        criteria=options.criteria,
        model=options.model,
        baseline_model=options.baseline_model,
        candidate_model=options.candidate_model,
    )
    return ShardOptions(files, options.samples)


def _told(record: ShardRecord, folder: Path, *, quiet: bool) -> str:
    how = f"ended early: {terminal_text(record.unfinished)}" if record.unfinished else "is whole"
    first = f"shard {record.name} {how}; {record.samples} samples, no verdict yet"
    if quiet:
        return first
    budget = record.budget
    limits = [f"{budget.max_calls} calls"] if budget.max_calls is not None else []
    limits += [f"${budget.max_usd:g}"] if budget.max_usd is not None else []
    lines = [first]
    if limits:
        lines.append(f"Its part of the run's budget: {' and '.join(limits)}.")
    lines.append(f"Written: {folder / 'samples.jsonl'} (record: {folder / SHARD_FILE})")
    lines.append(f"Next, once all {record.evaluation.of} are there: gate merge FOLDERS")
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class MergeOptions:
    """The options of `gate merge`, as typed."""

    runs: tuple[Path, ...]
    out: Path | None
    as_json: bool
    quiet: bool


def execute_merge(options: MergeOptions) -> int:
    """Check, resolve again, judge, show.

    Returns:
        The exit code of the verdict; 0 where the change touches no suite.
    """
    shards = load_shards(options.runs)
    resolved = _resolved(shards.evaluation)
    check_same(shards, resolved)
    for note in resolved.notes:
        click.echo(terminal_text(note), err=True)
    if not resolved.suites:
        return report_untouched(resolved, options, options.out)
    folder, file = output_paths(options.out)
    return report_run(merge_shards(shards, resolved, folder, Settings.from_environ()), options, folder, file)


def _resolved(asked: Evaluation) -> Resolved:
    inputs = asked.inputs
    if isinstance(inputs, FileInputs):
        how = FileOptions(inputs.scorers, inputs.criteria, inputs.model, inputs.baseline_model, inputs.candidate_model)
        named = Files(inputs.baseline, inputs.candidate, inputs.cases)
        resolved = resolve_files_mode(named, file_mode_run(how))
    else:
        resolved = resolve_commits(inputs)
    return with_early_stop(with_samples(resolved, asked.samples), early=False)
