"""The interface of a batch service: many requests at once, answered within a day at half the price."""

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from gate.calls.interface import Completion, Request
from gate.calls.untrusted import Malformed
from gate.config.models import Params
from gate.record.transcript import Failed

BatchPhase: TypeAlias = Literal["running", "ended", "failed", "expired", "cancelled"]

MOST_BYTES = 16 * 2**20
"""Bytes in one batch. The services take several times as much, but a batch is held in memory while it is sent."""

_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")


@dataclass(frozen=True, slots=True)
class BatchPlace:
    """Provider (`openai` or `anthropic`), base URL and model (the interface's name) that answer a batch."""

    provider: str
    address: str
    model: str

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}"


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """What one batch may hold, in requests and in bytes."""

    requests: int
    bytes: int = MOST_BYTES


@dataclass(frozen=True, slots=True)
class SubmissionMark:
    """How a submission is recognised when its id was never learnt.

    Args:
        digest: of the requests in the batch.
        submission: names all batches that were submitted together.
        since: when it began, in seconds since the epoch.
        count: requests in it.
        known: ids of batches known to be others.
    """

    digest: str
    submission: str
    since: float
    count: int
    known: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class FoundBatches:
    """Batches at the service that may be a lost submission.

    Args:
        ids: newest first; none when the submission never arrived.
        sure: the service keeps marks, and the mark is the submission's own.
        submission: what the mark says; empty where marks are not kept.
    """

    ids: tuple[str, ...] = ()
    sure: bool = False
    submission: str = ""


@dataclass(frozen=True, slots=True)
class BatchState:
    """How far a batch is.

    Args:
        phase: every phase but `running` is final, and may have left results.
        total, done, failed: requests, as the service counts them; 0 where it does not say.
        reason: why it failed, one line.
        ended_at: seconds since the epoch, or None.
    """

    phase: BatchPhase
    total: int = 0
    done: int = 0
    failed: int = 0
    reason: str = ""
    ended_at: float | None = None

    @property
    def over(self) -> bool:
        return self.phase != "running"


@dataclass(frozen=True, slots=True)
class BatchResult:
    """One line of the results; the id is the service's word, and empty for a line that cannot be read."""

    custom_id: str
    outcome: Completion | Failed


class BatchGone(Exception):
    """The service does not know the batch, or no longer has its results."""


class BatchService(Protocol):
    """The batch interface of one model at one address.

    Every method raises `Transient`, `Rejected` and `Misconfigured` as `gate.calls.interface.Provider` does.
    """

    @property
    def name(self) -> str:
        """The service, as a reader knows it."""
        ...

    @property
    def place(self) -> BatchPlace: ...

    @property
    def limits(self) -> BatchLimits: ...

    @property
    def keeps_marks(self) -> bool:
        """Can a batch be found again by its mark alone?"""
        ...

    def check(self, params: Params) -> None:
        """Raise `Misconfigured` for a parameter that the interface does not take."""
        ...

    def encode(self, custom_id: str, request: Request) -> bytes:
        """One request as it goes into a batch, in UTF-8 and without a line break.

        Args:
            custom_id: 1 to 64 letters, digits, `_` and `-`; unique within the batch.

        Raises:
            Rejected: this request can never be sent.
        """
        ...

    async def submit(self, lines: Sequence[bytes], mark: SubmissionMark) -> str:
        """Submit encoded requests within the limits, and give the batch's id; after `Transient` they may have
        arrived."""
        ...

    async def find(self, mark: SubmissionMark) -> FoundBatches:
        """Look for a submission whose id was never learnt."""
        ...

    async def status(self, batch_id: str) -> BatchState:
        """Ask how far a batch is.

        Raises:
            BatchGone: there is no such batch, or its results are no longer kept.
        """
        ...

    def results(self, batch_id: str) -> AsyncIterator[BatchResult]:
        """The results of a batch that is over, in any order, read as they arrive.

        Raises:
            BatchGone: they are not there, or no longer.
        """
        ...

    async def cancel(self, batch_id: str) -> None:
        """Ask to end the batch; what is answered by then can still be collected, and is paid for."""
        ...


def checked_id(value: object) -> str:
    """An id that may be put into a path; raises `Malformed`, for a server must not choose the next request's path."""
    if not isinstance(value, str) or _ID.fullmatch(value) is None:
        raise Malformed("the service named an id that is none")
    return value


def id_or_empty(value: object) -> str:
    """A `custom_id` from a server, or nothing when it cannot be one."""
    return value if isinstance(value, str) and _ID.fullmatch(value) is not None else ""
