"""Samples as flat rows, one JSON object a line, for data frames and SQL: `prompt-gate/row/1`."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from math import fsum
from typing import TypeAlias

from gate.domain.absence import Failed, Unscored
from gate.domain.jsonvalue import JsonValue
from gate.domain.record import RunRecord
from gate.domain.sample import Sample, effort_of
from gate.domain.usage import Cost, Dollars
from gate.report.secrets import masked

Row: TypeAlias = dict[str, JsonValue]


@dataclass(slots=True)
class _Known:
    """What the record says of the cases and arms of one suite.

    Args:
        slices: of each case.
        models: by arm, as they were asked for.
        paths: of the prompts, by arm.
    """

    slices: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    models: dict[str, str] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)


def lines(run: RunRecord, samples: Iterable[Sample]) -> Iterator[str]:
    """One line for each sample, in the order in which they come; one in memory at a time.

    Args:
        run: that they belong to.
        samples: of the run; those of a suite that the record does not have get no slices.
    """
    known = _known(run)
    for sample in samples:
        # ASCII, so that half of a surrogate pair stays what it is, and no reader takes a character for a line end.
        row = _row(run, known.get(sample.suite, _Known()), sample)
        safe = {masked(key): masked(value) if isinstance(value, str) else value for key, value in row.items()}
        yield json.dumps(safe) + "\n"


def row_schema() -> dict[str, JsonValue]:
    """The JSON Schema of one line."""
    text = resources.files("gate.report.outputs").joinpath("templates", "row.schema.json").read_text(encoding="utf-8")
    found: dict[str, JsonValue] = json.loads(text)
    return found


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


def _row(run: RunRecord, known: _Known, sample: Sample) -> Row:
    arm, score = sample.arm.value, sample.score
    row: Row = {
        "schema": "prompt-gate/row/1",
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
        **_replied(sample),
    }
    for dimension, value in known.slices.get(sample.case_id, {}).items():
        row[f"slice.{dimension}"] = value
    for one in sample.scores:
        row[f"score.{one.scorer}"] = None if isinstance(one.value, Unscored) else one.value
        row[f"reason.{one.scorer}"] = one.value.reason if isinstance(one.value, Unscored) else one.reason
    return row


def _replied(sample: Sample) -> Row:
    reply = sample.reply
    if isinstance(reply, Failed):
        empty = ("text", "model_id", "stop_reason", "latency_s", "cost_usd", *_TOKENS)
        return {"failure": reply.reason, "attempts": reply.attempts, **dict.fromkeys(empty), **_rest(sample)}
    usage = reply.usage
    return {
        "failure": None,
        "attempts": reply.attempts,
        "text": reply.text,
        "model_id": reply.model_id,
        "stop_reason": reply.stop_reason,
        "latency_s": reply.latency_s,
        "cost_usd": _dollars(reply.cost),
        "input_tokens": usage.input_tokens,
        "cache_read_tokens": usage.cache_read_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
        "output_tokens": usage.output_tokens,
        **_rest(sample),
    }


_TOKENS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")


def _rest(sample: Sample) -> Row:
    reused = not isinstance(sample.reply, Failed) and sample.reply.origin.reused
    judges = [price for one in sample.scores if (price := _dollars(one.cost)) is not None]
    return {
        "calls": effort_of(sample.reply).calls,
        "judge_calls": sum(one.calls for one in sample.scores),
        "judge_cost_usd": fsum(judges) if judges else None,
        "reused": reused,
        "warmup": sample.warmup,
    }


def _dollars(cost: Cost | None) -> float | None:
    return cost.amount if isinstance(cost, Dollars) else None
