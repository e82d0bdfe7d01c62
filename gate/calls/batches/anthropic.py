"""Anthropic's Message Batches."""

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime

from gate.calls.batches.service import (
    BatchGone,
    BatchResult,
    BatchService,
    BatchState,
    FoundBatches,
    JsonTable,
    SubmissionMark,
    checked_id,
    id_or_empty,
    json_line,
    listed_objects,
)
from gate.calls.interface import Completion, Request
from gate.calls.untrusted import object_at, token_count
from gate.record.transcript import Failed
from gate.values import JsonValue

_PATH = "/v1/messages/batches"
_PAGES = 5
_CLOCKS_APART_S = 600.0


class AnthropicBatches(BatchService):
    """Batches of one model.

    The API stores nothing of ours but the requests themselves. A submission whose id is unknown can only be
    guessed by its time and size, until its results name the requests.
    """

    most_requests = 100_000
    keeps_marks = False

    def encode(self, custom_id: str, request: Request) -> bytes:
        return json_line({"custom_id": custom_id, "params": self.provider.body(request, self.provider.dialect)})

    async def _submitted(self, lines: Sequence[bytes], mark: SubmissionMark) -> str:
        parts = [part for line in lines for part in (b",", line)][1:]
        made = await self.post(_PATH, [b'{"requests":[', *parts, b"]}"])
        return checked_id(made.get("id"))

    async def _found(self, mark: SubmissionMark) -> FoundBatches:
        found: list[str] = []
        after = ""
        for _ in range(_PAGES):
            page = await self.get(f"{_PATH}?limit=100{after}")
            batches, since = listed_objects(page), mark.since - _CLOCKS_APART_S
            young = [batch for batch in batches if (_moment(batch.get("created_at")) or 0.0) >= since]
            for batch in young:
                name = id_or_empty(batch.get("id"))
                if name and name not in mark.known and sum(_counts(batch).values()) == mark.count:
                    found.append(name)
            last = id_or_empty(page.get("last_id"))
            if page.get("has_more") is not True or not last or len(young) < len(batches):
                break
            after = f"&after_id={last}"
        return FoundBatches(tuple(found))

    async def status(self, batch_id: str) -> BatchState:
        batch = await self.get(f"{_PATH}/{checked_id(batch_id)}")
        if batch.get("archived_at") is not None:
            raise BatchGone
        counts = _counts(batch)
        return BatchState(
            "ended" if batch.get("processing_status") == "ended" else "running",
            sum(counts.values()),
            counts["succeeded"],
            counts["errored"] + counts["expired"] + counts["canceled"],
            ended_at=_moment(batch.get("ended_at")),
        )

    async def results(self, batch_id: str) -> AsyncIterator[BatchResult]:
        # Not from `results_url`: a server must not choose where the key goes.
        async for line in self.lines(f"{_PATH}/{checked_id(batch_id)}/results"):
            yield self.read(line)

    async def cancel(self, batch_id: str) -> None:
        await self.post(f"{_PATH}/{checked_id(batch_id)}/cancel")

    def outcome(self, row: JsonTable) -> Completion | Failed:
        result = object_at(row, "result")
        kind = self.cleaner.line(result.get("type"), 40)
        if kind == "succeeded":
            return self.completed(object_at(result, "message"))
        reply = object_at(result, "error")
        return self.unanswered(object_at(reply, "error") or reply, kind)


def _counts(batch: JsonTable) -> dict[str, int]:
    counts = object_at(batch, "request_counts")
    words = ("processing", "succeeded", "errored", "canceled", "expired")
    return {word: token_count(counts.get(word)) or 0 for word in words}


def _moment(value: JsonValue) -> float | None:
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
