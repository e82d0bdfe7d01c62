"""OpenAI's Batch interface."""

from collections.abc import AsyncIterator, Sequence

from gate.calls.batches.service import (
    BatchPhase,
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
from gate.calls.interface import Completion, Request, Transient
from gate.calls.untrusted import MalformedReply, object_at, token_count
from gate.record.transcript import Failed
from gate.values import JsonValue

_ENDPOINT = "/v1/chat/completions"
_MARK, _SUBMISSION = "prompt_gate", "prompt_gate_submission"
_PHASES: dict[str, BatchPhase] = {
    "completed": "ended",
    "failed": "failed",
    "expired": "expired",
    "cancelled": "cancelled",
}
_PAGES = 5
"""Of a hundred batches each, looked through for a lost one."""


class OpenAIBatches(BatchService):
    """Batches of one model."""

    most_requests = 50_000
    keeps_marks = True

    def encode(self, custom_id: str, request: Request) -> bytes:
        body = self.provider.body(request, self.provider.dialect)
        return json_line({"custom_id": custom_id, "method": "POST", "url": _ENDPOINT, "body": body})

    async def _submitted(self, lines: Sequence[bytes], mark: SubmissionMark) -> str:
        file = await self.upload("/files", {"purpose": "batch"}, b"\n".join(lines) + b"\n")
        label: JsonTable = {_MARK: mark.digest, _SUBMISSION: mark.submission}
        body: JsonTable = {"input_file_id": checked_id(file.get("id")), "endpoint": _ENDPOINT}
        made = await self.post("/batches", [json_line({**body, "completion_window": "24h", "metadata": label})])
        return checked_id(made.get("id"))

    async def _found(self, mark: SubmissionMark) -> FoundBatches:
        after = ""
        for _ in range(_PAGES):
            page = await self.get(f"/batches?limit=100{after}")
            batches = listed_objects(page)
            for batch in batches:
                label, name = object_at(batch, "metadata"), id_or_empty(batch.get("id"))
                alive = _phase(batch) in ("running", "ended")
                if alive and name and name not in mark.known and label.get(_MARK) == mark.digest:
                    return FoundBatches((name,), sure=True, submission=id_or_empty(label.get(_SUBMISSION)))
            oldest = _seconds(batches[-1].get("created_at")) if batches else None
            last = id_or_empty(batches[-1].get("id")) if batches else ""
            if page.get("has_more") is not True or not last or oldest is None or oldest < mark.since:
                break
            after = f"&after={last}"
        return FoundBatches(sure=True)

    async def status(self, batch_id: str) -> BatchState:
        batch = await self.get(f"/batches/{checked_id(batch_id)}")
        counts, errors = object_at(batch, "request_counts"), listed_objects(object_at(batch, "errors"))
        total, done, failed = (token_count(counts.get(word)) or 0 for word in ("total", "completed", "failed"))
        ended = (_seconds(batch.get(f"{word}_at")) for word in ("completed", "expired", "cancelled", "failed"))
        return BatchState(
            _phase(batch),
            total,
            done,
            failed,
            self.error_message(errors[0]) if errors else "",
            next((moment for moment in ended if moment is not None), None),
        )

    async def results(self, batch_id: str) -> AsyncIterator[BatchResult]:
        batch = await self.get(f"/batches/{checked_id(batch_id)}")
        for kind in ("output_file_id", "error_file_id"):
            if batch.get(kind) is None:
                continue
            try:
                path = f"/files/{checked_id(batch[kind])}/content"
            except MalformedReply as error:
                raise Transient(f"{self.name}: {error}") from None
            async for line in self.lines(path):
                yield self.read(line)

    async def cancel(self, batch_id: str) -> None:
        await self.post(f"/batches/{checked_id(batch_id)}/cancel")

    def outcome(self, row: JsonTable) -> Completion | Failed:
        response = object_at(row, "response")
        body = object_at(response, "body")
        if response.get("status_code") == 200 and not isinstance(row.get("error"), dict):
            return self.completed(body)
        return self.unanswered(object_at(row, "error") or object_at(body, "error"))


def _phase(batch: JsonTable) -> BatchPhase:
    status = batch.get("status")
    return _PHASES.get(status, "running") if isinstance(status, str) else "running"


def _seconds(value: JsonValue) -> float | None:
    return float(value) if type(value) is int and 0 <= value < 10**11 else None
