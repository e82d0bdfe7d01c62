"""Requests to a batch interface through an official SDK's client, errors sorted as the provider sorts them."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

import httpx2

from gate.domain.jsonvalue import JsonValue
from gate.providers.base import Misconfigured, Transient
from gate.providers.batches.port import Gone
from gate.providers.clients import Broken, Client, unbroken
from gate.providers.failures import Service, classify, dropped, read_error
from gate.providers.untrusted import Cleaner, Malformed, json_object

T = TypeVar("T")

ASK_TIMEOUT_S = 60.0
SEND_TIMEOUT_S = 600.0
"""For a whole batch on its way up."""

_NONE = frozenset({404, 405, 410, 501})


@dataclass(frozen=True, slots=True)
class Wire:
    """A client of an official SDK, used for batches.

    Args:
        client: of the SDK.
        service: who is asked, for messages.
        cleaner: removes secrets from what the server says.
    """

    client: Client
    service: Service
    cleaner: Cleaner

    async def get(self, path: str) -> dict[str, JsonValue]:
        """Ask for a JSON object.

        Raises:
            Gone: there is no such thing.
        """
        return await self._object(self.client.sdk.get(path, cast_to=httpx2.Response), ASK_TIMEOUT_S)

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
        """The lines of a file of results that are not blank, as they arrive.

        Args:
            path: below the client's base URL.
        """
        async with self._stream(path) as response:
            chunks, rest = aiter(response.aiter_bytes()), b""
            while (chunk := await self._timed(unbroken(anext(chunks, None)), ASK_TIMEOUT_S)) is not None:
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
            raise Gone
        if not response.is_success:
            parts = (response.status_code, response.headers, response.content)
            raise classify(read_error(*parts, self.cleaner, time.time()), self.service)
        return response

    async def _timed(self, reading: Awaitable[T], timeout_s: float) -> T:
        try:
            async with asyncio.timeout(timeout_s):
                return await reading
        except TimeoutError:
            raise Transient(f"{self.service.name} gave no answer within {timeout_s:g} s") from None
        except Broken as broken:
            raise dropped(broken, self.service, self.cleaner) from None


async def _each(parts: Sequence[bytes]) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


def no_batches(service: Service) -> Misconfigured:
    """For an address that takes no batches."""
    return Misconfigured(f"{service.name} has no batch interface", "run without --batch")
