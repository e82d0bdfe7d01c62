"""The body of a reply, received and unpacked up to a limit: one may have no end, or unpack to gigabytes."""

import zlib
from collections.abc import AsyncIterator, Iterator
from typing import Protocol, cast

import httpx2

from gate.calls.untrusted import UnusableReply

REPLY_BYTES = 8 * 2**20
"""Bytes of one reply, as received and as unpacked."""
ENCODINGS = "gzip, deflate"
"""Packings that are asked for: those whose unpacking can be stopped."""

_PIECE = 2**16
_UNPACKED = frozenset({"", "identity"})
_PACKED = frozenset({"gzip", "x-gzip", "deflate"})


class Unpacker(Protocol):
    """Unpacks the parts of a body, in small pieces."""

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """The content of the next part."""
        ...


class _Plain:
    def pieces(self, data: bytes) -> Iterator[bytes]:
        yield data


class _Zlib:
    def __init__(self) -> None:
        # 32 takes the headers of gzip and of zlib.
        self._unpacking = zlib.decompressobj(32 + zlib.MAX_WBITS)
        self._begun = False

    def pieces(self, data: bytes) -> Iterator[bytes]:
        if not self._begun and data:
            self._begun = True
            if not _has_header(data):
                self._unpacking = zlib.decompressobj(-zlib.MAX_WBITS)
        while data and not self._unpacking.eof:
            yield self._unpacking.decompress(data, _PIECE)
            data = self._unpacking.unconsumed_tail


def _has_header(data: bytes) -> bool:
    """Is this gzip or zlib? Some servers send what they call deflate without either header (RFC 9110, 8.4.1.2)."""
    return data[:1] == b"\x1f" or (data[0] & 0x0F == zlib.DEFLATED and data[0] >> 4 <= 7)


class BoundedStream(httpx2.AsyncByteStream):
    """A body that raises `UnusableReply` beyond `limit` bytes, received or unpacked."""

    def __init__(self, stream: httpx2.AsyncByteStream, unpacker: Unpacker, limit: int) -> None:
        self._stream = stream
        self._unpacker = unpacker
        self.limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        received = unpacked = 0
        async for chunk in self._stream:
            received += len(chunk)
            try:
                for piece in self._unpacker.pieces(chunk):
                    unpacked += len(piece)
                    if max(received, unpacked) > self.limit:
                        raise UnusableReply(f"the reply has more than {self.limit // 2**20} MiB")
                    yield piece
            except zlib.error as error:
                raise httpx2.DecodingError(str(error)) from None

    async def aclose(self) -> None:
        """Close the connection's stream."""
        await self._stream.aclose()


async def bound_body(response: httpx2.Response) -> None:
    """Put the limit on a reply whose body is not read yet. Raises `UnusableReply` for a packing not asked for."""
    encoding = response.headers.pop("content-encoding", "").strip().lower()
    if encoding not in _UNPACKED | _PACKED:
        await response.aclose()
        raise UnusableReply("the reply is packed in a way that was not asked for")
    body = cast("httpx2.AsyncByteStream", response.stream)
    response.stream = BoundedStream(body, _Zlib() if encoding in _PACKED else _Plain(), REPLY_BYTES)


def raise_limit(response: httpx2.Response, limit: int) -> None:
    """Allow more bytes, for a body that is not held in memory."""
    if isinstance(response.stream, BoundedStream):
        response.stream.limit = limit
