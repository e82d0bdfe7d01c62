"""A job: its order, the events of its process, and its state after each event."""

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
"""Default limit of calls; the budget of `gate.yaml` applies as well."""


@dataclass(frozen=True, slots=True)
class JobRequest:
    """What a job does.

    Args:
        suites: empty for all; exactly one for a trial.
        everything: also compare suites that the change does not touch.
        case: for a trial, JSON.
        model: for a trial, `provider:name` of one of the suites; empty for the suite's model.
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
        """The order and its limits in one line."""
        suites = ", ".join(self.suites) or "all suites"
        asked = [f"{self.label}, on {suites}" if self.kind == "try" else suites]
        asked[0] += f" against {self.base}" if self.base else ""
        asked += [self.model] if self.model else []
        limits = f"at most {self.max_calls:,} calls" + ("" if self.max_usd is None else f" and ${self.max_usd:,.2f}")
        return f"{self.kind}: {', '.join([*asked, limits])}"


ORDERS: TypeAdapter[JobRequest] = TypeAdapter(JobRequest)


@dataclass(frozen=True, slots=True)
class Note:
    """A remark on the run."""

    text: str
    event: Literal["note"] = "note"


@dataclass(frozen=True, slots=True)
class SuiteProgress:
    """Samples of a suite or slice; a suite that stops early has fewer than its total."""

    name: str
    done: NonNegativeInt
    total: NonNegativeInt
    slices: tuple["SuiteProgress", ...] = ()


@dataclass(frozen=True, slots=True)
class JobProgress:
    """Progress of a job.

    Args:
        total: planned samples; 0 while files are read.
        failed: samples without an answer.
        reused: cached answers.
        retried: repeated requests.
        expected: estimated calls; 0 if only samples are counted.
        usd: dollars so far; None if unknown.
        doing: the current work between samples.
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
    """A judge's score for one round, in [0, 1]; None if there is none. Sample and round count from 1."""

    sample: int
    round: int
    scorer: str
    value: float | None
    reason: str
    event: Literal["opinion"] = "opinion"


@dataclass(frozen=True, slots=True)
class StoredJobRun:
    """A job's run in the store, None if there was nothing to evaluate; and a sentence on the outcome."""

    run: int | None
    said: str
    event: Literal["stored"] = "stored"


@dataclass(frozen=True, slots=True)
class JobFailure:
    """Why a job has no result: errors with hints, which may be empty."""

    errors: tuple[tuple[str, str], ...]
    event: Literal["failed"] = "failed"

    @classmethod
    def of(cls, error: GateError) -> "JobFailure":
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
"""Limits for one job."""


@dataclass(frozen=True, slots=True)
class Job:
    """A job at one moment.

    Args:
        opinions: judge scores of a tried case, in order.
        changes: number of events so far.
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
    (r"answered (429|529)\b", "The provider limits the rate of requests. Wait a minute, then try again."),
    (r"answered 5\d\d\b", "The provider had an error. Try again later, or use another model."),
    (
        r"gave no answer within|the connection to .* failed",
        "The provider did not answer in time. Try again, and check that this server can reach it.",
    ),
    (r"\bbudget\b|max_calls|max_usd", "A limit of this job or of gate.yaml was reached. Raise it, then try again."),
)


def remedy(reason: str) -> str:
    """A hint for a missing answer or score; empty if the reason is enough."""
    return next((said for pattern, said in _REMEDIES if re.search(pattern, reason)), "")
