"""How far a job is: what its process tells, event by event, becomes what people see."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, TypeAlias

from gate.domain.jsonvalue import JsonValue
from gate.domain.record import RunRecord
from gate.domain.sample import Sample
from gate.web.jobs.order import Order

Phase: TypeAlias = Literal["waiting", "running", "ending", "done", "failed", "cancelled"]
OVER: tuple[Phase, ...] = ("done", "failed", "cancelled")
NOTES, OPINIONS = 50, 500
"""Of one job that are kept."""
COUNTS = ("total", "done", "failed", "calls", "reused", "retried", "expected")


@dataclass(frozen=True, slots=True)
class Part:
    """A suite, or a slice of one.

    Args:
        name: for people.
        done: samples that were taken.
        total: that a whole run takes; one that is decided earlier takes fewer.
    """

    name: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a judge said of one round.

    Args:
        sample, round: counted from 1.
        scorer: its name.
        value: in [0, 1]; None where it gave no score.
        reason: why.
    """

    sample: int
    round: int
    scorer: str
    value: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class Far:
    """How far a job is.

    Args:
        total: samples to take; 0 while the files are read.
        done: that were taken.
        failed: among them, those without an answer.
        calls: that were answered.
        reused: answers that were known.
        retried: requests that were sent once more.
        expected: calls that it takes, about; 0 where samples alone are counted.
        usd: dollars so far; None where that is not known.
        suites: each suite, followed by its slices.
        doing: what is done where no sample is taken.
    """

    total: int = 0
    done: int = 0
    failed: int = 0
    calls: int = 0
    reused: int = 0
    retried: int = 0
    expected: int = 0
    usd: float | None = None
    suites: tuple[tuple[Part, tuple[Part, ...]], ...] = ()
    doing: str = ""


@dataclass(frozen=True, slots=True)
class Stored:
    """The run of a job.

    Args:
        run: number in the store; None where there was nothing to evaluate.
        said: the outcome in a sentence.
    """

    run: int | None
    said: str


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of a case that was tried.

    Args:
        record: of the check that it was.
        samples: with their texts.
    """

    record: RunRecord
    samples: tuple[Sample, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why nothing came of a job.

    Args:
        mistakes: each with its remedy, which may be empty.
    """

    mistakes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Job:
    """A job as it is at one moment.

    Args:
        id: that nobody guesses, and no other server gives.
        order: what it is to do.
        queued: when it was begun.
        phase: where it stands.
        started, ended: None before that.
        far: how far it is.
        notes: what the reader should know.
        opinions: of judges on a case that is tried, as they came.
        outcome: what came of it; None while nothing did.
        changes: counts what was told, so that a watcher sees whether there is anything new.
    """

    id: str
    order: Order
    queued: datetime
    phase: Phase = "waiting"
    started: datetime | None = None
    ended: datetime | None = None
    far: Far = Far()
    notes: tuple[str, ...] = ()
    opinions: tuple[Opinion, ...] = ()
    outcome: Stored | Tried | Failure | None = field(default=None)
    changes: int = 0

    @property
    def over(self) -> bool:
        """Nothing more will come of it."""
        return self.phase in OVER


def told(job: Job, event: Mapping[str, JsonValue]) -> Job:
    """The job after an event of its process; what is none changes nothing.

    Args:
        job: as it was.
        event: as `gate.web.jobs.worker` writes it.
    """
    match event:
        case {"is": "note", "text": str(text)}:
            kept = job.notes if text in job.notes or len(job.notes) >= NOTES else (*job.notes, text)
            return replace(job, notes=kept, changes=job.changes + 1)
        case {"is": "far", "far": dict(far)}:
            return replace(job, far=_far(far), changes=job.changes + 1)
        case {"is": "opinion", "scorer": str(scorer), "reason": str(reason)} if len(job.opinions) < OPINIONS:
            value = event.get("value")
            said = Opinion(
                _count(event.get("sample")),
                _count(event.get("round")),
                scorer,
                float(value) if isinstance(value, int | float) else None,
                reason,
            )
            return replace(job, opinions=(*job.opinions, said), changes=job.changes + 1)
        case {"is": "stored", "run": int() | None as run, "said": str(said)}:
            return replace(job, outcome=Stored(run, said), changes=job.changes + 1)
        case {"is": "failed", "mistakes": list(mistakes)}:
            pairs = tuple((str(one[0]), str(one[1])) for one in mistakes if isinstance(one, list) and len(one) == 2)
            return replace(job, outcome=Failure(pairs), changes=job.changes + 1)
    return job


def _far(values: Mapping[str, JsonValue]) -> Far:
    usd, suites = values.get("usd"), values.get("suites")
    return Far(
        **{
            name: _count(values.get(name))
            for name in ("total", "done", "failed", "calls", "reused", "retried", "expected")
        },
        usd=float(usd) if isinstance(usd, int | float) else None,
        suites=tuple(_suite(one) for one in suites) if isinstance(suites, list) else (),
        doing=str(values.get("doing") or ""),
    )


def _suite(value: JsonValue) -> tuple[Part, tuple[Part, ...]]:
    match value:
        case [first, list(slices)]:
            return _part(first), tuple(_part(one) for one in slices)
    return Part("", 0, 0), ()


def _part(value: JsonValue) -> Part:
    match value:
        case [str(name), done, total]:
            return Part(name, _count(done), _count(total))
    return Part("", 0, 0)


def _count(value: JsonValue) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
