"""OpenAI's Chat Completions and Batch interfaces: at OpenAI, Azure, and compatible servers."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from gate.calls.batches.interface import (
    BatchGone,
    BatchLimits,
    BatchPhase,
    BatchPlace,
    BatchResult,
    BatchState,
    FoundBatches,
    SubmissionMark,
    checked_id,
    id_or_empty,
)
from gate.calls.endpoints import Endpoint, is_openai, takes_new_token_limit
from gate.calls.interface import Completion, Request, Transient
from gate.calls.providers.batch_client import (
    BatchClient,
    JsonTable,
    error_message,
    json_line,
    listed_objects,
    no_batches,
    result_row,
    unanswered_result,
)
from gate.calls.providers.clients import make_client
from gate.calls.providers.exchange import Exchange, Service
from gate.calls.providers.parameters import check_openai, schema_without_bounds, seed_of
from gate.calls.untrusted import Cleaner, Malformed, TooLong, distinct_calls, object_at, token_count, tool_call
from gate.config.models import Params
from gate.messages import Message, Tool, ToolCall
from gate.record.transcript import Failed
from gate.record.usage import Usage
from gate.values import JsonValue

COMPLETIONS_PATH = "/chat/completions"


class OpenAIProvider:
    """One model behind one address."""

    max_in_flight: int | None = None
    priced = True

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        azure = endpoint.api == "azure"
        self.endpoint = endpoint
        self._own = azure or is_openai(endpoint.base_url)
        self._limit = "max_completion_tokens" if azure or takes_new_token_limit(endpoint.base_url) else "max_tokens"
        self.model = model
        self.lane = endpoint.lane
        missing = f"check that the Azure resource has a deployment named {model}" if azure else ""
        self.service = Service(endpoint.name, endpoint.variable, model, missing)
        self.cleaner = Cleaner((endpoint.api_key,))
        self.client = make_client(endpoint)
        self._exchange = Exchange(self.client, COMPLETIONS_PATH, self.service, self.cleaner, read_completion)

    def check(self, params: Params) -> None:
        """Raise `Misconfigured` for a parameter that this model's interface does not take."""
        check_openai(self.model, params, own=self._own)

    async def complete(self, request: Request) -> Completion:
        """Send one request, once."""
        self.check(request.params)
        return await self._exchange.post(self.body(request), request.params.timeout_s)

    async def close(self) -> None:
        """Close the connections."""
        await self.client.close()

    def body(self, request: Request) -> dict[str, JsonValue]:
        """What is sent for a request, by itself or as a line of a batch."""
        params = request.params
        messages: list[JsonValue] = [_turn(message) for message in request.messages]
        body: dict[str, JsonValue] = {"model": self.model, "messages": messages}
        optional: dict[str, JsonValue] = {
            self._limit: params.max_output_tokens,
            "temperature": params.temperature,
            "top_p": params.top_p,
            "stop": list(params.stop) or None,
            "seed": None if params.seed is None else seed_of(request),
            "reasoning_effort": params.reasoning_effort,
        }
        body.update({key: value for key, value in optional.items() if value is not None})
        if request.tools:
            body["tools"] = [_tool(tool) for tool in request.tools]
        if request.schema is not None:
            shape: dict[str, JsonValue] = {
                "name": "answer",
                "strict": True,
                "schema": schema_without_bounds(dict(request.schema)),
            }
            body["response_format"] = {"type": "json_schema", "json_schema": shape}
        return body


