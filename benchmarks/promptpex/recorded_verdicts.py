"""Recorded verdicts of gpt-4o on real outputs of four models under five prompts, published with PromptPex."""

import json
from typing import Literal, TypedDict

from benchmarks.paths import DATA

VERDICTS = DATA / "promptpex-verdicts.jsonl"
MODELS = ("gpt-4o-mini", "gemma2:9b", "qwen2.5:3b", "llama3.2:1b")
"""Strongest first."""


class Row(TypedDict):
    """One test: the prompt and rule that it tests, and the judge's verdict on the output of each model."""

    prompt: str
    test: str
    kind: Literal["rule", "inverse", "control"]
    rule: int | None
    verdicts: dict[str, Literal["ok", "err"] | None]


def read() -> tuple[Row, ...]:
    """The 381 tests with four verdicts each, in file order."""
    with VERDICTS.open(encoding="utf-8") as lines:
        return tuple(json.loads(line) for line in lines)
