"""The options of `gate generate`, and what they mean."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

from rich.console import Console

from gate.bootstrap.ask_models import Telling, Terms
from gate.bootstrap.foreseeing import Evaluation, Wanted, own_folder
from gate.bootstrap.memory import Remembering
from gate.cli.bar import Bar
from gate.cli.key_values import key_values
from gate.cli.progress import Lines, Silent
from gate.domain.model import ModelRef
from gate.domain.suite import Budget
from gate.errors import GateError
from gate.flows.generate_files import SPEC, stem
from gate.inputs.models import parse_model, parse_params
from gate.inputs.problems import did_you_mean, quoted
from gate.report.escape import terminal
from gate.testgen.effort import LEVELS, EffortSettings, Level, Stage

SMALL = "A small local model gives poor rules and tests: read them with care; a larger model gives better ones."

_TOLD = tuple(stage for stage in get_args(Stage) if stage != "expected")
"""Stages that can be told more; expected outputs are asked for with the prompt itself."""


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
    diff: bool
    base: str
    baseline: str | None
    update: bool
    as_json: bool
    quiet: bool


def wanted_of(options: GenerateOptions) -> Wanted:
    """Models, settings and limits of a generation.

    Raises:
        GateError: one of them makes no sense.
    """
    model = model_of(options)
    return Wanted(
        prompt=options.prompt,
        spec=options.spec or folder_of(options) / SPEC,
        generator=model,
        judge=parse_model(options.judge_model, ()) if options.judge_model else model,
        reference=parse_model(options.reference_model, ()) if options.reference_model else model,
        params=parse_params(key_values(options.params), "--param"),
        settings=settings_of(options),
        terms=terms_of(options),
        evaluation=evaluation_of(options),
    )


def evaluation_of(options: GenerateOptions) -> Evaluation | None:
    """Models under test; None where nobody is evaluated."""
    if not options.evaluate:
        if options.models:
            raise GateError("--models has no meaning without --evaluate or --diff", "add one of them")
        if options.input_aware:
            raise GateError("--input-aware has no meaning without --evaluate", "add --evaluate")
        return None
    if not options.models:
        raise GateError("which models are to be evaluated?", "--models openai:gpt-5-mini,anthropic:claude-haiku-4-5")
    models = tuple(dict.fromkeys(parse_model(name.strip(), ()) for name in options.models.split(",")))
    return Evaluation(models, options.control, options.input_aware)


def model_of(options: GenerateOptions) -> ModelRef:
    """Who reads the prompt."""
    if options.model:
        return parse_model(options.model, ())
    hint = "--model openai:gpt-5-mini, anthropic:claude-haiku-4-5, or local:gemma3-270m (small, its rules are poor)"
    raise GateError("which model is to read the prompt?", hint)


def settings_of(options: GenerateOptions) -> EffortSettings:
    """How much work goes into it: what is set goes before the level."""
    return LEVELS[options.effort].with_settings(
        tests_per_rule=options.tests_per_rule,
        rules_per_call=options.rules_per_call,
        max_rules=options.max_rules,
        expansions=options.expansions,
        turns=options.turns,
        documents=options.documents,
        # Tests that are compared with control cases get the same check of their inputs.
        validate=options.evaluate or None if options.validate is None else options.validate,
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
        if stage not in _TOLD:
            hint = did_you_mean(stage, _TOLD)
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


def folder_of(options: GenerateOptions) -> Path:
    """Of the specification and the cases."""
    return options.out or own_folder(options.prompt) or Path("evals") / stem(options.prompt)


def telling_of(options: GenerateOptions) -> Telling:
    """A bar on a terminal, lines elsewhere, nothing where it is to be quiet."""
    console = Console(stderr=True)
    bar: Silent | Bar | Lines = Silent()
    if not options.quiet:
        bar = Bar(console, "Asking") if console.is_terminal else Lines(say, doing="asking", things="foreseen")
    return Telling(bar, bar, (lambda line: None) if options.quiet else say)


def screen() -> Console:
    """Standard output."""
    return Console(file=sys.stdout, highlight=False)


def say(line: str) -> None:
    """A line on standard error."""
    print(terminal(line), file=sys.stderr, flush=True)
