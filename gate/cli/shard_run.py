"""From the options of `gate diff --shard` to the exit code of one shard."""

from pathlib import Path

import click

from gate.bootstrap.memory import Remembering
from gate.bootstrap.places import own_folder
from gate.bootstrap.plan import Plan
from gate.bootstrap.sharding import Part, named_commit, run_shard
from gate.cli import show
from gate.cli.diff_options import DiffOptions
from gate.domain.shard import FileInputs, GitInputs, ShardOptions, ShardRecord
from gate.engine.plan import Share
from gate.errors import CannotEvaluate, GateError, Interrupted
from gate.flows.ports import Progress
from gate.flows.resolved import Resolved
from gate.flows.shards import Asked
from gate.report.escape import terminal
from gate.settings.services import Settings
from gate.store.shard_folder import NAME


def execute(options: DiffOptions, share: Share, resolved: Resolved, progress: Progress) -> int:
    """Take one share of the samples.

    Returns:
        0 where the share is whole, 3 where it ended early; there is no verdict before the shards are merged.
    """
    if options.out is not None and show.form_of(options.out) is not None and not options.out.is_dir():
        raise GateError(f"--out {options.out}: a shard has no report", "name a folder; gate merge makes the report")
    folder = options.out or own_folder() / f"shard-{share.number}-of-{share.of}"
    if options.refresh:
        raise GateError("--refresh and --shard do not go together", "a shard knows no answers but its own")
    plan = Plan(
        resolved,
        options.concurrency,
        options.seed,
        folder,
        progress,
        remember=Remembering(cache=False),
        say=lambda note: click.echo(note, err=True),
    )
    record = run_shard(plan, Part(share, _asked(options)), Settings.from_environ())
    if options.as_json:
        click.echo(record.model_dump_json(by_alias=True, indent=2))
    else:
        click.echo(_told(record, folder, quiet=options.quiet))
    if "SIGINT" in record.unfinished:
        return Interrupted.exit_code
    return CannotEvaluate.exit_code if record.unfinished else 0


def _asked(options: DiffOptions) -> Asked:
    chosen = ShardOptions(
        samples=options.samples,
        method=options.method,
        correction=options.correction,
        breakage=options.breakage,
        fail_on=options.fail_on,
        seed=options.seed,
    )
    if options.base is not None:
        git = GitInputs(
            base=named_commit(options.base),
            head=None if options.head is None else named_commit(options.head),
            config=options.config,
            suites=list(options.suites),
            everything=options.everything,
        )
        return Asked(git, chosen)
    files = FileInputs(
        baseline=str(options.baseline),
        candidate=str(options.candidate),
        cases=str(options.cases),
        scorers=list(options.scorers),
        criteria=options.criteria,
        model=options.model,
        baseline_model=options.baseline_model,
        candidate_model=options.candidate_model,
        judge_model=options.judge_model,
        params=list(options.params),
        margin=options.margin,
    )
    return Asked(files, chosen)


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
