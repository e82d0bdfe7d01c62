"""From the folders of `gate merge` to an exit code."""

from dataclasses import dataclass
from pathlib import Path

import click

from gate.bootstrap.merging import check_same, load_shards, merge, resolve_commits
from gate.bootstrap.resolving import resolve_files_mode
from gate.cli.resolving import FileOptions, file_run, looking, with_samples
from gate.cli.telling import out_of, tell, untouched
from gate.domain.shard import Evaluation, FileInputs
from gate.flows.files import Files
from gate.flows.resolved import Resolved
from gate.report.escape import terminal
from gate.settings.services import Settings


@dataclass(frozen=True, slots=True)
class MergeOptions:
    """The options of `gate merge`, as typed."""

    runs: tuple[Path, ...]
    out: Path | None
    as_json: bool
    quiet: bool


def execute(options: MergeOptions) -> int:
    """Check, resolve again, judge, show.

    Returns:
        The exit code of the verdict; 0 where the change touches no suite.
    """
    shards = load_shards(options.runs)
    resolved = _resolved(shards.evaluation)
    check_same(shards, resolved)
    for note in resolved.notes:
        click.echo(terminal(note), err=True)
    if not resolved.suites:
        return untouched(resolved, options, options.out)
    folder, file = out_of(options.out)
    return tell(merge(shards, resolved, folder, Settings.from_environ()), options, folder, file)


def _resolved(asked: Evaluation) -> Resolved:
    inputs = asked.inputs
    if isinstance(inputs, FileInputs):
        how = FileOptions(inputs.scorers, inputs.criteria, inputs.model, inputs.baseline_model, inputs.candidate_model)
        named = Files(inputs.baseline, inputs.candidate, inputs.cases)
        resolved = resolve_files_mode(named, file_run(how))
    else:
        resolved = resolve_commits(inputs)
    return looking(with_samples(resolved, asked.samples), early=False)
