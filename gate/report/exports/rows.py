"""Samples as flat rows, one JSON object a line, for data frames and SQL: `prompt-gate/row/1`."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import fsum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from gate.record.run import RunRecord
from gate.record.transcript import Cost, Dollars, Failed, Reply, Sample, Unscored, effort_of, masked
from gate.values import JsonValue

ShareField = Annotated[float | None, Field(ge=0, le=1)]
AmountField = Annotated[float | None, Field(ge=0)]
CountField = Annotated[int, Field(ge=0)]
TokensField = Annotated[int | None, Field(ge=0)]

_BY_NAME: dict[str, JsonValue] = {
    r"^slice\.": {"type": "string", "description": "The case's value of a dimension."},
    r"^score\.": {"type": ["number", "null"], "minimum": 0, "maximum": 1, "description": "The score of a scorer."},
    r"^reason\.": {"type": "string", "description": "The reason of a scorer, or why it has no score."},
}


class SampleRow(BaseModel):
    """A sample of a run as a flat row (gate report RUN --format jsonl)."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_serialization_defaults_required=True,
        json_schema_extra={"patternProperties": _BY_NAME, "additionalProperties": False},
    )

    schema_id: Literal["prompt-gate/row/1"] = Field("prompt-gate/row/1", alias="schema")
    run: str = Field(description="When the run was made.")
    commit: str | None
    suite: str
    case: str
    arm: Literal["baseline", "candidate"]
    index: CountField = Field(description="Of the sample, from 0 to samples - 1.")
    prompt: str | None = Field(description="Path of the arm's prompt; null for a suite that the record does not have.")
    model: str | None = Field(description="As configured, such as openai:gpt-5-mini.")
    score: ShareField
    unscored: str | None = Field(description="Why there is no score.")
    failure: str | None = Field(None, description="Why there is no answer.")
    attempts: CountField = Field(description="Requests sent for the answer.")
    text: str | None = Field(None, description="The answer; what looks like a key is masked.")
    thinking: str | None = Field(None, description="What the model wrote before its answer; it is not scored.")
    model_id: str | None = Field(None, description="As named in the reply.")
    stop_reason: str | None = None
    latency_s: AmountField = None
    cost_usd: AmountField = Field(None, description="Of the answer; null where a price is not known, or there is none.")
    input_tokens: TokensField = Field(None, description="Neither read from nor written to a prompt cache.")
    cache_read_tokens: TokensField = None
    cache_write_tokens: TokensField = None
    output_tokens: TokensField = None
    calls: CountField = Field(description="Calls of models for the answer in this run.")
    judge_calls: CountField
    judge_cost_usd: AmountField
    reused: bool = Field(description="The answer was cached, and not requested again.")
    warmup: bool = Field(description="The first call of its arm; it counts only for quality.")


@dataclass(slots=True)
class _Known:
    """What the record has of the cases and arms of one suite; `slices` are by case."""

    slices: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    models: dict[str, str] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)


def row_lines(run: RunRecord, samples: Iterable[Sample]) -> Iterator[str]:
    """One line for each sample, one in memory at a time; samples of a suite that the record lacks get no slices."""
    known = _known(run)
    for sample in samples:
        # ASCII, so that half of a surrogate pair stays what it is, and no reader takes a character for a line end.
        row = _row(run, known.get(sample.suite, _Known()), sample).model_dump(by_alias=True)
        safe = {masked(key): masked(value) if isinstance(value, str) else value for key, value in row.items()}
        yield json.dumps(safe) + "\n"


def row_schema() -> dict[str, JsonValue]:
    """The JSON Schema of one line; every key is there."""
    schema = SampleRow.model_json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _known(run: RunRecord) -> dict[str, _Known]:
    found = {}
    for suite in run.suites:
        arms = {"baseline": suite.baseline, "candidate": suite.candidate}
        found[suite.name] = _Known(
            {case.id: case.slices for case in suite.cases},
            {name: arm.model for name, arm in arms.items()},
            {name: arm.path for name, arm in arms.items()},
        )
    for new in run.new:
        cases = {case.id: case.slices for case in new.cases}
        found[new.name] = _Known(cases, {"candidate": new.candidate.model}, {"candidate": new.candidate.path})
    return found


def _row(run: RunRecord, known: _Known, sample: Sample) -> SampleRow:
    arm, score = sample.arm.value, sample.score
    judges = [price for one in sample.scores if (price := _dollars(one.cost)) is not None]
    by_name: dict[str, JsonValue] = {f"slice.{name}": value for name, value in _slices(known, sample).items()}
    for one in sample.scores:
        by_name[f"score.{one.scorer}"] = None if isinstance(one.value, Unscored) else one.value
        by_name[f"reason.{one.scorer}"] = one.value.reason if isinstance(one.value, Unscored) else one.reason
    return SampleRow.model_validate(
        {
            "run": run.created,
            "commit": run.commit,
            "suite": sample.suite,
            "case": sample.case_id,
            "arm": arm,
            "index": sample.index,
            "prompt": known.paths.get(arm),
            "model": known.models.get(arm),
            "score": None if isinstance(score, Unscored) else score,
            "unscored": score.reason if isinstance(score, Unscored) else None,
            "attempts": sample.reply.attempts,
            "calls": effort_of(sample.reply).calls,
            "judge_calls": sum(one.calls for one in sample.scores),
            "judge_cost_usd": fsum(judges) if judges else None,
            "warmup": sample.warmup,
            **_replied(sample.reply),
            **by_name,
        }
    )


def _slices(known: _Known, sample: Sample) -> Mapping[str, str]:
    return known.slices.get(sample.case_id, {})


def _replied(reply: Reply | Failed) -> dict[str, JsonValue]:
    if isinstance(reply, Failed):
        return {"failure": reply.reason, "reused": False}
    return {
        "text": reply.text,
        "thinking": reply.thinking or None,
        "model_id": reply.model_id,
        "stop_reason": reply.stop_reason,
        "latency_s": reply.latency_s,
        "cost_usd": _dollars(reply.cost),
        "input_tokens": reply.usage.input_tokens,
        "cache_read_tokens": reply.usage.cache_read_tokens,
        "cache_write_tokens": reply.usage.cache_write_tokens,
        "output_tokens": reply.usage.output_tokens,
        "reused": reply.origin.reused,
    }


def _dollars(cost: Cost | None) -> float | None:
    return cost.amount if isinstance(cost, Dollars) else None
