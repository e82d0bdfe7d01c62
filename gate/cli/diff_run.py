"""From the options of `gate diff` to an exit code."""

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.app.environment.settings import Push, Settings
from gate.app.memory import MemoryOptions
from gate.app.runs import run_plan
from gate.app.sources import GitPlace, resolve_files_mode, resolve_git_mode
from gate.cli.runs import (
    FileOptions,
    file_mode_run,
    output_paths,
    planned_run,
    refuse_options,
    report_run,
    report_untouched,
    with_early_stop,
    with_samples,
)
from gate.config.documents import quoted
from gate.errors import GateError
from gate.git.command import Git
from gate.git.sources import Sightings
from gate.report.escape import terminal_text
from gate.resolve.one_version import picked
from gate.resolve.resolved import Resolved
from gate.resolve.two_files import Files
from gate.values import counted

if TYPE_CHECKING:
    from gate.engine.schedule import Share

_FILE_MODE = {
    "prompts": "OLD NEW",
    "cases": "--cases",
    "scorers": "--scorer",
    "criteria": "--criteria",
    "model": "--model",
    "baseline_model": "--baseline-model",
    "candidate_model": "--candidate-model",
}
_GIT_MODE = {"head": "--head", "suites": "--suite", "everything": "--all"}


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
    baseline_model: str | None
    candidate_model: str | None
    only: tuple[str, ...]
    samples: int | None
    early_stop: bool | None
    refresh: bool
    batch: bool
    watch: bool
    shard: "Share | None"
    out: Path | None
    as_json: bool
    quiet: bool

    @property
    def files(self) -> FileOptions:
        """Those of file mode."""
        return FileOptions(self.scorers, self.criteria, self.model, self.baseline_model, self.candidate_model)


def execute(options: DiffOptions) -> int:
    """Resolve, run, show.

    Returns:
        The exit code of the verdict; 0 where the change touches no suite.
    """
    push = Push.from_environ()
    if push.commit and options.base and options.head is None:
        if told := _first_push(options.base, push):
            click.echo(terminal_text(told))
            return 0
        options = replace(options, head=push.commit)
    check_options(options)
    resolved = resolved_by(options)
    if options.batch:
        resolved = with_early_stop(resolved, early=False)
    for note in resolved.notes:
        click.echo(terminal_text(note), err=True)
    settings = Settings.from_environ()
    folder, file = output_paths(options.out)
    if not resolved.touched:
        code = report_untouched(resolved, options, options.out)
        if hint := "" if options.quiet or resolved.deleted else _same(options):
            click.echo(terminal_text(hint), err=True)
        return code
    remember = MemoryOptions(refresh=options.refresh)
    plan = planned_run(resolved, settings.concurrency, folder, remember, quiet=options.quiet, batch=options.batch)
    return report_run(run_plan(plan, settings), options, folder, file)


def resolved_by(options: DiffOptions, seen: Sightings | None = None) -> Resolved:
    """What there is to evaluate.

    Args:
        options: as typed.
        seen: notes what is read of what people edit.
    """
    resolved = _some(with_samples(_resolve(options, seen), options.samples), options.only)
    return resolved if options.early_stop is None else with_early_stop(resolved, early=options.early_stop)


def _resolve(options: DiffOptions, seen: Sightings | None) -> Resolved:
    if options.base is not None:
        refuse_options(options, "with --base", _FILE_MODE, "gate.yaml says it in git mode; see gate diff --help")
        refs = options.base, options.head
        here = GitPlace(seen=seen)
        return resolve_git_mode(refs, options.config, options.suites, everything=options.everything, here=here)
    if not options.prompts and not options.cases:
        hint = "gate diff --base origin/main, or gate diff OLD NEW --cases FILE --model MODEL"
        raise GateError("nothing to compare: name a base ref, or two prompt files and a case file", hint)
    refuse_options(options, "without --base", _GIT_MODE, "it belongs to git mode; see gate diff --help")
    if len(options.prompts) != 2 or not options.cases:
        raise GateError("file mode compares two prompts", "gate diff OLD NEW --cases FILE --model MODEL")
    return resolve_files_mode(Files(*options.prompts, options.cases), file_mode_run(options.files), seen)


def _some(resolved: Resolved, patterns: tuple[str, ...]) -> Resolved:
    """The same with some of the cases alone, where any are named.

    Raises:
        GateError: a pattern that no case of a touched suite fits.
    """
    if not (patterns and resolved.suites):
        return resolved
    asked = sum(len(suite.exam.cases) for suite in resolved.suites)
    suites = picked(resolved.suites, patterns)
    left = sum(len(suite.exam.cases) for suite in suites)
    note = f"{left} of {counted(asked, 'case')} were asked (--case): a look at them, and no verdict on the change."
    # What the change makes of its exam is told of whole exams.
    return replace(resolved, suites=suites, edits=(), run_edits=(), deleted=(), notes=(*resolved.notes, note))


def check_options(options: DiffOptions) -> None:
    """Raises GateError for options that do not go together."""
    shard = options.shard is not None
    clashes = (
        ("--watch", "--head", options.watch and options.head, "what is watched is the working tree"),
        ("--watch", "--batch", options.watch and options.batch, "a batch takes hours"),
        ("--watch", "--shard", options.watch and shard, "a shard has no verdict"),
        ("--watch", "--refresh", options.watch and options.refresh, "it would pay for the baseline at every save"),
        ("--watch", "--json", options.watch and options.as_json, "each record is in .gate/last/run.json"),
        (
            "--batch",
            "--refresh",
            options.batch and options.refresh,
            "it would submit the same requests again and again",
        ),
        ("--batch", "--shard", options.batch and shard, "a batch is spread over machines already"),
        ("--batch", "--early-stop", options.batch and options.early_stop, "a batch asks for everything at once"),
        ("--shard", "--refresh", shard and options.refresh, "a shard knows no answers but its own"),
        ("--shard", "--case", shard and options.only, "ask for a few cases in one process"),
        ("--shard", "--early-stop", shard and options.early_stop, "no shard sees what the others took"),
    )
    for one, other, both, why in clashes:
        if both:
            raise GateError(f"{one} and {other} do not go together", why)


def _first_push(base: str, push: Push) -> str:
    """What is said of a first push, which has nothing to be compared with; empty for any other.

    Only a clone that knows nothing at all of the server is taken for one: a base that is missing beside other branches
    is a mistake, as it is everywhere.
    """
    git = Git(Path())
    if not push.remote or not base.startswith(f"{push.remote}/"):
        return ""
    if git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{base}^{{commit}}").code == 0:
        return ""
    known = git.ask("for-each-ref", "--count=1", "--format=%(refname)", f"refs/remotes/{push.remote}/")
    if known.code or known.out.strip():
        return ""
    told = f"SKIPPED: this clone knows no branch of {quoted(push.remote)}, so a first push has nothing to compare with."
    return f"{told} If the server has {base} already: git fetch {shlex.quote(push.remote)}"


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
