"""Requests to a batch interface through the SDK's client that the provider uses, errors sorted the same way."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

import httpx2

from gate.domain.jsonvalue import JsonValue
from gate.providers.base import Misconfigured, Transient
from gate.providers.batches.port import Gone
from gate.providers.failures import Service
from gate.providers.sdk import BROKEN, Official
from gate.providers.untrusted import Malformed, json_object
from gate.providers.wire import MAX_REPLY_BYTES

T = TypeVar("T")

ASK_TIMEOUT_S = 60.0
SEND_TIMEOUT_S = 600.0
"""For a whole batch on its way up."""

_NONE = frozenset({404, 405, 410, 501})


@dataclass(frozen=True, slots=True)
class Wire:
    """A client of an official SDK, used for batches.

    Args:
        official: the client, its error classes, and what removes secrets.
        service: who is asked, for messages.
    """

    official: Official
    service: Service

    async def get(self, path: str) -> dict[str, JsonValue]:
        """Ask for a JSON object.

        Raises:
            Gone: there is no such thing.
        """
        return await self._object(self.official.client.get(path, cast_to=httpx2.Response), ASK_TIMEOUT_S)

    async def post(self, path: str, parts: Sequence[bytes] = (b"{}",)) -> dict[str, JsonValue]:
        """Send JSON, and read a JSON object.

        Args:
            parts: of the body, in order; they are sent one by one, as a large body in one piece would hold up
                everything else.

        Raises:
            Gone: there is no such interface, or no such thing.
        """
        headers = {"Content-Type": "application/json", "Content-Length": str(sum(map(len, parts)))}
        return await self._object(
            self.official.client.post(
                path, content=_each(parts), cast_to=httpx2.Response, options={"headers": headers}
            ),
            SEND_TIMEOUT_S,
        )

    async def upload(self, path: str, fields: Mapping[str, str], content: bytes) -> dict[str, JsonValue]:
        """Send a file of lines as a form."""
        file = ("prompt-gate.jsonl", content, "application/jsonl")
        return await self._object(
            self.official.client.post(
                path,
                body=dict(fields),
                files={"file": file},
                cast_to=httpx2.Response,
                options={"headers": {"Content-Type": "multipart/form-data"}},
            ),
            SEND_TIMEOUT_S,
        )

    async def lines(self, path: str, longest: int = MAX_REPLY_BYTES) -> AsyncIterator[bytes | None]:
        """The lines of a file of results as they arrive, none of them held longer than needed.

        Args:
            path: below the client's base URL.
            longest: bytes of a line.

        Yields:
            Each line that is not blank; None for one that is longer.
        """
        async with self._stream(path) as response:
            chunks, splitter = aiter(response.aiter_bytes()), _Splitter(longest)
            while True:
                chunk = await self._sorted(anext(chunks, None), ASK_TIMEOUT_S)
                for line in splitter.end() if chunk is None else splitter.feed(chunk):
                    yield line
                if chunk is None:
                    return

    @asynccontextmanager
    async def _stream(self, path: str) -> AsyncIterator[httpx2.Response]:
        streamed: bool = True
        call = self.official.client.get(path, cast_to=httpx2.Response, stream=streamed)
        response = await self._sorted(call, ASK_TIMEOUT_S)
        try:
            yield response
        finally:
            await response.aclose()

    async def _object(self, call: Awaitable[httpx2.Response], timeout_s: float) -> dict[str, JsonValue]:
        response = await self._sorted(call, timeout_s)
        try:
            return json_object(response.content)
        except Malformed as error:
            raise self.official.explain(error, self.service) from None

    async def _sorted(self, call: Awaitable[T], timeout_s: float) -> T:
        try:
            async with asyncio.timeout(timeout_s):
                return await call
        except TimeoutError:
            raise Transient(f"{self.service.name} gave no answer within {timeout_s:g} s") from None
        except (self.official.errors.status, self.official.errors.connection, *BROKEN) as error:
            if getattr(error, "status_code", None) in _NONE:
                raise Gone from None
            raise self.official.explain(error, self.service) from None


async def _each(parts: Sequence[bytes]) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


def no_batches(service: Service) -> Misconfigured:
    """For an address that takes no batches."""
    return Misconfigured(f"{service.name} has no batch interface", "run without --batch")


class _Splitter:
    """Cuts chunks into lines and forgets what is too long."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._held = bytearray()
        self._skipping = False

    def feed(self, chunk: bytes) -> list[bytes | None]:
        *whole, rest = chunk.split(b"\n")
        lines: list[bytes | None] = []
        for part in whole:
            self._take(part)
            lines += self.end()
        self._take(rest)
        return lines

    def end(self) -> list[bytes | None]:
        """The line that is complete now, if there is one."""
        line, skipped = bytes(self._held).strip(), self._skipping
        self._held.clear()
        self._skipping = False
        if skipped:
            return [None]
        return [line] if line else []

    def _take(self, part: bytes) -> None:
        if self._skipping or len(self._held) + len(part) > self._longest:
            self._skipping = True
            self._held.clear()
        else:
            self._held += part
