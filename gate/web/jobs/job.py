"""A job: its order, its state as its process reports it, and remedies for its failures."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, TypeAlias

from pydantic import ConfigDict, TypeAdapter

from gate.record.run import RunRecord
from gate.record.sample import Sample
from gate.values import JsonValue, parsed
from gate.values import written as as_json

JobKind: TypeAlias = Literal["try", "check", "diff"]
CASE_CALLS = 200
RUN_CALLS = 5_000
"""Default limit of calls of a job; the budget of `gate.yaml` holds besides."""


@dataclass(frozen=True, slots=True)
class Order:
    """What a job is to do.

    Args:
        kind: try one case, check suites against their thresholds, or compare with a base.
        suites: names; empty for all. One for a trial.
        base: ref of a comparison.
        everything: compare suites that the change does not touch, too.
        case: of a trial, in JSON.
        label: name of that case, for people.
        model: of a trial, `provider:name` from one of the suites; empty for the suite's own.
        samples: of a trial.
        max_usd: None as in the configuration.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    kind: JobKind
    suites: tuple[str, ...] = ()
    base: str = ""
    everything: bool = False
    case: str = ""
    label: str = ""
    model: str = ""
    samples: int = 1
    max_calls: int = RUN_CALLS
    max_usd: float | None = None
    by: str = ""

    @property
    def about(self) -> str:
        """The order and its limits, in a line."""
        suites = ", ".join(self.suites) or "all suites"
        asked = [f"{self.label}, on {suites}" if self.kind == "try" else suites]
        asked[0] += f" against {self.base}" if self.base else ""
        asked += [self.model] if self.model else []
        limits = f"at most {self.max_calls:,} calls" + ("" if self.max_usd is None else f" and ${self.max_usd:,.2f}")
        return f"{self.kind}: {', '.join([*asked, limits])}"


_ORDER: TypeAdapter[Order] = TypeAdapter(Order)


def order_line(order: Order) -> bytes:
    """One line of JSON."""
    return as_json(_ORDER, order)


def parse_order(line: bytes) -> Order:
    """Read a line of `order_line`.

    Raises:
        ValueError: it is something else.
    """
    return _ORDER.validate_python(parsed(line))


Phase: TypeAlias = Literal["waiting", "running", "ending", "done", "failed", "cancelled"]
OVER: tuple[Phase, ...] = ("done", "failed", "cancelled")
NOTES, OPINIONS = 50, 500
"""Limits of what one job keeps."""
COUNTS = ("total", "done", "failed", "calls", "reused", "retried", "expected")


@dataclass(frozen=True, slots=True)
class SuiteProgress:
    """Progress of a suite, or of a slice.

    Args:
        done: samples taken.
        total: of a whole run; one that is decided earlier takes fewer.
    """

    name: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class JudgeOpinion:
    """A judge's result for one round.

    Args:
        sample, round: counted from 1.
        value: in [0, 1]; None without a score.
    """

    sample: int
    round: int
    scorer: str
    value: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class JobProgress:
    """Progress of a job.

    Args:
        total: samples to take; 0 while the files are read.
        failed: samples without an answer.
        reused: answers from the cache.
        retried: repeated requests.
        expected: estimated calls; 0 where only samples are counted.
        usd: dollars so far; None where unknown.
        suites: each suite, followed by its slices.
        doing: the current work where no sample is taken.
    """

    total: int = 0
    done: int = 0
    failed: int = 0
    calls: int = 0
    reused: int = 0
    retried: int = 0
    expected: int = 0
    usd: float | None = None
    suites: tuple[tuple[SuiteProgress, tuple[SuiteProgress, ...]], ...] = ()
    doing: str = ""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """The run of a job.

    Args:
        run: id in the store; None where there was nothing to evaluate.
        said: the outcome in a sentence.
    """

    run: int | None
    said: str


@dataclass(frozen=True, slots=True)
class TriedCase:
    """Result of a trial."""

    record: RunRecord
    samples: tuple[Sample, ...]


