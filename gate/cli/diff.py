"""`gate diff` and `gate merge`: from their options to an exit code."""

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.app.resolving import resolve_files_mode, resolve_git_mode
from gate.cli.app import refuse_options
from gate.cli.options import format_of
from gate.cli.output import output_paths, print_note, report_run, report_untouched, run_progress
from gate.config.documents import quoted
from gate.environment.settings import Push, Settings
from gate.errors import CannotEvaluate, GateError, Interrupted
from gate.git.objects import Git
from gate.git.places import own_folder
from gate.record.findings.notes import CasesSelected
from gate.record.findings.unfinished import RunInterrupted
from gate.report.escape import terminal_text
from gate.resolve.resolved import Resolved, picked

if TYPE_CHECKING:
    from gate.engine.schedule import Share
    from gate.engine.shards import ShardOptions
    from gate.record.shard import Evaluation


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """The options of `gate diff`, as typed."""

    prompts: tuple[str, ...]
    base: str | None
    head: str | None
    suites: tuple[str, ...]
    everything: bool
    config: str
    cases: str | None
    scorers: tuple[str, ...]
    criteria: str | None
    model: str | None
    models: tuple[str, str] | None
    only: tuple[str, ...]
    samples: int | None
    early_stop: bool | None
    refresh: bool
    batch: bool
    shard: "Share | None"
    out: Path | None
    as_json: bool
    quiet: bool


def diff(options: DiffOptions) -> int:
    """Compare, or run one shard; returns the exit code."""
    _check_options(options)
    return _compare(options) if options.shard is None else _take_shard(options, options.shard)


def _compare(options: DiffOptions) -> int:
    push = Push.from_environ()
    if push.commit and options.base and options.head is None:
        if message := _first_push(options.base, push):
            click.echo(terminal_text(message))
            return 0
        options = replace(options, head=push.commit)
    resolved = _resolved_by(options)
    if options.batch:
        resolved = resolved.stopping_early(False)
    for note in resolved.notes:
        print_note(note.text)
    settings, out = Settings.from_environ(), output_paths(options.out)
    if not resolved.touched:
        code = report_untouched(resolved, out, as_json=options.as_json, quiet=options.quiet)
        if hint := "" if options.quiet or resolved.deleted else _same(options):
            print_note(hint)
        return code
    from gate.app.run_order import RunOrder
    from gate.app.runs import run_plan

    plan = RunOrder(
        resolved,
        settings.concurrency,
        None,
        out[0],
        run_progress(quiet=options.quiet),
        refresh=options.refresh,
        batch=options.batch,
        say=print_note,
    )
    return report_run(run_plan(plan, settings), out, as_json=options.as_json, quiet=options.quiet)


def _resolved_by(options: DiffOptions) -> Resolved:
    """What to evaluate."""
    resolved = _some(_resolve(options).with_samples(options.samples), options.only)
    return resolved if options.early_stop is None else resolved.stopping_early(options.early_stop)


def _resolve(options: DiffOptions) -> Resolved:
    if options.base is not None:
        of_files = {
            "OLD NEW": options.prompts,
            "--cases": options.cases,
            "--scorer": options.scorers,
            "--criteria": options.criteria,
            "--model": options.model,
            "--models": options.models,
        }
        refuse_options(of_files, "with --base", "it is for file mode; in git mode, set it in gate.yaml")
        refs = options.base, options.head
        return resolve_git_mode(refs, options.config, options.suites, everything=options.everything)
    if not options.prompts and not options.cases:
        hint = "gate diff --base origin/main, or gate diff OLD NEW --cases FILE --model MODEL"
        given = "; --head needs --base" if options.head else ""
        raise GateError(f"nothing to compare: no --base and no prompt files were given{given}", hint)
    of_git = {"--head": options.head, "--suite": options.suites, "--all": options.everything}
    refuse_options(of_git, "without --base", "it is for git mode; add --base origin/main")
    if len(options.prompts) != 2 or not options.cases:
        raise GateError("file mode needs two prompt files and --cases", "gate diff OLD NEW --cases FILE --model MODEL")
    from gate.resolve.two_files import Files, file_mode_run

    run = file_mode_run(options.scorers, options.criteria, options.model, *(options.models or ()))
    return resolve_files_mode(Files(*options.prompts, options.cases), run)


def _some(resolved: Resolved, patterns: tuple[str, ...]) -> Resolved:
    """The same with only the cases that were named."""
    if not (patterns and resolved.suites):
        return resolved
    asked = sum(len(suite.exam.cases) for suite in resolved.suites)
    suites = picked(resolved.suites, patterns)
    left = sum(len(suite.exam.cases) for suite in suites)
    note = CasesSelected(selected=left, total=asked)
    # Changes of the exam are reported for whole exams only.
    return replace(resolved, suites=suites, edits=(), run_edits=(), deleted=(), notes=(*resolved.notes, note))


def _check_options(options: DiffOptions) -> None:
    """Raises GateError for options that do not go together."""
    batch, shard = options.batch, options.shard is not None
    clashes = (
        ("--batch", "--refresh", batch and options.refresh, "the same requests would be submitted at every run"),
        ("--batch", "--shard", batch and shard, "use one of them"),
        ("--batch", "--early-stop", batch and options.early_stop, "a batch submits all requests at once"),
        ("--shard", "--refresh", shard and options.refresh, "a shard uses no cache"),
        ("--shard", "--case", shard and options.only, "run a few cases without --shard"),
        ("--shard", "--early-stop", shard and options.early_stop, "a shard does not know the results of the others"),
    )
    for one, other, both, why in clashes:
        if both:
            raise GateError(f"{one} and {other} cannot be combined", why)


