"""A generation as JSON, for programs; schema `prompt-gate/generation/1`."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from gate.domain.jsonvalue import JsonValue
from gate.domain.promptspec import Discarded, GeneratedTest
from gate.domain.usage import Dollars, Effort
from gate.report.generation import Outcome
from gate.testgen.outcomes import Row

SCHEMA = "prompt-gate/generation/1"


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
        "warnings": list(found.warnings),
        "notes": list(found.notes),
        "written": list(found.written),
        "calls": {"made": effort.calls, "cached": effort.reused, "retried": effort.retries},
        "spent_usd": effort.cost.amount if isinstance(effort.cost, Dollars) else None,
    }
    if rows is not None:
        document["evaluation"] = [asdict(row) for row in rows]
    text = json.dumps(document, ensure_ascii=False, indent=2, default=dict)
    # It may be printed, and a terminal obeys more characters than JSON escapes.
    return "".join(char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text) + "\n"


def _tests(tests: Sequence[GeneratedTest]) -> list[JsonValue]:
    return [asdict(test) for test in tests]


def _discarded(one: Discarded) -> JsonValue:
    return {"why": one.why, **asdict(one.test)}
