"""Batch services: many requests at once, answered within a day at half the price, through an official SDK's client."""

import asyncio
import json
import re
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar

import httpx2

from gate.calls.interface import Completion, Misconfigured, RejectedRequest, Request, Transient
from gate.calls.providers.bounded_body import REPLY_BYTES, raise_limit
from gate.calls.providers.clients import ConnectionBroken, ServiceProvider, connection_error, whole_reply
from gate.calls.providers.failures import classify_error, read_error
from gate.calls.untrusted import ErrorWords, MalformedReply, UnusableReply, json_object
from gate.config.models import Params
from gate.record.transcript import Failed
from gate.values import JsonValue

T = TypeVar("T")
BatchPhase: TypeAlias = Literal["running", "ended", "failed", "expired", "cancelled"]
"""Every phase but `running` is final, and may have left results."""
JsonTable: TypeAlias = dict[str, JsonValue]

MOST_BYTES = 16 * 2**20
"""Bytes in one batch. The services take several times as much, but a batch is held in memory while it is sent."""

RESULTS_BYTES = 2**30
"""Bytes of the results of one batch, which are read line by line."""

_ASK_TIMEOUT_S = 60.0
_SEND_TIMEOUT_S = 600.0
_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
_NONE = frozenset({404, 405, 410, 501})


@dataclass(frozen=True, slots=True)
class BatchPlace:
    """Provider (`openai` or `anthropic`), base URL and model (the interface's name) that answer a batch."""

    provider: str
    address: str
    model: str

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}"


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
    """Batches at the service that may be a lost submission, newest first; `sure` if the service stores marks."""

    ids: tuple[str, ...] = ()
    sure: bool = False
    submission: str = ""


@dataclass(frozen=True, slots=True)
class BatchState:
    """How far a batch is; counts are the service's, and `ended_at` is in seconds since the epoch."""

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


