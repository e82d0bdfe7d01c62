"""The options of `gate generate`."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import cast, get_args

from pydantic import Field

from gate.cli.output import print_error_line, run_progress
from gate.config.documents import Document, did_you_mean, quoted
from gate.config.models import ModelRef, Params, parse_model
from gate.config.policy import Budget
from gate.config.validation import validate
from gate.errors import GateError
from gate.generation.model_calls import GenerationProgress
from gate.generation.tests import GenerationRequest, prompt_folder
from gate.testgen.effort import LEVELS, RULES, EffortSettings, Level, Stage
from gate.testgen.files import SPECIFICATION_FILE, file_stem
from gate.values import JsonValue

_INSTRUCTED_STAGES = tuple(stage for stage in get_args(Stage) if stage != "expected")
"""Stages that accept instructions; expected outputs come from the prompt itself."""


class ChosenSettings(Params):
    """The keys of `--set`: parameters of the generator, and single settings of the effort."""

    tests_per_rule: int = Field(3, ge=1, le=50)
    rules_per_call: int = Field(1, ge=1, le=100)
    max_rules: int = Field(RULES, ge=1, le=RULES)
    expansions: int = Field(0, ge=0, le=5)
    turns: int = Field(1, ge=1, le=20)
    documents: bool = False
    validate_: bool = Field(True, alias="validate")
    ground: bool = True
    review: bool = True
    expected: bool = False
    control: bool = True
    input_aware: bool = False
    write_back: bool = False

    @property
    def given(self) -> dict[str, int | bool]:
        """All that was set but the parameters, by the names of `--set`."""
        own = type(self).model_fields.keys() - Params.model_fields.keys()
        return {name.strip("_"): getattr(self, name) for name in sorted(own & self.model_fields_set)}

    @property
    def params(self) -> Params:
        """The parameters alone."""
        return Params(**{name: getattr(self, name) for name in Params.model_fields.keys() & self.model_fields_set})


@dataclass(frozen=True)
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

    @cached_property
    def chosen(self) -> ChosenSettings:
        """What `--set` says; what is no JSON is text.

        Raises:
            InputErrors: a key that nothing has, or a value that it does not take.
        """
        values: dict[str, JsonValue] = {}
        for text in self.settings:
            key, equals, value = text.partition("=")
            if not equals:
                raise GateError(f"--set {text} has no value", "write --set turns=3")
            try:
                values[key.strip()] = json.loads(value)
            except ValueError:
                values[key.strip()] = value
        return validate(ChosenSettings, Document("--set", dict(values)))

    @cached_property
    def stage_instructions(self) -> dict[Stage, str]:
        """The texts of `--instructions`, by stage.

        Raises:
            GateError: no text, or no such stage.
        """
        texts: dict[Stage, str] = {}
        for instruction in self.instructions:
            stage, equals, text = instruction.partition("=")
            if not equals or not text.strip():
                hint = 'write --instructions tests="Use long inputs"'
                raise GateError(f"--instructions {quoted(instruction)} has no text", hint)
            if stage not in _INSTRUCTED_STAGES:
                raise GateError(
                    f"--instructions: there is no stage {quoted(stage)}", did_you_mean(stage, _INSTRUCTED_STAGES)
                )
            texts[cast("Stage", stage)] = text.strip()
        return texts

    @cached_property
    def folder(self) -> Path:
        """The folder of the specification and the cases."""
        return self.out or prompt_folder(self.prompt) or Path("evals") / file_stem(self.prompt)

    @property
    def tested(self) -> tuple[ModelRef, ...]:
        """The models that `--evaluate` names, each once."""
        names = [name.strip() for name in (self.evaluate or "").split(",")]
        return tuple(dict.fromkeys(parse_model(name, ()) for name in names if name))


def generation_request(options: GenerateOptions) -> GenerationRequest:
    """Models, settings and limit of one command.

    Raises:
        InputErrors, GateError: one of them is invalid.
    """
    if not options.model:
        hint = (
            "add --model openai:gpt-5-mini, anthropic:claude-haiku-4-5, or local:gemma3-270m (small, with poor results)"
        )
        raise GateError("--model is missing", hint)
    model, chosen = parse_model(options.model, ()), options.chosen
    for name in chosen.given.keys() & {"control", "input_aware"}:
        if not options.evaluate:
            raise GateError(f"--set {name} needs --evaluate", "add --evaluate")
    return GenerationRequest(
        prompt=options.prompt,
        spec=options.folder / SPECIFICATION_FILE,
        generator=model,
        judge=parse_model(options.judge_model, ()) if options.judge_model else model,
        params=chosen.params,
        settings=_effort(options),
        budget=Budget().by_options(options.max_calls, options.max_usd),
        tested=options.tested,
        control=chosen.control,
        sees_input=chosen.input_aware,
        base=options.base,
        update=options.update,
        write_back=chosen.write_back,
    )


def _effort(options: GenerateOptions) -> EffortSettings:
    """The level of effort with the settings of `--set`."""
    given = {name: value for name, value in options.chosen.given.items() if name in EffortSettings.__dataclass_fields__}
    if options.evaluate and not options.diff:
        # Tests that are compared with control cases get the same check of their inputs.
        given.setdefault("validate", True)
    return LEVELS[options.effort].with_settings(instructions=options.stage_instructions, **given)


def generation_progress(options: GenerateOptions) -> GenerationProgress:
    """A bar on a terminal, lines elsewhere, nothing with --quiet."""
    bar = run_progress(quiet=options.quiet, doing="generating", things="calls at most")
    return GenerationProgress(bar, bar, (lambda line: None) if options.quiet else print_error_line)
