"""Recorded verdicts on real outputs of four models as suites and samples, one suite for each of five prompts."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypedDict

from gate.cases.case import Case
from gate.config.models import ModelRef, Params
from gate.config.scorer import ScorerSpec
from gate.messages import Message
from gate.prompts.version import Prompt, PromptVersion
from gate.record.transcript import ArmName, Reply, Sample, Score, Unpriced, Unscored, Usage
from gate.suite import Arm, Exam, Suite
from gate.values import digest

DATA = Path(__file__).parent / "data" / "promptpex-verdicts.jsonl"
MODELS = ("gpt-4o-mini", "gemma2:9b", "qwen2.5:3b", "llama3.2:1b")
"""Strongest first."""
JUDGE = "gpt-4o, recorded"

_SCORE = {"ok": 1.0, "err": 0.0}


class Row(TypedDict):
    """One test: the prompt and rule that it tests, and the judge's verdict on the output of each model."""

    prompt: str
    test: str
    kind: Literal["rule", "inverse", "control"]
    rule: int | None
    verdicts: dict[str, Literal["ok", "err"] | None]


@dataclass(frozen=True, slots=True)
class Recorded:
    """One model compared with another.

    Args:
        suites: one for each prompt; slices by kind of test and by rule.
        samples: one for each case and arm.
    """

    suites: tuple[Suite, ...]
    samples: tuple[Sample, ...]


def read() -> tuple[Row, ...]:
    """The 381 tests with four verdicts each, in file order."""
    with DATA.open(encoding="utf-8") as lines:
        return tuple(json.loads(line) for line in lines)


def recorded(rows: tuple[Row, ...], baseline: str, candidate: str) -> Recorded:
    """The run that compares two models under every prompt.

    Args:
        rows: the rows from `read`.
        baseline, candidate: two of `MODELS`, or the same model twice.
    """
    suites, samples = [], []
    for prompt in dict.fromkeys(row["prompt"] for row in rows):
        own = [row for row in rows if row["prompt"] == prompt]
        suites.append(_suite(prompt, own, baseline, candidate))
        for row in own:
            samples.append(_sample(row, ArmName.BASELINE, baseline))
            samples.append(_sample(row, ArmName.CANDIDATE, candidate))
    return Recorded(tuple(suites), tuple(samples))


def _suite(prompt: str, rows: list[Row], baseline: str, candidate: str) -> Suite:
    # The answers were recorded with the same prompt: only the model differs.
    version = PromptVersion(f"{prompt}.md", "promptpex", None, Prompt((Message("system", prompt),)))
    arms = [Arm(version, ModelRef("replay", model), Params()) for model in (baseline, candidate)]
    cases = tuple(Case(row["test"], slices=_slices(row), where=DATA.name) for row in rows)
    scorers = (ScorerSpec("judge", JUDGE),)
    exam = Exam("promptpex", digest([row["test"] for row in rows]), cases, scorers, ("kind", "rule"))
    return Suite(prompt, arms[0], arms[1], exam, samples=1)


def _slices(row: Row) -> dict[str, str]:
    return {"kind": row["kind"]} | ({} if row["rule"] is None else {"rule": str(row["rule"])})


def _sample(row: Row, arm: ArmName, model: str) -> Sample:
    """A sample with the recorded verdict as its score and without text."""
    reply = Reply("", model, Usage(), Unpriced("n/a"), latency_s=None)
    sample = Sample(row["prompt"], row["test"], arm, 0, reply)
    verdict = row["verdicts"][model]
    if verdict is None:
        return replace(sample, score=Unscored(f"{JUDGE}: no verdict"))
    return replace(sample, scores=(Score(JUDGE, _SCORE[verdict]),), score=_SCORE[verdict])
