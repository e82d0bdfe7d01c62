"""The options of `gate diff`, with names and types."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from gate.domain.suite import CorrectionName, MethodName

if TYPE_CHECKING:
    from gate.engine.plan import Share


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """The options of `gate diff`, as typed."""

    base: str | None
    head: str | None
    pushed: bool
    config: str
    suites: tuple[str, ...]
    everything: bool
    only: tuple[str, ...]
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
    early_stop: bool | None
    batch: bool
    wait: bool
    watch: bool
    seed: int | None
    shard: "Share | None"
    out: Path | None
    store: bool
    as_json: bool
    quiet: bool


class Overrides(Protocol):
    """What goes before the configuration, wherever it comes from."""

    @property
    def samples(self) -> int | None: ...
    @property
    def method(self) -> MethodName | None: ...
    @property
    def correction(self) -> CorrectionName | None: ...
    @property
    def breakage(self) -> bool | None: ...
    @property
    def fail_on(self) -> Literal["block", "hold"] | None: ...


class Compared(Protocol):
    """How two files are compared, wherever that comes from."""

    @property
    def scorers(self) -> Sequence[str]: ...
    @property
    def criteria(self) -> str | None: ...
    @property
    def model(self) -> str | None: ...
    @property
    def baseline_model(self) -> str | None: ...
    @property
    def candidate_model(self) -> str | None: ...
    @property
    def judge_model(self) -> str | None: ...
    @property
    def params(self) -> Sequence[str]: ...
    @property
    def margin(self) -> float | None: ...


class Telling(Protocol):
    """How a finished run is shown."""

    @property
    def as_json(self) -> bool: ...
    @property
    def quiet(self) -> bool: ...
