"""A suite for generated tests, as a configuration that a person copies."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from gate.cases.yaml import lines_of
from gate.config.scorerspec import ScorerSpec
from gate.domain.jsonvalue import JsonValue
from gate.domain.model import ModelRef
from gate.domain.promptspec import CompiledRule, OutputRule
from gate.inputs.paths import complaint
from gate.testgen.frames import rendered

SLICES = ("rule", "kind")
JUDGE = "rules"
"""The name of the judge, which no rule has as its id."""
Origin: TypeAlias = Literal["prompt", "tested", "generator"]
_ORIGINS: dict[Origin, str] = {
    "prompt": "the model that the prompt's own file names",
    "tested": "the first of --evaluate",
    "generator": "a model that this command was given",
}
_OPENING = re.compile(r"\{(?=\{)")


@dataclass(frozen=True, slots=True)
class SuiteFiles:
    """What a suite is made of, by paths that begin where the configuration lies.

    Args:
        name: of the suite.
        prompt, cases: files.
    """

    name: str
    prompt: Path
    cases: Path


@dataclass(frozen=True, slots=True)
class SuiteModels:
    """Who works for a suite.

    Args:
        answering: the model under test.
        judge: holds answers against the rules that code cannot check.
        origin: where the model under test was taken from.
    """

    answering: ModelRef
    judge: ModelRef
    origin: Origin = "generator"


def suite_models(own: ModelRef | None, tested: Sequence[ModelRef], reference: ModelRef, judge: ModelRef) -> SuiteModels:
    """Who answers in a suite: the model that the prompt names, else the first that was tested, else the reference.

    Args:
        own: the model that the prompt's file names.
        tested: in an evaluation, as they were named.
        reference: the model for expected outputs, which is the generator where nothing else is said.
        judge: of the suite.
    """
    if own is not None:
        return SuiteModels(own, judge, "prompt")
    return SuiteModels(tested[0], judge, "tested") if tested else SuiteModels(reference, judge)


def suite_yaml(
    files: SuiteFiles, models: SuiteModels, rules: Sequence[OutputRule], compiled: Sequence[CompiledRule]
) -> str:
    """A `gate.yaml` with one suite: code checks the rules that it can, and a judge is told the others.

    Args:
        files: of the suite.
        models: of the suite.
        rules: all of them.
        compiled: those that code checks.

    Returns:
        The text; empty where a file lies in a place that no configuration can name.
    """
    paths = [path.as_posix() for path in (files.prompt, files.cases)]
    if any(map(complaint, paths)):
        return ""
    by_code = {one.rule for one in compiled}
    scorers: list[JsonValue] = [_entry(spec) for one in compiled for spec in one.scorers]
    if others := [untemplated(" ".join(rule.text.split())) for rule in rules if rule.id not in by_code]:
        criteria = rendered("suite_criteria", {"rules": others})
        told: dict[str, JsonValue] = {"name": JUDGE, "model": str(models.judge), "criteria": criteria}
        scorers.append({"judge": told})
    suite: dict[str, JsonValue] = {
        "name": files.name,
        "prompt": paths[0],
        "cases": paths[1],
        "model": str(models.answering),
        "slices": [*SLICES],
        "scorers": scorers,
    }
    lines = lines_of({"version": 1, "suites": [suite]})
    place = next(place for place, line in enumerate(lines) if line.startswith("    model: "))
    lines.insert(place, f"    # {_ORIGINS[models.origin]}: put here the one that answers in production")
    return "\n".join(lines) + "\n"


def untemplated(text: str) -> str:
    """A text that a scorer takes for no template, even if it speaks of one.

    Args:
        text: of a rule; hostile.
    """
    return _OPENING.sub("{ ", text)


def _entry(spec: ScorerSpec) -> JsonValue:
    """A scorer as a configuration has it."""
    options: dict[str, JsonValue] = {**spec.options, "name": spec.name, "required": spec.required}
    if spec.weight != 1:
        options["weight"] = spec.weight
    if spec.negate:
        options["negate"] = True
    return {spec.kind: options}
