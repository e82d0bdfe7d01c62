"""The options of `gate diff`, with names and types."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gate.domain.suite import CorrectionName, MethodName


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """The options of `gate diff`, as typed."""

    base: str | None
    head: str | None
    config: str
    suites: tuple[str, ...]
    everything: bool
    baseline: str | None
    candidate: str | None
    cases: str | None
    scorers: tuple[str, ...]
    criteria: str | None
    model: str | None
    baseline_model: str | None
    candidate_model: str | None
    judge_model: str | None
    params: tuple[str, ...]
    samples: int | None
    margin: float | None
    method: MethodName | None
    correction: CorrectionName | None
    breakage: bool | None
    fail_on: Literal["block", "hold"] | None
    concurrency: int
    no_cache: bool
    refresh: bool
    seed: int | None
    out: Path | None
    as_json: bool
    quiet: bool
