"""What is taken out of a run before a store keeps it, and what a store forgets of it later; figures stay."""

import json
from collections.abc import Callable, Mapping
from typing import TypeAlias

from gate.domain.jsonvalue import JsonValue

Clean: TypeAlias = Callable[[str], str]

_TEXTS = frozenset(
    {
        *("text", "failure", "unscored", "reason", "reasons", "missed", "error"),
        *("input", "expected", "said", "answer", "arguments", "result", "found", "rows"),
    }
)
"""Keys under which models and people speak, in `run.json` and in `samples.jsonl`."""
_OUTPUTS = frozenset({"baseline_outputs", "candidate_outputs", "outputs"})
_CASES = ("suites", "new")


def redacted(line: bytes, clean: Clean) -> bytes:
    """A record, or one line of `samples.jsonl`, with every text of a model or a case cleaned.

    Args:
        line: JSON, as the gate wrote it.
        clean: gives a text back without what shall not be kept.
    """
    return _dumped(_cleaned(json.loads(line), clean, inside=False))


def without_outputs(record: bytes) -> bytes:
    """A record without answers and reasons; what they were worth stays.

    Args:
        record: `run.json`, as the gate wrote it.
    """
    run = json.loads(record)
    for suite in (suite for name in _CASES for suite in run.get(name, ())):
        for case in suite["cases"]:
            case.update({name: [] for name in _OUTPUTS & case.keys()})
            for scorer in (case.get("check") or {}).get("scorers", ()):
                scorer["reason"] = ""
    return _dumped(run)


def _cleaned(value: JsonValue, clean: Clean, *, inside: bool) -> JsonValue:
    if isinstance(value, str):
        return clean(value) if inside else value
    if isinstance(value, list):
        return [_cleaned(one, clean, inside=inside) for one in value]
    if isinstance(value, Mapping):
        # Within an expected value of JSON, keys are those of the user.
        return {name: _cleaned(one, clean, inside=inside or name in _TEXTS) for name, one in value.items()}
    return value


def _dumped(value: JsonValue) -> bytes:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()
