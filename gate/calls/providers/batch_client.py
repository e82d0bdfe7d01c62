"""Requests to a batch service through an official SDK's client, and the lines of its files."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import httpx2

from gate.calls.batches.interface import BatchGone
from gate.calls.interface import Misconfigured, Rejected, Transient
from gate.calls.providers.clients import Client, ConnectionBroken, whole_reply
from gate.calls.providers.exchange import Service, classify_error, connection_error, read_error
from gate.calls.untrusted import Cleaner, Malformed, json_object
from gate.record.transcript import Failed
from gate.values import JsonValue

T = TypeVar("T")

ASK_TIMEOUT_S = 60.0
SEND_TIMEOUT_S = 600.0
"""For the upload of a whole batch."""

_NONE = frozenset({404, 405, 410, 501})


@dataclass(frozen=True, slots=True)
class BatchClient:
    """A client of an official SDK, used for batches."""

    client: Client
    service: Service
    cleaner: Cleaner

    async def get(self, path: str) -> dict[str, JsonValue]:
        """Ask for a JSON object; raises `BatchGone` where there is none."""
        return await self._object(self.client.sdk.get(path, cast_to=httpx2.Response), ASK_TIMEOUT_S)

    async def post(self, path: str, parts: Sequence[bytes] = (b"{}",)) -> dict[str, JsonValue]:
        """Send JSON, and read a JSON object.

        Args:
            parts: of the body, in order, sent one by one: a large body in one piece would hold up everything else.

        Raises:
            BatchGone: there is no such interface, or no such thing.
        """
        headers = {"Content-Type": "application/json", "Content-Length": str(sum(map(len, parts)))}
        return await self._object(
            self.client.sdk.post(path, content=_each(parts), cast_to=httpx2.Response, options={"headers": headers}),
            SEND_TIMEOUT_S,
        )

    async def upload(self, path: str, fields: Mapping[str, str], content: bytes) -> dict[str, JsonValue]:
        """Send a file of lines as a form."""
        file = ("prompt-gate.jsonl", content, "application/jsonl")
        return await self._object(
            self.client.sdk.post(
                path,
                body=dict(fields),
                files={"file": file},
                cast_to=httpx2.Response,
                options={"headers": {"Content-Type": "multipart/form-data"}},
            ),
            SEND_TIMEOUT_S,
        )

    async def lines(self, path: str) -> AsyncIterator[bytes]:
        """The lines of a file of results that are not blank, as they arrive; `path` is below the base URL."""
        async with self._stream(path) as response:
            chunks, rest = aiter(response.aiter_bytes()), b""
            while (chunk := await self._timed(whole_reply(anext(chunks, None)), ASK_TIMEOUT_S)) is not None:
                *whole, rest = (rest + chunk).split(b"\n")
                for line in whole:
                    if line.strip():
                        yield line
            if rest.strip():
                yield rest

    @asynccontextmanager
    async def _stream(self, path: str) -> AsyncIterator[httpx2.Response]:
        streamed: bool = True
        call = self.client.sdk.get(path, cast_to=httpx2.Response, stream=streamed)
        response = await self._answered(call, ASK_TIMEOUT_S)
        try:
            yield response
        finally:
            await response.aclose()

    async def _object(self, call: Awaitable[httpx2.Response], timeout_s: float) -> dict[str, JsonValue]:
        response = await self._answered(call, timeout_s)
        try:
            return json_object(response.content)
        except Malformed as error:
            raise Transient(f"{self.service.name}: {error}") from None

    async def _answered(self, call: Awaitable[httpx2.Response], timeout_s: float) -> httpx2.Response:
        response = await self._timed(self.client.reply(call), timeout_s)
        if response.status_code in _NONE:
            raise BatchGone
        if not response.is_success:
            parts = (response.status_code, response.headers, response.content)
            raise classify_error(read_error(*parts, self.cleaner, time.time()), self.service)
        return response

    async def _timed(self, reading: Awaitable[T], timeout_s: float) -> T:
        try:
            async with asyncio.timeout(timeout_s):
                return await reading
        except TimeoutError:
            raise Transient(f"{self.service.name} gave no answer within {timeout_s:g} s") from None
        except ConnectionBroken as broken:
            raise connection_error(broken, self.service, self.cleaner) from None


async def _each(parts: Sequence[bytes]) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


def no_batches(service: Service) -> Misconfigured:
    """The error for an address that takes no batches."""
    return Misconfigured(f"{service.name} has no batch interface", "run without --batch")


JsonTable: TypeAlias = dict[str, JsonValue]


def json_line(value: JsonTable) -> bytes:
    """Compact JSON in UTF-8, without a line break; raises `Rejected` for half a surrogate pair."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        raise Rejected("the request holds half a surrogate pair, which is not valid Unicode") from None


def result_row(line: bytes) -> JsonTable | Failed:
    """The object in a line of results."""
    try:
        return json_object(line)
    except Malformed as error:
        return Failed(str(error).replace("the reply", "a line of the results"))


def listed_objects(page: JsonTable) -> list[JsonTable]:
    """The objects of a listing."""
    listed = page.get("data")
    return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []


def unanswered_result(service: str, said: str) -> Failed:
    """A request that a batch did not answer; `said` is why, one clean line, or empty."""
    return Failed(f"{service} could not answer in the batch" + (f": {said}" if said else ""))


def error_message(error: JsonTable, cleaner: Cleaner) -> str:
    """What an error object says, or its code."""
    return cleaner.line(error.get("message")) or cleaner.line(error.get("code"), 80)
