"""A generation and its plan as JSON, for programs; schemas `prompt-gate/generation/1` and `…/generation-plan/1`."""

import json
from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from gate.domain.jsonvalue import JsonValue
from gate.domain.promptspec import Discarded, GeneratedTest, Scenario, Specification
from gate.domain.ranges import Amount, Count, RecordPart, Share
from gate.domain.usage import Dollars, Effort
from gate.report.generation.report import Outcome
from gate.stats.undefined import Undefined
from gate.testgen.diversity import Lengths
from gate.testgen.forecast import GenerationForecast
from gate.testgen.outcomes import Row

SCHEMA = "prompt-gate/generation/1"

Value = TypeVar("Value")


def _null(figure: object) -> object:
    return None if isinstance(figure, Undefined) else figure


Known: TypeAlias = Annotated[Value | None, BeforeValidator(_null)]
"""Null where so few tests do not give the figure."""


class CheckedRule(RecordPart):
    """A rule that code checks, and how."""

    rule: str
    checks: str


class DiversityRecord(RecordPart):
    """How different the tests are from each other; see `gate.testgen.diversity.Diversity`."""

    model_config = ConfigDict(from_attributes=True)

    tests: Count
    distinct_1: Known[Share]
    distinct_2: Known[Share]
    nearest: Known[Share]
    lengths: Known[Lengths]
    scenarios: dict[Scenario, Share]


class CallsMade(RecordPart):
    """Of models, those of an evaluation among them."""

    made: Count
    cached: Count
    retried: Count


class Generation(RecordPart):
    """What gate generate keeps.

    Args:
        prompt: path.
        left_out: rules beyond those that were wanted.
        written: files, with what they are.
        spent_usd: null where a price is not known.
        evaluation: one row for each test and model; left out where nobody was evaluated.
    """

    schema_id: Literal["prompt-gate/generation/1"] = Field(default="prompt-gate/generation/1", alias="schema")
    prompt: str
    specification: Specification
    compiled: list[CheckedRule]
    tests: list[GeneratedTest]
    discarded: list[Discarded]
    diversity: DiversityRecord
    warnings: list[str]
    notes: list[str]
    left_out: list[str]
    written: list[str]
    calls: CallsMade
    spent_usd: Amount | None
    evaluation: list[Row] | None = Field(default=None, exclude_if=lambda rows: rows is None)


class PlannedStage(RecordPart):
    """One stage of a plan; null for what nobody knows the price of."""

    stage: str
    model: str
    calls: Count
    tokens: Count
    usd: Amount | None


class Plan(RecordPart):
    """What a generation would take."""

    schema_id: Literal["prompt-gate/generation-plan/1"] = Field(default="prompt-gate/generation-plan/1", alias="schema")
    prompt: str
    calls: Count
    tokens: Count
    usd: Amount | None
    tests: Count
    rules: Count
    rules_assumed: bool
    stages: list[PlannedStage]


def generation_schema() -> dict[str, JsonValue]:
    """The JSON Schema of `generation.json`."""
    schema = Generation.model_json_schema(mode="serialization")
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"https://prompt-gate.dev/schemas/{SCHEMA}",
    }
    return {**head, **schema, "title": "generation.json"}


def dump(found: Outcome, effort: Effort, rows: Sequence[Row] | None = None) -> str:
    """The text of the document, with a line break at its end.

    Args:
        found: what came out.
        effort: what the generation took.
        rows: of an evaluation; None where nobody was evaluated.
    """
    return _printable(
        Generation(
            prompt=found.prompt,
            specification=found.specification,
            compiled=[CheckedRule(rule=one.rule, checks=said) for one, said in found.compiled],
            tests=list(found.tests),
            discarded=list(found.discarded),
            diversity=DiversityRecord.model_validate(found.diversity),
            warnings=list(found.warnings),
            notes=list(found.notes),
            left_out=list(found.left_out),
            written=list(found.written),
            calls=CallsMade(made=effort.calls, cached=effort.reused, retried=effort.retries),
            spent_usd=effort.cost.amount if isinstance(effort.cost, Dollars) else None,
            evaluation=None if rows is None else list(rows),
        )
    )


def plan(prompt: str, found: GenerationForecast) -> str:
    """What a generation would take, as JSON.

    Args:
        prompt: path.
        found: the forecast.
    """
    stages = [
        PlannedStage(
            stage=one.stage,
            model=str(one.model),
            calls=one.calls,
            tokens=one.tokens,
            usd=one.cost.amount if isinstance(one.cost, Dollars) else None,
        )
        for one in found.stages
    ]
    return _printable(
        Plan(
            prompt=prompt,
            calls=found.calls,
            tokens=found.tokens,
            usd=found.dollars,
            tests=found.tests,
            rules=found.rules,
            rules_assumed=found.assumed,
            stages=stages,
        )
    )


def _printable(document: BaseModel) -> str:
    text = json.dumps(document.model_dump(mode="json", by_alias=True), ensure_ascii=False, indent=2)
    # It may be printed, and a terminal obeys more characters than JSON escapes.
    return "".join(char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text) + "\n"