@dataclass(frozen=True, slots=True)
class JobFailure:
    """Why a job has no result.

    Args:
        mistakes: each with its remedy, which may be empty.
    """

    mistakes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Job:
    """A job at one moment.

    Args:
        id: random, unique among servers.
        started, ended: None before that.
        far: its progress.
        opinions: of judges on a tried case, in order.
        outcome: None until there is one.
        changes: number of events, so that a watcher sees whether there is anything new.
    """

    id: str
    order: Order
    queued: datetime
    phase: Phase = "waiting"
    started: datetime | None = None
    ended: datetime | None = None
    far: JobProgress = JobProgress()
    notes: tuple[str, ...] = ()
    opinions: tuple[JudgeOpinion, ...] = ()
    outcome: StoredRun | TriedCase | JobFailure | None = field(default=None)
    changes: int = 0

    @property
    def over(self) -> bool:
        """Has it ended?"""
        return self.phase in OVER


def job_after(job: Job, event: Mapping[str, JsonValue]) -> Job:
    """The job after an event of its process; an invalid one changes nothing.

    Args:
        event: from `gate.web.jobs.worker`.
    """
    match event:
        case {"is": "note", "text": str(text)}:
            kept = job.notes if text in job.notes or len(job.notes) >= NOTES else (*job.notes, text)
            return replace(job, notes=kept, changes=job.changes + 1)
        case {"is": "far", "far": dict(far)}:
            return replace(job, far=_far(far), changes=job.changes + 1)
        case {"is": "opinion", "scorer": str(scorer), "reason": str(reason)} if len(job.opinions) < OPINIONS:
            value = event.get("value")
            said = JudgeOpinion(
                _count(event.get("sample")),
                _count(event.get("round")),
                scorer,
                float(value) if isinstance(value, int | float) else None,
                reason,
            )
            return replace(job, opinions=(*job.opinions, said), changes=job.changes + 1)
        case {"is": "stored", "run": int() | None as run, "said": str(said)}:
            return replace(job, outcome=StoredRun(run, said), changes=job.changes + 1)
        case {"is": "failed", "mistakes": list(mistakes)}:
            pairs = tuple((str(one[0]), str(one[1])) for one in mistakes if isinstance(one, list) and len(one) == 2)
            return replace(job, outcome=JobFailure(pairs), changes=job.changes + 1)
    return job


def _far(values: Mapping[str, JsonValue]) -> JobProgress:
    usd, suites = values.get("usd"), values.get("suites")
    return JobProgress(
        **{
            name: _count(values.get(name))
            for name in ("total", "done", "failed", "calls", "reused", "retried", "expected")
        },
        usd=float(usd) if isinstance(usd, int | float) else None,
        suites=tuple(_suite(one) for one in suites) if isinstance(suites, list) else (),
        doing=str(values.get("doing") or ""),
    )


def _suite(value: JsonValue) -> tuple[SuiteProgress, tuple[SuiteProgress, ...]]:
    match value:
        case [first, list(slices)]:
            return _part(first), tuple(_part(one) for one in slices)
    return SuiteProgress("", 0, 0), ()


def _part(value: JsonValue) -> SuiteProgress:
    match value:
        case [str(name), done, total]:
            return SuiteProgress(name, _count(done), _count(total))
    return SuiteProgress("", 0, 0)


def _count(value: JsonValue) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


_REMEDIES = (
    (r"answered (429|529)\b", "The provider limits how often it may be asked: wait a minute, then try again."),
    (r"answered 5\d\d\b", "The provider has a fault of its own: try again later, or on another model."),
    (
        r"gave no answer within|the connection to .* failed",
        "The provider did not answer in time: try again, and see that this server can reach it.",
    ),
    (r"\bbudget\b|max_calls|max_usd", "A limit of this job or of gate.yaml was reached: raise it, then try again."),
)


def remedy(reason: str) -> str:
    """The remedy for a missing answer or score; empty where only the reason itself helps."""
    return next((said for pattern, said in _REMEDIES if re.search(pattern, reason)), "")
