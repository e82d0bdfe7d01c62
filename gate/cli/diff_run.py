"""From the options of `gate diff` to an exit code."""

from pathlib import Path

import click

from gate.bootstrap.memory import Remembering
from gate.bootstrap.plan import Batch, Plan
from gate.bootstrap.running import run_plan
from gate.cli import pushed
from gate.cli.diff_options import DiffOptions
from gate.cli.diff_resolving import looking, resolved_by
from gate.cli.telling import out_of, progress, tell, untouched
from gate.errors import GateError
from gate.git.command import Git
from gate.report.escape import terminal
from gate.settings.pushing import Push
from gate.settings.services import Settings


def execute(options: DiffOptions) -> int:
    """Resolve, run, show.

    Returns:
        The exit code of the verdict; 0 where the change touches no suite.
    """
    if options.pushed:
        push = Push.from_environ()
        options = pushed.compared(options, push)
        if told := pushed.first(options, push):
            click.echo(terminal(told))
            return 0
    check_options(options)
    resolved = resolved_by(options)
    if options.batch or options.shard is not None:
        resolved = looking(resolved, early=False)
    for note in resolved.notes:
        click.echo(terminal(note), err=True)
    if options.shard is not None:
        from gate.cli import shard_run  # few runs are shards

        return shard_run.execute(options, options.shard, resolved, progress(quiet=options.quiet))
    folder, file = out_of(options.out)
    if not resolved.touched:
        code = untouched(resolved, options, options.out)
        if hint := "" if options.quiet or resolved.deleted else _same(options):
            click.echo(terminal(hint), err=True)
        return _kept(code, folder, options) if resolved.deleted else code
    plan = Plan(
        resolved,
        options.concurrency,
        options.seed,
        folder,
        progress(quiet=options.quiet),
        remember=Remembering(cache=not options.no_cache, refresh=options.refresh),
        batch=Batch(options.wait) if options.batch else None,
        say=lambda note: click.echo(note, err=True),
    )
    run = run_plan(plan, Settings.from_environ())
    return _kept(tell(run, options, folder, file), folder, options)


def _kept(code: int, folder: Path, options: DiffOptions) -> int:
    """The exit code, after the run went into the store if that was asked for."""
    if options.store:
        from gate.cli.keeping import keep  # few runs do

        keep(folder, quiet=options.quiet)
    return code


def check_options(options: DiffOptions) -> None:
    """Raises GateError for options that do not go together."""
    if options.no_cache and options.refresh:
        raise GateError("--no-cache and --refresh do not go together", "--refresh alone asks for everything anew")
    if options.wait and not options.batch:
        raise GateError("--wait is for batches", "add --batch")
    _check_watch(options)
    clashes = {
        "--no-cache": (options.no_cache, "the answers of a batch have to be kept until they are collected"),
        "--refresh": (options.refresh, "it would submit the same requests again and again"),
        "--shard": (options.shard is not None, "a batch is spread over machines already"),
        "--early-stop": (options.early_stop, "a batch asks for everything at once"),
    }
    if options.shard is not None and options.store:
        raise GateError("--shard and --store do not go together", "merge the shards, then: gate push .gate/last")
    if options.shard is not None and options.only:
        raise GateError("--shard and --case do not go together", "ask for a few cases in one process")
    if options.shard is not None and options.early_stop:
        raise GateError("--shard and --early-stop do not go together", "no shard sees what the others took")
    for name, (given, why) in clashes.items():
        if options.batch and given:
            raise GateError(f"--batch and {name} do not go together", why)


def _check_watch(options: DiffOptions) -> None:
    given = {
        "--head": (options.head, "what is watched is the working tree"),
        "--pushed": (options.pushed, "what is watched is the working tree"),
        "--batch": (options.batch, "a batch takes hours"),
        "--shard": (options.shard is not None, "a shard has no verdict"),
        "--no-cache": (options.no_cache, "it would pay for the baseline at every save"),
        "--refresh": (options.refresh, "it would pay for the baseline at every save"),
        "--store": (options.store, "a run at every save says little; when you are content: gate push .gate/last"),
        "--json": (options.as_json, "each record is in .gate/last/run.json"),
    }
    for name, (set_, why) in given.items():
        if options.watch and set_:
            raise GateError(f"--watch and {name} do not go together", why)


def _same(options: DiffOptions) -> str:
    """What to do where the base is the commit that one is on: who commits to the main branch meets it first."""
    if options.base is None or options.head is not None:
        return ""
    git = Git(Path())
    base, here, before = (
        git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        for ref in (options.base, "HEAD", "HEAD~1")
    )
    if before.code or base.out != here.out:
        return ""
    told = f"hint: {options.base} is the commit that you are on. If it has the change already"
    return f"{told}, compare with the one before it: gate diff --base HEAD~1"
