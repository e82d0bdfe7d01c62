"""Anthropic's Message Batches: one list of requests goes up, one file of results comes down.

Formats and limits: https://platform.claude.com/docs/en/build-with-claude/batch-processing, and the types of the
official SDK.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from gate.domain.absence import Failed
from gate.domain.jsonvalue import JsonValue
from gate.domain.model import Params
from gate.providers.anthropic import AnthropicProvider, completion
from gate.providers.base import Completion, Request, Transient
from gate.providers.batches.lines import Table, encoded, message_of, row_of, tables, unanswered
from gate.providers.batches.port import BatchState, Found, Gone, Limits, Mark, Place, Result, checked_id, id_or_empty
from gate.providers.batches.wire import Wire, no_batches
from gate.providers.untrusted import Cleaner, Malformed, TooLong, count, table

PATH = "/v1/messages/batches"
_PAGES = 5
_CLOCKS_APART_S = 600.0


@dataclass(frozen=True, slots=True)
class AnthropicBatches:
    """Batches of one model; see `gate.providers.batches.port.BatchService`.

    The interface keeps nothing of ours beside the requests themselves. A submission whose id was never learnt can
    only be guessed by its time and size, until its results name the requests.

    Args:
        provider: makes the bodies, and has the client.
        place: who is asked.
        limits: what one batch may hold.
    """

    provider: AnthropicProvider
    place: Place
    limits: Limits = Limits(100_000)
    keeps_marks: bool = False

    @property
    def name(self) -> str:
        return self.provider.service.name

    def check(self, params: Params) -> None:
        self.provider.check(params)

    def encode(self, custom_id: str, request: Request) -> bytes:
        return encoded({"custom_id": custom_id, "params": self.provider.body(request)})

    async def submit(self, lines: Sequence[bytes], mark: Mark) -> str:
        try:
            parts = [part for line in lines for part in (b",", line)][1:]
            made = await self._wire.post(PATH, [b'{"requests":[', *parts, b"]}"])
            return checked_id(made.get("id"))
        except Gone:
            raise no_batches(self.provider.service) from None
        except Malformed as error:
            raise Transient(f"{self.name}: {error}") from None

    async def find(self, mark: Mark) -> Found:
        found: list[str] = []
        after = ""
        for _ in range(_PAGES):
            try:
                page = await self._wire.get(f"{PATH}?limit=100{after}")
            except Gone:
                raise no_batches(self.provider.service) from None
            batches, since = tables(page), mark.since - _CLOCKS_APART_S
            young = [batch for batch in batches if (_moment(batch.get("created_at")) or 0.0) >= since]
            for batch in young:
                name = id_or_empty(batch.get("id"))
                if name and name not in mark.known and sum(_counts(batch).values()) == mark.count:
                    found.append(name)
            last = id_or_empty(page.get("last_id"))
            if page.get("has_more") is not True or not last or len(young) < len(batches):
                break
            after = f"&after_id={last}"
        return Found(tuple(found))

    async def status(self, batch_id: str) -> BatchState:
        batch = await self._wire.get(f"{PATH}/{checked_id(batch_id)}")
        if batch.get("archived_at") is not None:
            raise Gone
        counts = _counts(batch)
        return BatchState(
            "ended" if batch.get("processing_status") == "ended" else "running",
            sum(counts.values()),
            counts["succeeded"],
            counts["errored"] + counts["expired"] + counts["canceled"],
            ended_at=_moment(batch.get("ended_at")),
        )

    async def results(self, batch_id: str) -> AsyncIterator[Result]:
        # Not from `results_url`: a server must not choose where the key goes.
        async for line in self._wire.lines(f"{PATH}/{checked_id(batch_id)}/results"):
            yield self._read(line)

    async def cancel(self, batch_id: str) -> None:
        await self._wire.post(f"{PATH}/{checked_id(batch_id)}/cancel")

    @property
    def _wire(self) -> Wire:
        return Wire(self.provider.client, self.provider.service, self.provider.cleaner)

    @property
    def _cleaner(self) -> Cleaner:
        return self.provider.cleaner

    def _read(self, line: bytes) -> Result:
        row = row_of(line)
        if isinstance(row, Failed):
            return Result("", row)
        return Result(id_or_empty(row.get("custom_id")), self._outcome(table(row, "result")))

    def _outcome(self, result: Table) -> Completion | Failed:
        kind = self._cleaner.line(result.get("type"), 40)
        if kind == "succeeded":
            try:
                return completion(table(result, "message"), None, self._cleaner, self.provider.model)
            except (Malformed, TooLong) as error:
                return Failed(f"{self.name}: {error}")
        reply = table(result, "error")
        return unanswered(self.name, message_of(table(reply, "error") or reply, self._cleaner) or kind)


def _counts(batch: Table) -> dict[str, int]:
    counts = table(batch, "request_counts")
    words = ("processing", "succeeded", "errored", "canceled", "expired")
    return {word: count(counts.get(word)) or 0 for word in words}


def _moment(value: JsonValue) -> float | None:
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
