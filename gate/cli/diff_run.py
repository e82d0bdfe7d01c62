"""From the options of `gate diff` to an exit code."""

import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click

from gate.bootstrap.keeping import run_folder
from gate.bootstrap.memory import Remembering
from gate.bootstrap.plan import Batch, Plan
from gate.bootstrap.resolving import resolve_files_mode, resolve_git_mode
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
from gate.errors import GateError
from gate.flows.files import FileRun, Files
from gate.flows.ports import Progress
from gate.flows.resolved import Resolved
from gate.flows.unevaluated import deleted
from gate.inputs.executor import parse_executor
from gate.inputs.models import parse_model, parse_params
from gate.inputs.scorers.read import parse_scorers
from gate.report.escape import terminal
from gate.report.headline import first_line
from gate.settings.services import Settings

DEFAULT_OUT = Path(".gate/last")
DEFAULT_SAMPLES = 3


def execute(options: DiffOptions) -> int:
    """Resolve, run, show.

    Returns:
        The exit code of the verdict; 0 where the change touches no suite.
    """
    _check(options)
    resolved = with_options(_resolve(options), options)
    if options.early_stop is not None:
        resolved = looking(resolved, early=options.early_stop)
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


def _check(options: DiffOptions) -> None:
    """Options that do not go together."""
    if options.no_cache and options.refresh:
        raise GateError("--no-cache and --refresh do not go together", "--refresh alone asks for everything anew")
    if options.wait and not options.batch:
        raise GateError("--wait is for batches", "add --batch")
    clashes = {
        "--no-cache": (options.no_cache, "the answers of a batch have to be kept until they are collected"),
        "--refresh": (options.refresh, "it would submit the same requests again and again"),
        "--shard": (options.shard is not None, "a batch is spread over machines already"),
        "--early-stop": (options.early_stop, "a batch asks for everything at once"),
    }
    if options.shard is not None and options.store:
        raise GateError("--shard and --store do not go together", "merge the shards, then: gate push .gate/last")
    if options.shard is not None and options.early_stop:
        raise GateError("--shard and --early-stop do not go together", "no shard sees what the others took")
    for name, (given, why) in clashes.items():
        if options.batch and given:
            raise GateError(f"--batch and {name} do not go together", why)


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


def tell(run: RunRecord, options: Telling, folder: Path, file: Path | None) -> int:
    """Show a finished run, and write the one file that was asked for.

    Returns:
        Its exit code.
    """
    if file is not None:
        show.write(run, file)
    if options.as_json:
        show.render(run, "json")
    elif options.quiet:
        click.echo(first_line(run))
    else:
        show.render(run, "terminal")
        click.echo(f"\nWritten: {file or folder / 'report.md'} (record: {folder / 'run.json'})")
    return run.exit_code


def _resolve(options: DiffOptions) -> Resolved:
    files = {"--baseline": options.baseline, "--candidate": options.candidate, "--cases": options.cases}
    if options.base is not None:
        _refuse(options, "with --base", ("model", "baseline_model", "candidate_model", "judge_model", "criteria"))
        _refuse(options, "with --base", ("baseline", "candidate", "cases", "scorers", "params", "margin"))
        return resolve_git_mode(
            (options.base, options.head), options.config, options.suites, everything=options.everything
        )
    if not any(files.values()):
        hint = "gate diff --base origin/main, or gate diff --baseline A --candidate B --cases C --model M"
        raise GateError("nothing to compare: name a base ref, or two prompt files and a case file", hint)
    _refuse(options, "without --base", ("head", "suites"))
    absent = [name for name, value in files.items() if not value]
    if absent:
        raise GateError(f"{' and '.join(absent)} missing", "file mode needs --baseline, --candidate and --cases")
    named = Files(str(options.baseline), str(options.candidate), str(options.cases))
    return resolve_files_mode(named, file_run(options))


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


def out_of(out: Path | None, default: Path = DEFAULT_OUT) -> tuple[Path, Path | None]:
    """The folder of the run, and the one file that was asked for, if any."""
    if out is None:
        return default, None
    if out.suffix in show.ENDINGS and not out.is_dir():
        return default, out
    if out.is_file():
        raise GateError(
            f"{out} is a file whose ending is no format", "name a folder, or a file that ends in .md, .html or .json"
        )
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
