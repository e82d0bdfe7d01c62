"""From the options of `gate diff` to an exit code."""

import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click

from gate.bootstrap.keeping import run_folder
from gate.bootstrap.memory import Remembering
from gate.bootstrap.places import own_folder
from gate.bootstrap.plan import Batch, Plan
from gate.bootstrap.resolving import Here, resolve_files_mode, resolve_git_mode
from gate.bootstrap.running import run_plan
from gate.cli import show
from gate.cli.diff_options import Compared, DiffOptions, Overrides, Telling
from gate.cli.key_values import key_values
from gate.cli.progress import Lines, Silent
from gate.domain.case import JUDGED
from gate.domain.jsonvalue import JsonValue
from gate.domain.model import ModelRef
from gate.domain.record import RunRecord
from gate.domain.suite import RunPolicy, SuitePolicy
from gate.domain.words import counted
from gate.errors import GateError
from gate.flows.files import FileRun, Files
from gate.flows.ports import Progress
from gate.flows.resolved import Resolved
from gate.flows.some_cases import picked
from gate.flows.unevaluated import deleted
from gate.git.command import Git
from gate.git.noted import Sightings
from gate.inputs.executor import parse_executor
from gate.inputs.models import parse_model, parse_params
from gate.inputs.scorers.read import parse_scorers
from gate.report import worst_case
from gate.report.escape import terminal
from gate.report.headline import first_line
from gate.settings.services import Settings

DEFAULT_SAMPLES = 3


def execute(options: DiffOptions) -> int:
    """Resolve, run, show.

    Returns:
        The exit code of the verdict; 0 where the change touches no suite.
    """
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
        executor=parse_executor(options.executor),
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


def some(resolved: Resolved, patterns: tuple[str, ...]) -> Resolved:
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


def looking(resolved: Resolved, *, early: bool) -> Resolved:
    """The same with or without early stopping: what is asked all at once has nothing to look at on the way."""
    return replace(resolved, policy=replace(resolved.policy, early_stop=early))


def untouched(resolved: Resolved, options: Telling, out: Path | None) -> int:
    """Tell that there is nothing to evaluate, or that what there was is deleted.

    Returns:
        0 for the first; the second is a HOLD.
    """
    if not resolved.deleted:
        click.echo(skipped(resolved))
        return 0
    folder, file = out_of(out)
    run = deleted(resolved, datetime.now(UTC))
    keeper = run_folder(folder)
    keeper.made()
    keeper.clear()
    keeper.run(run)
    return tell(run, options, folder, file)


def skipped(resolved: Resolved) -> str:
    """What is said where there is nothing to evaluate."""
    if resolved.touched:
        return "PASS: no prompt changed; the exam did. A run in parts does not try it: run gate diff as a whole."
    names = terminal(", ".join(resolved.untouched)) or "any suite that can be compared"
    return f"SKIPPED: the change touches no prompt, model, case or scorer of {names}. Use --all to run anyway."


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


def tell(run: RunRecord, options: Telling, folder: Path, file: Path | None) -> int:
    """Show a finished run, and write the one file that was asked for.

    Returns:
        Its exit code.
    """
    if file is not None:
        show.write(run, file, folder=folder)
    if options.as_json:
        show.render(run, "json")
    elif options.quiet:
        click.echo(first_line(run))
    else:
        show.render(run, "terminal")
        click.echo(f"\nWritten: {file or folder / 'report.md'} (record: {folder / 'run.json'})")
        if more := worst_case.command(run, str(folder)):
            click.echo(terminal(f"Everything about the worst case: {more}"))
    return run.exit_code


def resolved_by(options: DiffOptions, seen: Sightings | None = None) -> Resolved:
    """What there is to evaluate.

    Args:
        options: as typed.
        seen: notes what is read of what people edit.
    """
    resolved = some(with_options(_resolve(options, seen), options), options.only)
    return resolved if options.early_stop is None else looking(resolved, early=options.early_stop)