class BatchService(ABC):
    """The batch interface of one model at one address.

    Every method raises `Transient`, `RejectedRequest` and `Misconfigured` as `gate.calls.interface.Provider` does, and
    `BatchGone` for a batch that is not there.
    """

    most_requests: ClassVar[int]
    keeps_marks: ClassVar[bool]
    """Can a batch be found again by only its mark?"""

    def __init__(self, provider: ServiceProvider, place: BatchPlace) -> None:
        self.provider = provider
        self.place = place
        self.cleaner = provider.cleaner

    @property
    def name(self) -> str:
        """The service, as a reader knows it."""
        return self.provider.service.name

    def check(self, params: Params) -> None:
        """Raise `Misconfigured` for a parameter that the interface does not take."""
        self.provider.check(params)

    @abstractmethod
    def encode(self, custom_id: str, request: Request) -> bytes:
        """One request as it goes into a batch, in UTF-8 and without a line break; the id is unique within the batch."""

    async def submit(self, lines: Sequence[bytes], mark: SubmissionMark) -> str:
        """Submit encoded requests, and give the batch's id; after `Transient` they may have arrived."""
        try:
            return await self._submitted(lines, mark)
        except BatchGone:
            raise self._none() from None
        except MalformedReply as error:
            raise Transient(f"{self.name}: {error}") from None

    async def find(self, mark: SubmissionMark) -> FoundBatches:
        """Look for a submission whose id was never learnt."""
        try:
            return await self._found(mark)
        except BatchGone:
            raise self._none() from None

    @abstractmethod
    async def _submitted(self, lines: Sequence[bytes], mark: SubmissionMark) -> str: ...

    @abstractmethod
    async def _found(self, mark: SubmissionMark) -> FoundBatches: ...

    @abstractmethod
    async def status(self, batch_id: str) -> BatchState:
        """Get the state of a batch."""

    @abstractmethod
    def results(self, batch_id: str) -> AsyncIterator[BatchResult]:
        """The results of a batch that is over, in any order, read as they arrive."""

    @abstractmethod
    async def cancel(self, batch_id: str) -> None:
        """Cancel the batch; answers until then can still be collected, and are charged."""

    @abstractmethod
    def outcome(self, row: JsonTable) -> Completion | Failed:
        """The outcome of a request, from a line of the results."""

    def _none(self) -> Misconfigured:
        return Misconfigured(f"{self.name} has no batch interface", "run without --batch")

    def completed(self, reply: JsonTable) -> Completion | Failed:
        """The answer in a reply."""
        try:
            return self.provider.reader(reply, None, self.cleaner, self.provider.model)
        except (MalformedReply, UnusableReply) as error:
            return Failed(f"{self.name}: {error}")

    def unanswered(self, error: JsonTable, otherwise: str = "") -> Failed:
        """The failure of a request that a batch did not answer, from its error object."""
        said = self.error_message(error) or otherwise
        return Failed(f"{self.name} could not answer the request in the batch" + (f": {said}" if said else ""))

    def error_message(self, error: JsonTable) -> str:
        """The words of an error object, or its code."""
        words = ErrorWords.within(error, self.cleaner)
        return words.sentence(self.cleaner) or next(iter(words.codes), "")

    def read(self, line: bytes) -> BatchResult:
        """A line of the results."""
        try:
            row = json_object(line)
        except MalformedReply as error:
            return BatchResult("", Failed(str(error).replace("the reply", "a line of the results")))
        return BatchResult(id_or_empty(row.get("custom_id")), self.outcome(row))

    async def get(self, path: str) -> JsonTable:
        """Get a JSON object."""
        return await self._object(self._sdk.get(path, cast_to=httpx2.Response), _ASK_TIMEOUT_S)

    async def post(self, path: str, parts: Sequence[bytes] = (b"{}",)) -> JsonTable:
        """Send JSON, and read a JSON object; the parts of the body are sent one by one, for a large body in one piece
        would hold up everything else."""
        headers = {"Content-Type": "application/json", "Content-Length": str(sum(map(len, parts)))}
        return await self._object(
            self._sdk.post(path, content=_each(parts), cast_to=httpx2.Response, options={"headers": headers}),
            _SEND_TIMEOUT_S,
        )

    async def upload(self, path: str, fields: Mapping[str, str], content: bytes) -> JsonTable:
        """Send a file of lines as a form."""
        return await self._object(
            self._sdk.post(
                path,
                body=dict(fields),
                files={"file": ("prompt-gate.jsonl", content, "application/jsonl")},
                cast_to=httpx2.Response,
                options={"headers": {"Content-Type": "multipart/form-data"}},
            ),
            _SEND_TIMEOUT_S,
        )

    async def lines(self, path: str) -> AsyncIterator[bytes]:
        """The lines of a file of results that are not blank, as they arrive."""
        async with self._stream(path) as response:
            raise_limit(response, RESULTS_BYTES)
            chunks, pending = aiter(response.aiter_bytes()), list[bytes]()
            while (chunk := await self._timed(whole_reply(anext(chunks, None)), _ASK_TIMEOUT_S)) is not None:
                *whole, rest = chunk.split(b"\n")
                if whole:
                    whole[0] = b"".join((*pending, whole[0]))
                    pending.clear()
                pending.append(rest)
                if sum(map(len, pending)) > REPLY_BYTES:
                    raise RejectedRequest(
                        f"{self.name}: a line of the results has more than {REPLY_BYTES // 2**20} MiB"
                    )
                for line in filter(bytes.strip, whole):
                    yield line
            if (line := b"".join(pending)).strip():
                yield line

    @property
    def _sdk(self) -> Any:
        return self.provider.client.sdk

    @asynccontextmanager
    async def _stream(self, path: str) -> AsyncIterator[httpx2.Response]:
        streamed: bool = True
        call = self._sdk.get(path, cast_to=httpx2.Response, stream=streamed)
        response = await self._answered(call, _ASK_TIMEOUT_S)
        try:
            yield response
        finally:
            await response.aclose()

    async def _object(self, call: Awaitable[httpx2.Response], timeout_s: float) -> JsonTable:
        response = await self._answered(call, timeout_s)
        try:
            return json_object(response.content)
        except MalformedReply as error:
            raise Transient(f"{self.name}: {error}") from None

    async def _answered(self, call: Awaitable[httpx2.Response], timeout_s: float) -> httpx2.Response:
        response = await self._timed(self.provider.client.reply(call), timeout_s)
        if response.status_code in _NONE:
            raise BatchGone
        if not response.is_success:
            parts = (response.status_code, response.headers, response.content)
            raise classify_error(read_error(*parts, self.cleaner, time.time()), self.provider.service)
        return response

    async def _timed(self, reading: Awaitable[T], timeout_s: float) -> T:
        try:
            async with asyncio.timeout(timeout_s):
                return await reading
        except TimeoutError:
            raise Transient(f"{self.name} gave no answer within {timeout_s:g} s") from None
        except ConnectionBroken as broken:
            raise connection_error(broken, self.provider.service, self.cleaner) from None
        except UnusableReply as error:
            raise RejectedRequest(f"{self.name}: {error}") from None


async def _each(parts: Sequence[bytes]) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


def checked_id(value: object) -> str:
    """An id that may be put into a path: a server must not choose the next request's. Raises `MalformedReply`."""
    if not isinstance(value, str) or _ID.fullmatch(value) is None:
        raise MalformedReply("the service returned an id that is not valid")
    return value


def id_or_empty(value: object) -> str:
    """A `custom_id` from a server, or nothing when it cannot be one."""
    return value if isinstance(value, str) and _ID.fullmatch(value) is not None else ""


def json_line(value: JsonTable) -> bytes:
    """Compact JSON in UTF-8, without a line break; raises `RejectedRequest` for half a surrogate pair."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        raise RejectedRequest("the request contains half of a surrogate pair, which is not valid Unicode") from None


def listed_objects(page: JsonTable) -> list[JsonTable]:
    """The objects of a listing."""
    listed = page.get("data")
    return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