def _turn(message: Message) -> JsonValue:
    turn: dict[str, JsonValue] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        turn["content"] = message.content or None
        turn["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.answers:
        turn["tool_call_id"] = message.answers
    return turn


def _tool(tool: Tool) -> JsonValue:
    told: dict[str, JsonValue] = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": told}


def read_completion(data: dict[str, JsonValue], latency_s: float | None, cleaner: Cleaner, asked: str) -> Completion:
    """Read a reply, every field of which may be missing or hostile.

    Args:
        latency_s: seconds that it took; None where time means nothing.
        asked: the model that was asked, for a reply that names none.

    Raises:
        Malformed: there is no message in it.
        TooLong: the answer is longer than any that is kept.
    """
    choices = data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        said = cleaner.line(object_at(data, "error").get("message"))
        raise Malformed("the reply holds no choice with a message" + (f": {said}" if said else ""))
    content, refusal = message.get("content"), message.get("refusal")
    if content is not None and not isinstance(content, str):
        raise Malformed("the content of the reply is not text")
    refused = isinstance(refusal, str) and bool(refusal) and not content
    return Completion(
        text=cleaner.answer(str(refusal) if refused else content or ""),
        model_id=cleaner.line(data.get("model"), 200) or asked,
        usage=_usage(object_at(data, "usage")),
        latency_s=latency_s,
        stop_reason="refusal" if refused else cleaner.line(choice.get("finish_reason"), 64),
        tool_calls=_calls(message.get("tool_calls"), cleaner),
    )


def _calls(found: JsonValue, cleaner: Cleaner) -> tuple[ToolCall, ...]:
    """The tool calls in a reply; raises `Malformed` where one does not call a function."""
    if found is None:
        return ()
    calls = []
    for call in found if isinstance(found, list) else [None]:
        function = object_at(call, "function")
        name, arguments = function.get("name"), function.get("arguments")
        if not isinstance(call, dict) or not isinstance(name, str) or not isinstance(arguments, str):
            raise Malformed("a tool call of the reply is not the call of a function")
        calls.append(tool_call(call.get("id"), name, arguments, cleaner))
    return distinct_calls(calls)


def _usage(usage: dict[str, JsonValue]) -> Usage:
    """Tokens by kind; all zero, which nobody prices, when the server does not say."""
    prompt, output = token_count(usage.get("prompt_tokens")), token_count(usage.get("completion_tokens"))
    if prompt is None or output is None:
        return Usage()
    details = object_at(usage, "prompt_tokens_details")
    read = min(token_count(details.get("cached_tokens")) or 0, prompt)
    write = min(token_count(details.get("cache_write_tokens")) or 0, prompt - read)
    return Usage(prompt - read - write, read, write, output)


BATCH_ENDPOINT = "/v1/chat/completions"
_MARK, _SUBMISSION = "prompt_gate", "prompt_gate_submission"
_PHASES: dict[str, BatchPhase] = {
    "completed": "ended",
    "failed": "failed",
    "expired": "expired",
    "cancelled": "cancelled",
}
_PAGES = 5
"""Of a hundred batches each, looked through for a lost one."""


@dataclass(frozen=True, slots=True)
class OpenAIBatches:
    """Batches of one model."""

    provider: OpenAIProvider
    place: BatchPlace
    limits: BatchLimits = BatchLimits(50_000)
    keeps_marks: bool = True

    @property
    def name(self) -> str:
        return self.provider.service.name

    def check(self, params: Params) -> None:
        self.provider.check(params)

    def encode(self, custom_id: str, request: Request) -> bytes:
        body = self.provider.body(request)
        return json_line({"custom_id": custom_id, "method": "POST", "url": BATCH_ENDPOINT, "body": body})

    async def submit(self, lines: Sequence[bytes], mark: SubmissionMark) -> str:
        wire, label = self._wire, {_MARK: mark.digest, _SUBMISSION: mark.submission}
        try:
            file = await wire.upload("/files", {"purpose": "batch"}, b"\n".join(lines) + b"\n")
            body = {"input_file_id": checked_id(file.get("id")), "endpoint": BATCH_ENDPOINT, "completion_window": "24h"}
            made = await wire.post("/batches", [json_line({**body, "metadata": {**label}})])
            return checked_id(made.get("id"))
        except BatchGone:
            raise no_batches(self.provider.service) from None
        except Malformed as error:
            raise Transient(f"{self.name}: {error}") from None

    async def find(self, mark: SubmissionMark) -> FoundBatches:
        after = ""
        for _ in range(_PAGES):
            try:
                page = await self._wire.get(f"/batches?limit=100{after}")
            except BatchGone:
                raise no_batches(self.provider.service) from None
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
        batch = await self._wire.get(f"/batches/{checked_id(batch_id)}")
        counts = object_at(batch, "request_counts")
        phase = _phase(batch)
        ended = [_seconds(batch.get(f"{word}_at")) for word in ("completed", "expired", "cancelled", "failed")]
        return BatchState(
            phase,
            token_count(counts.get("total")) or 0,
            token_count(counts.get("completed")) or 0,
            token_count(counts.get("failed")) or 0,
            _why(batch, self._cleaner),
            next((moment for moment in ended if moment is not None), None),
        )

    async def results(self, batch_id: str) -> AsyncIterator[BatchResult]:
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
    def _wire(self) -> BatchClient:
        return BatchClient(self.provider.client, self.provider.service, self.provider.cleaner)

    @property
    def _cleaner(self) -> Cleaner:
        return self.provider.cleaner

    def _read(self, line: bytes) -> BatchResult:
        row = result_row(line)
        if isinstance(row, Failed):
            return BatchResult("", row)
        return BatchResult(id_or_empty(row.get("custom_id")), self._outcome(row))

    def _outcome(self, row: JsonTable) -> Completion | Failed:
        response = object_at(row, "response")
        body = object_at(response, "body")
        if response.get("status_code") == 200 and not isinstance(row.get("error"), dict):
            try:
                return read_completion(body, None, self._cleaner, self.provider.model)
            except (Malformed, TooLong) as error:
                return Failed(f"{self.name}: {error}")
        return unanswered_result(
            self.name, error_message(object_at(row, "error") or object_at(body, "error"), self._cleaner)
        )


def _phase(batch: JsonTable) -> BatchPhase:
    status = batch.get("status")
    return _PHASES.get(status, "running") if isinstance(status, str) else "running"


def _why(batch: JsonTable, cleaner: Cleaner) -> str:
    errors = listed_objects(object_at(batch, "errors"))
    return error_message(errors[0], cleaner) if errors else ""


def _seconds(value: JsonValue) -> float | None:
    return float(value) if type(value) is int and 0 <= value < 10**11 else None