def _resolve(options: DiffOptions, seen: Sightings | None) -> Resolved:
    files = {"--baseline": options.baseline, "--candidate": options.candidate, "--cases": options.cases}
    if options.base is not None:
        _refuse(options, "with --base", ("model", "baseline_model", "candidate_model", "judge_model", "criteria"))
        _refuse(options, "with --base", ("baseline", "candidate", "cases", "scorers", "params", "margin"))
        refs = options.base, options.head
        here = Here(seen=seen)
        return resolve_git_mode(refs, options.config, options.suites, everything=options.everything, here=here)
    if not any(files.values()):
        hint = "gate diff --base origin/main, or gate diff --baseline A --candidate B --cases C --model M"
        raise GateError("nothing to compare: name a base ref, or two prompt files and a case file", hint)
    _refuse(options, "without --base", ("head", "suites"))
    absent = [name for name, value in files.items() if not value]
    if absent:
        raise GateError(f"{' and '.join(absent)} missing", "file mode needs --baseline, --candidate and --cases")
    named = Files(str(options.baseline), str(options.candidate), str(options.cases))
    return resolve_files_mode(named, file_run(options), seen)


def _refuse(options: DiffOptions, when: str, names: tuple[str, ...]) -> None:
    for name in names:
        if getattr(options, name):
            flag = "--" + name.replace("_", "-").removesuffix("s" if name in ("scorers", "params", "suites") else "")
            raise GateError(f"{flag} has no meaning {when}", "gate.yaml says it in git mode; see gate diff --help")


def file_run(options: Compared) -> FileRun:
    """How two files are compared.

    Raises:
        GateError: no model, or a judge without criteria.
    """
    baseline = _model(options.baseline_model or options.model, "--baseline-model")
    candidate = _model(options.candidate_model or options.model, "--candidate-model")
    judge = parse_model(options.judge_model) if options.judge_model else baseline
    kinds = options.scorers or (("judge",) if options.criteria else ("contains",))
    asking = [kind for kind in kinds if kind in JUDGED]
    if asking and not options.criteria:
        raise GateError("a judge needs criteria", "say what a good answer is: --criteria 'Polite, and names the price'")
    if options.criteria and not asking:
        raise GateError("--criteria is for a judge", "add --scorer judge, or --scorer pairwise")
    return FileRun(
        baseline_model=baseline,
        candidate_model=candidate,
        params=parse_params(key_values(options.params), "--param"),
        scorers=parse_scorers([_scorer(kind, options) for kind in dict.fromkeys(kinds)], "--scorer"),
        judge=judge,
        samples=DEFAULT_SAMPLES,
        policy=RunPolicy(),
        suite_policy=SuitePolicy(margin=options.margin or 0.0),
    )


def _scorer(kind: str, options: Compared) -> JsonValue:
    """The scorer as `gate.yaml` would have it."""
    if kind in JUDGED:
        return {kind: {"criteria": options.criteria}}
    return {"regex": {"pattern": "{{ expected }}"}} if kind == "regex" else kind


def _model(text: str | None, flag: str) -> ModelRef:
    if text is None:
        raise GateError("no model is named", f"add --model openai:NAME (or anthropic:, local:), or {flag}")
    return parse_model(text)


def with_options(resolved: Resolved, options: Overrides) -> Resolved:
    """What the command line says about the run goes before what the files say."""
    policy = replace(
        resolved.policy,
        method=options.method or resolved.policy.method,
        correction=options.correction or resolved.policy.correction,
        breakage=resolved.policy.breakage if options.breakage is None else options.breakage,
        fail_on=options.fail_on or resolved.policy.fail_on,
    )
    suites = resolved.suites
    if options.samples is not None:
        suites = tuple(replace(suite, samples=options.samples) for suite in suites)
    return replace(resolved, policy=policy, suites=suites)


def out_of(out: Path | None, usual: str = "last") -> tuple[Path, Path | None]:
    """The folder of the run, and the one file that was asked for, if any.

    Args:
        out: as the user says.
        usual: name in the gate's own folder where he says nothing.
    """
    if out is None:
        return own_folder() / usual, None
    if show.form_of(out) is not None and not out.is_dir():
        return own_folder() / usual, out
    if out.is_file():
        raise GateError(f"{out} is a file whose ending is no format", f"name a folder, or a file: {show.TOLD}")
    return out, None


def progress(*, quiet: bool) -> Progress:
    """A bar on a terminal, plain lines elsewhere, nothing on request."""
    if quiet:
        return Silent()
    # A quiet run does without the library that draws.
    from rich.console import Console

    from gate.cli.bar import Bar

    console = Console(stderr=True)
    if console.is_terminal:
        return Bar(console)
    return Lines(lambda line: print(line, file=sys.stderr, flush=True))
