"""From the options of `gate generate` to an exit code."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast, get_args

import click
from rich.console import Console

from gate.bootstrap.ask_models import FOLDER, Telling, Terms
from gate.bootstrap.generating import Evaluation, Wanted, carry, foresee, keep, keep_for_reading, read
from gate.bootstrap.memory import Remembering
from gate.cli.bar import Bar
from gate.cli.diff_run import key_values
from gate.cli.progress import Lines, Silent
from gate.domain.model import ModelRef
from gate.domain.suite import Budget
from gate.errors import GateError
from gate.flows.generate import Generated
from gate.flows.generate_files import SPEC, Place, new_files, stem
from gate.inputs.models import parse_model, parse_params
from gate.inputs.problems import did_you_mean, quoted
from gate.report import generation, generation_json, generation_matrix, heatmap, sheet_markdown, sheet_terminal
from gate.report.escape import terminal
from gate.settings.services import Settings
from gate.testgen.compile.compile import told
from gate.testgen.compliance import judge_notes
from gate.testgen.effort import LEVELS, EffortSettings, Level, Stage

SMALL = "A small local model gives poor rules and tests: read them with more care than those of a large one."


@dataclass(frozen=True, slots=True)
class GenerateOptions:
    """The options of `gate generate`, as typed."""

    prompt: str
    model: str | None
    judge_model: str | None
    reference_model: str | None
    params: tuple[str, ...]
    effort: Level
    tests_per_rule: int | None
    rules_per_call: int | None
    max_rules: int | None
    expansions: int | None
    turns: int | None
    documents: bool | None
    validate: bool | None
    ground: bool | None
    review: bool | None
    expected: bool | None
    instructions: tuple[str, ...]
    out: Path | None
    spec: Path | None
    form: str
    write_back: bool
    plan: bool
    max_calls: int | None
    max_usd: float | None
    concurrency: int
    no_cache: bool
    refresh: bool
    evaluate: bool
    models: str | None
    control: bool
    input_aware: bool
    as_json: bool
    quiet: bool


def execute(options: GenerateOptions) -> int:
    """Read, foresee, generate, keep, show.

    Returns:
        0; mistakes and gaps are errors with their own exit codes.
    """
    wanted, settings = _wanted(options), Settings.from_environ()
    found = read(wanted)
    foreseen = generation.plan_sheet(options.prompt, foresee(wanted, found, settings))
    if options.plan:
        sheet_terminal.render(foreseen, _screen())
        return 0
    if not options.quiet:
        _say(foreseen.headline)
    made, evaluated = carry(wanted, found, settings, _telling(options))
    files = new_files(made, found.job.given, Place(_folder(options), options.form), lambda path: path.exists())
    keep(files)
    outcome = _outcome(options, wanted, made, [f"{file.path}: {file.what}" for file in files])
    sheet = generation.summary_sheet(outcome)
    document = generation_json.dump(outcome, made.effort)
    keep_for_reading({"summary.md": sheet_markdown.render(sheet), "generation.json": document})
    if options.as_json:
        click.echo(document, nl=False)
    else:
        sheet_terminal.render(sheet, _screen(), brief=options.quiet)
    if evaluated is not None:
        figures = generation_matrix.figures_of(evaluated.rows, evaluated.tests, made.specification)
        told_too = (*outcome.warnings, *evaluated.notes)
        _show_figures(options, replace(figures, agreement=evaluated.agreement, warnings=told_too))
    return 0


def _show_figures(options: GenerateOptions, figures: generation_matrix.Figures) -> None:
    sheet = generation_matrix.sheet(figures)
    pictures = {f"{one.source}.svg": heatmap.render(one) for one in figures.matrices}
    keep_for_reading({"evaluation.md": sheet_markdown.render(sheet), **pictures})
    if not options.as_json:
        click.echo()
        sheet_terminal.render(sheet, _screen(), brief=options.quiet)
        click.echo(f"\nWritten: {FOLDER}/evaluation.md, {', '.join(pictures)}")


def _wanted(options: GenerateOptions) -> Wanted:
    model = _model(options)
    return Wanted(
        prompt=options.prompt,
        spec=options.spec or _folder(options) / SPEC,
        generator=model,
        judge=parse_model(options.judge_model) if options.judge_model else model,
        reference=parse_model(options.reference_model) if options.reference_model else model,
        params=parse_params(key_values(options.params), "--param"),
        settings=_settings(options),
        terms=terms_of(options),
        evaluation=_evaluation(options),
    )


def _evaluation(options: GenerateOptions) -> Evaluation | None:
    if not options.evaluate:
        for flag, given in (("--models", options.models), ("--input-aware", options.input_aware)):
            if given:
                raise GateError(f"{flag} has no meaning without --evaluate", "add --evaluate")
        return None
    if not options.models:
        raise GateError("which models are to be evaluated?", "--models openai:gpt-5-mini,anthropic:claude-haiku-4-5")
    models = tuple(dict.fromkeys(parse_model(name.strip()) for name in options.models.split(",")))
    return Evaluation(models, options.control, options.input_aware)


def _model(options: GenerateOptions) -> ModelRef:
    if options.model:
        return parse_model(options.model)
    hint = "--model openai:gpt-5-mini, anthropic:claude-haiku-4-5, or local:gemma3-270m (small, its rules are poor)"
    raise GateError("which model is to read the prompt?", hint)


def _settings(options: GenerateOptions) -> EffortSettings:
    return LEVELS[options.effort].with_settings(
        tests_per_rule=options.tests_per_rule,
        rules_per_call=options.rules_per_call,
        max_rules=options.max_rules,
        expansions=options.expansions,
        turns=options.turns,
        documents=options.documents,
        validate=options.validate,
        ground=options.ground,
        review=options.review,
        expected=options.expected,
        instructions=_instructions(options.instructions),
    )


def _instructions(given: tuple[str, ...]) -> dict[Stage, str]:
    found: dict[Stage, str] = {}
    for one in given:
        stage, equals, text = one.partition("=")
        if not equals or not text.strip():
            raise GateError(
                f"--instructions {quoted(one)} names no text", 'write --instructions tests="Use long inputs"'
            )
        if stage not in get_args(Stage):
            hint = did_you_mean(stage, get_args(Stage))
            raise GateError(f"--instructions: there is no stage {quoted(stage)}", hint)
        found[cast(Stage, stage)] = text.strip()
    return found


def terms_of(options: GenerateOptions) -> Terms:
    """Limits of all that the command does."""
    if options.no_cache and options.refresh:
        raise GateError("--no-cache and --refresh do not go together", "--refresh alone asks for everything anew")
    budget = Budget()
    if options.max_calls is not None:
        budget = budget.lowered("max_calls", options.max_calls, "--max-calls")
    if options.max_usd is not None:
        budget = budget.lowered("max_usd", options.max_usd, "--max-usd")
    remember = Remembering(cache=not options.no_cache, refresh=options.refresh)
    return Terms(budget, options.concurrency, remember)


def _folder(options: GenerateOptions) -> Path:
    return options.out or Path("evals") / stem(options.prompt)


def _outcome(options: GenerateOptions, wanted: Wanted, made: Generated, written: list[str]) -> generation.Outcome:
    warnings = judge_notes(wanted.judge, wanted.generator, wanted.evaluation.models if wanted.evaluation else ())
    if wanted.generator.provider == "local":
        warnings.append(SMALL)
    return generation.Outcome(
        prompt=options.prompt,
        specification=made.specification,
        compiled=[(one, told(one)) for one in made.compiled],
        tests=made.tests,
        discarded=made.discarded,
        notes=made.notes,
        warnings=warnings,
        written=written,
        diversity=generation.diversity_told(made.diversity),
        spent=generation.spent_told(made.effort),
    )


def _telling(options: GenerateOptions) -> Telling:
    console = Console(stderr=True)
    bar: Silent | Bar | Lines = Silent()
    if not options.quiet:
        bar = Bar(console, "Asking") if console.is_terminal else Lines(_say, doing="asking", things="questions, about")
    say = (lambda line: None) if options.quiet else _say
    return Telling(bar, bar, say)


def _screen() -> Console:
    return Console(file=sys.stdout, highlight=False)


def _say(line: str) -> None:
    print(terminal(line), file=sys.stderr, flush=True)
