"""From the options of `gate diff --shard` to the exit code of one shard."""

from pathlib import Path

import click

from gate.bootstrap.memory import Remembering
from gate.bootstrap.places import own_folder
from gate.bootstrap.sharding import Part, named_commit, run_shard
from gate.cli import show
from gate.cli.diff_run import DiffOptions, check_options, resolved_by
from gate.cli.resolving import looking
from gate.cli.telling import planned
from gate.domain.shard import FileInputs, GitInputs, ShardRecord
from gate.errors import CannotEvaluate, GateError, Interrupted
from gate.flows.shards import Asked
from gate.report.escape import terminal
from gate.settings.services import Settings
from gate.store.shard_folder import NAME


def execute(options: DiffOptions) -> int:
    """Take one share of the samples.

    Returns:
        0 where the share is whole, 3 where it ended early; there is no verdict before the shards are merged.
    """
    share, settings = options.shard, Settings.from_environ()
    assert share is not None  # noqa: S101 the command sends nobody else here
    check_options(options)
    resolved = looking(resolved_by(options), early=False)
    for note in resolved.notes:
        click.echo(terminal(note), err=True)
    if options.out is not None and show.form_of(options.out) is not None and not options.out.is_dir():
        raise GateError(f"--out {options.out}: a shard has no report", "name a folder; gate merge makes the report")
    folder = options.out or own_folder() / f"shard-{share.number}-of-{share.of}"
    plan = planned(resolved, settings.concurrency, folder, Remembering(cache=False), quiet=options.quiet)
    record = run_shard(plan, Part(share, _asked(options)), settings)
    if options.as_json:
        click.echo(record.model_dump_json(by_alias=True, indent=2))
    else:
        click.echo(_told(record, folder, quiet=options.quiet))
    if "SIGINT" in record.unfinished:
        return Interrupted.exit_code
    return CannotEvaluate.exit_code if record.unfinished else 0


def _asked(options: DiffOptions) -> Asked:
    if options.base is not None:
        git = GitInputs(
            base=named_commit(options.base),
            head=None if options.head is None else named_commit(options.head),
            config=options.config,
            suites=list(options.suites),
            everything=options.everything,
        )
        return Asked(git, options.samples)
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
    return Asked(files, options.samples)


def _told(record: ShardRecord, folder: Path, *, quiet: bool) -> str:
    how = f"ended early: {terminal(record.unfinished)}" if record.unfinished else "is whole"
    first = f"shard {record.name} {how}; {record.samples} samples, no verdict yet"
    if quiet:
        return first
    budget = record.budget
    limits = [f"{budget.max_calls} calls"] if budget.max_calls is not None else []
    limits += [f"${budget.max_usd:g}"] if budget.max_usd is not None else []
    lines = [first]
    if limits:
        lines.append(f"Its part of the run's budget: {' and '.join(limits)}.")
    lines.append(f"Written: {folder / 'samples.jsonl'} (record: {folder / NAME})")
    lines.append(f"Next, once all {record.evaluation.of} are there: gate merge FOLDERS")
    return "\n".join(lines)
