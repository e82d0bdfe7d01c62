"""A generation as JSON, with its JSON Schema; schema `prompt-gate/generation/1`."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from gate.config.specification import Discarded, GeneratedTest, Scenario, Specification
from gate.record.secrets import masked
from gate.record.usage import Dollars, Effort
from gate.report.sheets.generation import GenerationOutcome
from gate.stats.arrays import Undefined
from gate.testgen.cases.diversity import Lengths
from gate.testgen.evaluation.metrics import OutcomeRow
from gate.testgen.forecast import GenerationForecast
from gate.values import Amount, Count, JsonValue, RecordPart, Share

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
    """How different the tests are from each other; see `gate.testgen.cases.diversity.Diversity`."""

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
    evaluation: list[OutcomeRow] | None = Field(default=None, exclude_if=lambda rows: rows is None)


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


def generation_json(found: GenerationOutcome, effort: Effort, rows: Sequence[OutcomeRow] | None = None) -> str:
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


def plan_json(prompt: str, found: GenerationForecast) -> str:
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


def printable_json(document: Mapping[str, JsonValue]) -> str:
    """A document that neither a terminal nor a runner's log obeys, with what looks like a key masked.

    Args:
        document: what to print; a reader of the JSON gets the same texts, apart from keys.
    """
    text = json.dumps(_masked(dict(document)), ensure_ascii=False, indent=2)
    text = "".join(char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text)
    return text.replace("##[", "#\\u0023[").replace("::", ":\\u003a")


def _masked(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {key: _masked(inner) for key, inner in value.items()}
    return [_masked(inner) for inner in value] if isinstance(value, list) else value
