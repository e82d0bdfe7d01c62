"""OpenAI's Batch interface: a file of requests goes up, a batch is made of it, files of results come down.

Formats and limits: https://developers.openai.com/api/docs/guides/batch, and the types of the official SDK.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from gate.domain.absence import Failed
from gate.domain.jsonvalue import JsonValue
from gate.domain.model import Params
from gate.providers.base import Completion, Request, Transient
from gate.providers.batches.lines import Table, encoded, message_of, row_of, tables, unanswered
from gate.providers.batches.port import (
    BatchState,
    Found,
    Gone,
    Limits,
    Mark,
    Phase,
    Place,
    Result,
    checked_id,
    id_or_empty,
)
from gate.providers.batches.wire import Wire, no_batches
from gate.providers.openai import OpenAIProvider, completion
from gate.providers.untrusted import Cleaner, Malformed, TooLong, count, table

ENDPOINT = "/v1/chat/completions"
_MARK, _SUBMISSION = "prompt_gate", "prompt_gate_submission"
_PHASES: dict[str, Phase] = {
    "completed": "ended",
    "failed": "failed",
    "expired": "expired",
    "cancelled": "cancelled",
}
_PAGES = 5
"""Of a hundred batches each, looked through for a lost one."""


@dataclass(frozen=True, slots=True)
class OpenAIBatches:
    """Batches of one model; see `gate.providers.batches.port.BatchService`.

    Args:
        provider: makes the bodies, and has the client.
        place: who is asked.
        limits: what one batch may hold.
    """

    provider: OpenAIProvider
    place: Place
    limits: Limits = Limits(50_000)
    keeps_marks: bool = True

    @property
    def name(self) -> str:
        return self.provider.service.name

    def check(self, params: Params) -> None:
        self.provider.check(params)

    def encode(self, custom_id: str, request: Request) -> bytes:
        body = self.provider.body(request)
        return encoded({"custom_id": custom_id, "method": "POST", "url": ENDPOINT, "body": body})

    async def submit(self, lines: Sequence[bytes], mark: Mark) -> str:
        wire, label = self._wire, {_MARK: mark.digest, _SUBMISSION: mark.submission}
        try:
            file = await wire.upload("/files", {"purpose": "batch"}, b"\n".join(lines) + b"\n")
            body = {"input_file_id": checked_id(file.get("id")), "endpoint": ENDPOINT, "completion_window": "24h"}
            made = await wire.post("/batches", [encoded({**body, "metadata": {**label}})])
            return checked_id(made.get("id"))
        except Gone:
            raise no_batches(self.provider.service) from None
        except Malformed as error:
            raise Transient(f"{self.name}: {error}") from None

    async def find(self, mark: Mark) -> Found:
        after = ""
        for _ in range(_PAGES):
            try:
                page = await self._wire.get(f"/batches?limit=100{after}")
            except Gone:
                raise no_batches(self.provider.service) from None
            batches = tables(page)
            for batch in batches:
                label, name = table(batch, "metadata"), id_or_empty(batch.get("id"))
                alive = _phase(batch) in ("running", "ended")
                if alive and name and name not in mark.known and label.get(_MARK) == mark.digest:
                    return Found((name,), sure=True, submission=id_or_empty(label.get(_SUBMISSION)))
            oldest = _seconds(batches[-1].get("created_at")) if batches else None
            last = id_or_empty(batches[-1].get("id")) if batches else ""
            if page.get("has_more") is not True or not last or oldest is None or oldest < mark.since:
                break
            after = f"&after={last}"
        return Found(sure=True)

    async def status(self, batch_id: str) -> BatchState:
        batch = await self._wire.get(f"/batches/{checked_id(batch_id)}")
        counts = table(batch, "request_counts")
        phase = _phase(batch)
        ended = [_seconds(batch.get(f"{word}_at")) for word in ("completed", "expired", "cancelled", "failed")]
        return BatchState(
            phase,
            count(counts.get("total")) or 0,
            count(counts.get("completed")) or 0,
            count(counts.get("failed")) or 0,
            _why(batch, self._cleaner),
            next((moment for moment in ended if moment is not None), None),
        )

    async def results(self, batch_id: str) -> AsyncIterator[Result]:
        batch = await self._wire.get(f"/batches/{checked_id(batch_id)}")
        for kind in ("output_file_id", "error_file_id"):
            if batch.get(kind) is None:
                continue
            try:
                path = f"/files/{checked_id(batch[kind])}/content"
            except Malformed as error:
                raise Transient(f"{self.name}: {error}") from None
            async for line in self._wire.lines(path):
                yield self._read(line)

    async def cancel(self, batch_id: str) -> None:
        await self._wire.post(f"/batches/{checked_id(batch_id)}/cancel")

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
        return Result(id_or_empty(row.get("custom_id")), self._outcome(row))

    def _outcome(self, row: Table) -> Completion | Failed:
        response = table(row, "response")
        body = table(response, "body")
        if response.get("status_code") == 200 and not isinstance(row.get("error"), dict):
            try:
                return completion(body, None, self._cleaner, self.provider.model)
            except (Malformed, TooLong) as error:
                return Failed(f"{self.name}: {error}")
        return unanswered(self.name, message_of(table(row, "error") or table(body, "error"), self._cleaner))


def _phase(batch: Table) -> Phase:
    status = batch.get("status")
    return _PHASES.get(status, "running") if isinstance(status, str) else "running"


def _why(batch: Table, cleaner: Cleaner) -> str:
    errors = tables(table(batch, "errors"))
    return message_of(errors[0], cleaner) if errors else ""


def _seconds(value: JsonValue) -> float | None:
    return float(value) if type(value) is int and 0 <= value < 10**11 else None
