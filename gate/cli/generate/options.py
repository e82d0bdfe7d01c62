"""The options of `gate generate`, and what they mean."""

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

from rich.console import Console

from gate.app.generation.model_calls import EvaluationPlan, GenerationProgress, GenerationRequest
from gate.app.generation.tests import prompt_folder
from gate.cli.progress import run_progress
from gate.config.documents import did_you_mean, quoted
from gate.config.models import ModelRef, Params, parse_model, parse_params
from gate.config.policy import Budget
from gate.config.specification import Specification
from gate.errors import GateError
from gate.report.escape import terminal_text
from gate.testgen.effort import LEVELS, RULES, EffortSettings, Level, Stage
from gate.testgen.files import SPECIFICATION_FILE, SuiteFiles, SuiteModels, file_stem, suite_yaml
from gate.testgen.rules.compiler import compile_rules
from gate.values import JsonValue

SMALL = "A small local model gives poor rules and tests: read them with care; a larger model gives better ones."

_TOLD = tuple(stage for stage in get_args(Stage) if stage != "expected")
"""Stages that can be told more; expected outputs are asked for with the prompt itself."""
_PARAMS = tuple(Params.model_fields)


@dataclass(frozen=True, slots=True)
class GenerateOptions:
    """The options of `gate generate`, as typed."""

    prompt: str
    model: str | None
    judge_model: str | None
    effort: Level
    settings: tuple[str, ...]
    instructions: tuple[str, ...]
    out: Path | None
    evaluate: str | None
    diff: bool
    base: str
    update: bool
    plan: bool
    max_calls: int | None
    max_usd: float | None
    as_json: bool
    quiet: bool

    @property
    def chosen(self) -> "ChosenSettings":
        """What `--set` says.

        Raises:
            GateError: a key that nothing has, or a value that it does not take.
        """
        return _chosen(self.settings)


@dataclass(frozen=True, slots=True)
class ChosenSettings:
    """Settings by name, each for what it belongs to.

    Args:
        write_back: add the tests to the test data of a `.prompt.yml`, too.
    """

    effort: Mapping[str, int | bool]
    evaluation: Mapping[str, bool]
    params: Params
    write_back: bool = False


_NUMBERS = {
    "tests_per_rule": (1, 50),
    "rules_per_call": (1, 100),
    "max_rules": (1, RULES),
    "expansions": (0, 5),
    "turns": (1, 20),
}
_FLAGS = ("documents", "validate", "ground", "review", "expected")
_EVALUATION = ("control", "input_aware")
_WRITE_BACK = "write_back"


def _chosen(texts: tuple[str, ...]) -> ChosenSettings:
    effort: dict[str, int | bool] = {}
    evaluation: dict[str, bool] = {}
    params: dict[str, JsonValue] = {}
    write_back = False
    for key, value in _key_values(texts).items():
        if key in _NUMBERS:
            low, high = _NUMBERS[key]
            if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
                raise GateError(f"--set {key} wants a whole number from {low} to {high}", f"write --set {key}={high}")
            effort[key] = value
        elif key in (*_FLAGS, *_EVALUATION, _WRITE_BACK):
            if not isinstance(value, bool):
                raise GateError(f"--set {key} wants true or false", f"write --set {key}=true")
            if key in _FLAGS:
                effort[key] = value
            elif key in _EVALUATION:
                evaluation[key] = value
            else:
                write_back = value
        elif key in _PARAMS:
            params[key] = value
        else:
            known = (*_NUMBERS, *_FLAGS, *_EVALUATION, _WRITE_BACK, *_PARAMS)
            raise GateError(f"--set: there is no setting {quoted(key)}", did_you_mean(key, known))
    return ChosenSettings(effort, evaluation, parse_params(params, "--set"), write_back)


def _key_values(texts: tuple[str, ...]) -> dict[str, JsonValue]:
    """`turns=3` and the like; what is no JSON is text."""
    values: dict[str, JsonValue] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise GateError(f"--set {text} has no value", "write --set turns=3")
        try:
            values[key.strip()] = json.loads(value)
        except ValueError:
            values[key.strip()] = value
    return values


def generation_request(options: GenerateOptions) -> GenerationRequest:
    """Models, settings and limits of a generation, or with `--diff` of a comparison.

    Raises:
        GateError: one of them makes no sense.
    """
    model = model_of(options)
    answering = tested_by(options) if options.diff else ()
    if len(answering) > 1:
        raise GateError("with --diff one model answers tests, for both versions", "name one with --evaluate")
    return GenerationRequest(
        prompt=options.prompt,
        spec=folder_of(options) / SPECIFICATION_FILE,
        generator=model,
        judge=parse_model(options.judge_model, ()) if options.judge_model else model,
        params=options.chosen.params,
        settings=settings_of(options),
        budget=Budget().by_options(options.max_calls, options.max_usd),
        evaluation=None if options.diff else _evaluation(options),
        base=options.base,
        answering=answering[0] if answering else None,
        update=options.update,
    )


def _evaluation(options: GenerateOptions) -> EvaluationPlan | None:
    """Models under test; None where nobody is evaluated."""
    given = options.chosen.evaluation
    if not options.evaluate:
        if given:
            raise GateError(f"--set {next(iter(given))} has no meaning without --evaluate", "add --evaluate")
        return None
    return EvaluationPlan(tested_by(options), given.get("control", True), given.get("input_aware", False))


def tested_by(options: GenerateOptions) -> tuple[ModelRef, ...]:
    """The models that `--evaluate` names, each once."""
    names = [name.strip() for name in (options.evaluate or "").split(",")]
    return tuple(dict.fromkeys(parse_model(name, ()) for name in names if name))


def model_of(options: GenerateOptions) -> ModelRef:
    """Who reads the prompt."""
    if options.model:
        return parse_model(options.model, ())
    hint = "--model openai:gpt-5-mini, anthropic:claude-haiku-4-5, or local:gemma3-270m (small, its rules are poor)"
    raise GateError("which model is to read the prompt?", hint)


def settings_of(options: GenerateOptions) -> EffortSettings:
    """How much work goes into it: what is set goes before the level."""
    own = dict(options.chosen.effort)
    if options.evaluate and not options.diff:
        # Tests that are compared with control cases get the same check of their inputs.
        own.setdefault("validate", True)
    return LEVELS[options.effort].with_settings(instructions=_instructions(options.instructions), **own)


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


def folder_of(options: GenerateOptions) -> Path:
    """Of the specification and the cases."""
    return options.out or prompt_folder(options.prompt) or Path("evals") / file_stem(options.prompt)


def generation_progress(options: GenerateOptions) -> GenerationProgress:
    """A bar on a terminal, lines elsewhere, nothing where it is to be quiet."""
    bar = run_progress(quiet=options.quiet, doing="asking", things="foreseen")
    return GenerationProgress(bar, bar, (lambda line: None) if options.quiet else print_error_line)


def screen() -> Console:
    """Standard output."""
    return Console(file=sys.stdout, highlight=False)


def print_error_line(line: str) -> None:
    """A line on standard error."""
    print(terminal_text(line), file=sys.stderr, flush=True)


def suite_of(prompt: str, cases: Path, specification: Specification, models: SuiteModels) -> str:
    """A configuration in the folder that the command runs in; empty where none can name the files."""
    files = SuiteFiles(file_stem(prompt), _from_here(Path(prompt)), _from_here(cases))
    return suite_yaml(files, models, specification.rules, compile_rules(specification.rules))


def _from_here(path: Path) -> Path:
    here, whole = Path.cwd(), Path(os.path.abspath(path))
    return whole.relative_to(here) if whole.is_relative_to(here) else whole
