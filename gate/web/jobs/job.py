"""A job: its order, the events that its process reports, and its state after each."""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Literal, TypeAlias

from pydantic import ConfigDict, Field, NonNegativeInt, TypeAdapter

from gate.errors import GateError, InputErrors
from gate.record.run import RunRecord
from gate.record.transcript import Sample

JobKind: TypeAlias = Literal["try", "check", "diff"]
CASE_CALLS = 200
RUN_CALLS = 5_000
"""Default limit of calls of a job; the budget of `gate.yaml` holds besides."""


@dataclass(frozen=True, slots=True)
class JobRequest:
    """What a job is to do.

    Args:
        suites: names; empty for all. One for a trial.
        everything: compare suites that the change does not touch, too.
        case: of a trial, in JSON.
        model: of a trial, `provider:name` from one of the suites; empty for the suite's own.
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


ORDERS: TypeAdapter[JobRequest] = TypeAdapter(JobRequest)


@dataclass(frozen=True, slots=True)
class Note:
    """A remark on what is evaluated."""

    text: str
    event: Literal["note"] = "note"


@dataclass(frozen=True, slots=True)
class SuiteProgress:
    """Samples taken of a suite or a slice; a suite that is decided early takes fewer than its total."""

    name: str
    done: NonNegativeInt
    total: NonNegativeInt
    slices: tuple["SuiteProgress", ...] = ()


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
        doing: the current work where no sample is taken.
    """

    total: NonNegativeInt = 0
    done: NonNegativeInt = 0
    failed: int = 0
    calls: int = 0
    reused: int = 0
    retried: int = 0
    expected: int = 0
    usd: float | None = None
    suites: tuple[SuiteProgress, ...] = ()
    doing: str = ""
    event: Literal["progress"] = "progress"


@dataclass(frozen=True, slots=True)
class RoundOpinion:
    """A judge's score for one round, in [0, 1]; None without one. Sample and round are counted from 1."""

    sample: int
    round: int
    scorer: str
    value: float | None
    reason: str
    event: Literal["opinion"] = "opinion"


@dataclass(frozen=True, slots=True)
class StoredJobRun:
    """The id of a job's run in the store, None where there was nothing to evaluate; and the outcome in a sentence."""

    run: int | None
    said: str
    event: Literal["stored"] = "stored"


@dataclass(frozen=True, slots=True)
class JobFailure:
    """Why a job has no result: mistakes, each with its remedy, which may be empty."""

    mistakes: tuple[tuple[str, str], ...]
    event: Literal["failed"] = "failed"

    @classmethod
    def of(cls, error: GateError) -> "JobFailure":
        """The mistakes of an error."""
        if isinstance(error, InputErrors):
            return cls(tuple((f"{one.where}: {one.message}", one.hint) for one in error.shown))
        return cls(((error.message, error.hint),))


Event: TypeAlias = Note | JobProgress | RoundOpinion | StoredJobRun | JobFailure
EVENTS: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="event")])


@dataclass(frozen=True, slots=True)
class TriedCase:
    """Result of a trial."""

    record: RunRecord
    samples: tuple[Sample, ...]


Phase: TypeAlias = Literal["waiting", "running", "ending", "done", "failed", "cancelled"]
NOTES, OPINIONS = 50, 500
"""Limits of what one job keeps."""


@dataclass(frozen=True, slots=True)
class Job:
    """A job at one moment.

    Args:
        opinions: of judges on a tried case, in order.
        changes: number of events, so that a watcher sees whether there is anything new.
    """

    id: str
    order: JobRequest
    queued: datetime
    phase: Phase = "waiting"
    started: datetime | None = None
    ended: datetime | None = None
    progress: JobProgress = JobProgress()
    notes: tuple[str, ...] = ()
    opinions: tuple[RoundOpinion, ...] = ()
    outcome: StoredJobRun | TriedCase | JobFailure | None = None
    changes: int = 0

    @property
    def over(self) -> bool:
        """Has it ended?"""
        return self.phase in ("done", "failed", "cancelled")

    def after(self, event: Event) -> "Job":
        """The job after an event of its process."""
        job = replace(self, changes=self.changes + 1)
        match event:
            case Note(text) if text not in job.notes and len(job.notes) < NOTES:
                return replace(job, notes=(*job.notes, text))
            case JobProgress():
                return replace(job, progress=event)
            case RoundOpinion() if len(job.opinions) < OPINIONS:
                return replace(job, opinions=(*job.opinions, event))
            case StoredJobRun() | JobFailure():
                return replace(job, outcome=event)
        return self


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