def _first_push(base: str, push: Push) -> str:
    """The message for a first push, which has nothing to compare with; empty for any other push.

    It is a first push only if the clone has no branch of the server at all. Any other missing base is an error.
    """
    git = Git(Path())
    if not push.remote or not base.startswith(f"{push.remote}/"):
        return ""
    if git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{base}^{{commit}}").code == 0:
        return ""
    known = git.ask("for-each-ref", "--count=1", "--format=%(refname)", f"refs/remotes/{push.remote}/")
    if known.code or known.out.strip():
        return ""
    reason = f"SKIPPED: this clone has no branch of {quoted(push.remote)}, so there is nothing to compare a push with."
    return f"{reason} If the server has {base}, run: git fetch {shlex.quote(push.remote)}"


def _same(options: DiffOptions) -> str:
    """A hint for people who commit to the main branch: the base is the commit they are on."""
    if options.base is None or options.head is not None:
        return ""
    git = Git(Path())
    base, here, before = (
        git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        for ref in (options.base, "HEAD", "HEAD~1")
    )
    if before.code or base.out != here.out:
        return ""
    fact = f"hint: {options.base} is the current commit. If it contains the change already"
    return f"{fact}, compare with the commit before: gate diff --base HEAD~1"


def _take_shard(options: DiffOptions, share: "Share") -> int:
    """Run one shard. The verdict comes from `gate merge`."""
    from gate.app.run_order import RunOrder
    from gate.app.shards import run_shard
    from gate.store.run_folder import SAMPLES_FILE
    from gate.store.shard_folder import SHARD_FILE

    settings = Settings.from_environ()
    resolved = _resolved_by(options).stopping_early(False)
    for note in resolved.notes:
        print_note(note.text)
    if options.out is not None and format_of(options.out) is not None and not options.out.is_dir():
        raise GateError(
            f"--out {options.out} is a file, and a shard has no report", "name a folder; gate merge writes the report"
        )
    folder = options.out or own_folder() / f"shard-{share.number}-of-{share.of}"
    plan = RunOrder(
        resolved, settings.concurrency, None, folder, run_progress(quiet=options.quiet), cache=False, say=print_note
    )
    record = run_shard(plan, share, _asked(options), settings)
    how = f"ended early: {terminal_text(record.unfinished.phrase)}" if record.unfinished else "finished"
    budget = record.budget
    limits = [f"{budget.max_calls} calls"] if budget.max_calls is not None else []
    limits += [f"${budget.max_usd:g}"] if budget.max_usd is not None else []
    if options.as_json:
        click.echo(record.model_dump_json(by_alias=True, indent=2))
    else:
        click.echo(f"Shard {record.name} {how}: {record.samples} samples. The verdict comes from gate merge.")
    if not (options.as_json or options.quiet):
        if limits:
            click.echo(f"Budget of this shard: {' and '.join(limits)}.")
        click.echo(f"Written: {folder / SAMPLES_FILE} (record: {folder / SHARD_FILE})")
        click.echo(f"Next, with all {record.evaluation.of} shards: gate merge FOLDER...")
    if isinstance(record.unfinished, RunInterrupted) and record.unfinished.signal == "SIGINT":
        return Interrupted.exit_code
    return CannotEvaluate.exit_code if record.unfinished else 0


def _asked(options: DiffOptions) -> "ShardOptions":
    from gate.app.shards import named_commit
    from gate.engine.shards import ShardOptions
    from gate.record.shard import FileInputs, GitInputs

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
        baseline_model=options.models and options.models[0],
        candidate_model=options.models and options.models[1],
    )
    return ShardOptions(files, options.samples)


def merge(runs: tuple[Path, ...], out: Path | None, as_json: bool, quiet: bool) -> int:
    """Combine the shards of one run; returns the exit code of the verdict."""
    from gate.app.shards import check_same, load_shards, merge_shards

    shards = load_shards(runs)
    resolved = _read_again(shards.evaluation)
    check_same(shards, resolved)
    for note in resolved.notes:
        print_note(note.text)
    paths = output_paths(out)
    if not resolved.suites:
        return report_untouched(resolved, paths, as_json=as_json, quiet=quiet)
    run = merge_shards(shards, resolved, paths[0], Settings.from_environ())
    return report_run(run, paths, as_json=as_json, quiet=quiet)


def _read_again(asked: "Evaluation") -> Resolved:
    """The inputs of the shards, read from this checkout."""
    from gate.app.resolving import resolve_commits
    from gate.record.shard import FileInputs

    inputs = asked.inputs
    if isinstance(inputs, FileInputs):
        from gate.resolve.two_files import Files, file_mode_run

        models = inputs.model, inputs.baseline_model, inputs.candidate_model
        run = file_mode_run(inputs.scorers, inputs.criteria, *models)
        resolved = resolve_files_mode(Files(inputs.baseline, inputs.candidate, inputs.cases), run)
    else:
        resolved = resolve_commits(inputs)
    return resolved.with_samples(asked.samples).stopping_early(False)
