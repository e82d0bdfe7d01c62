"""A generation as JSON, for programs; schema `prompt-gate/generation/1`."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from gate.domain.jsonvalue import JsonValue
from gate.domain.promptspec import Discarded, GeneratedTest
from gate.domain.usage import Dollars, Effort
from gate.report.generation.report import Outcome
from gate.stats.undefined import Undefined
from gate.testgen.diversity import Diversity
from gate.testgen.forecast import GenerationForecast
from gate.testgen.outcomes import Row

SCHEMA = "prompt-gate/generation/1"
PLAN_SCHEMA = "prompt-gate/generation-plan/1"
FIGURES = ("distinct_1", "distinct_2", "nearest")
"""Shares among the figures of diversity."""


def dump(found: Outcome, effort: Effort, rows: Sequence[Row] | None = None) -> str:
    """The text of the document, with a line break at its end.

    Args:
        found: what came out.
        effort: what the generation took.
        rows: of an evaluation; None where nobody was evaluated.
    """
    document: dict[str, JsonValue] = {
        "schema": SCHEMA,
        "prompt": found.prompt,
        "specification": asdict(found.specification),
        "compiled": [{"rule": one.rule, "checks": said} for one, said in found.compiled],
        "tests": _tests(found.tests),
        "discarded": [_discarded(one) for one in found.discarded],
        "diversity": _diversity(found.diversity),
        "warnings": list(found.warnings),
        "notes": list(found.notes),
        "left_out": list(found.left_out),
        "written": list(found.written),
        "calls": {"made": effort.calls, "cached": effort.reused, "retried": effort.retries},
        "spent_usd": effort.cost.amount if isinstance(effort.cost, Dollars) else None,
    }
    if rows is not None:
        document["evaluation"] = [asdict(row) for row in rows]
    return _printable(document)


def plan(prompt: str, found: GenerationForecast) -> str:
    """What a generation would take, as JSON; null for what nobody knows the price of.

    Args:
        prompt: path.
        found: the forecast.
    """
    stages: list[JsonValue] = [
        {
            "stage": one.stage,
            "model": str(one.model),
            "calls": one.calls,
            "tokens": one.tokens,
            "usd": one.cost.amount if isinstance(one.cost, Dollars) else None,
        }
        for one in found.stages
    ]
    return _printable(
        {
            "schema": PLAN_SCHEMA,
            "prompt": prompt,
            "calls": found.calls,
            "tokens": found.tokens,
            "usd": found.dollars,
            "tests": found.tests,
            "rules": found.rules,
            "rules_assumed": found.assumed,
            "stages": stages,
        }
    )


def _printable(document: Mapping[str, JsonValue]) -> str:
    text = json.dumps(document, ensure_ascii=False, indent=2, default=dict)
    # It may be printed, and a terminal obeys more characters than JSON escapes.
    return "".join(char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text) + "\n"


def _tests(tests: Sequence[GeneratedTest]) -> list[JsonValue]:
    return [asdict(test) for test in tests]


def _diversity(found: Diversity) -> JsonValue:
    """Null for a figure that so few tests do not give."""
    figures = {name: getattr(found, name) for name in (*FIGURES, "lengths")}
    known = {name: None if isinstance(figure, Undefined) else figure for name, figure in figures.items()}
    known["lengths"] = None if known["lengths"] is None else asdict(known["lengths"])
    return {"tests": found.tests, **known, "scenarios": {str(name): share for name, share in found.scenarios.items()}}


def _discarded(one: Discarded) -> JsonValue:
    return {"why": one.why, **asdict(one.test)}
