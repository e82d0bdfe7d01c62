"""Lists over a socket, each message behind its length; what is said within a moment travels as one message."""

import asyncio
from collections.abc import Callable

from gate.providers.elsewhere.wire import Item, dumps, loads

MOST_ITEMS = 32
"""A message is sent at once when it holds so many."""

_LENGTH_BYTES = 4


class Frames(asyncio.Protocol):
    """One end of a connection.

    Args:
        heard: is given the items of each message.
        lost: is called once, when the other end is gone.
        window_s: seconds that an item may wait for company; 0 waits for what is ready to run anyway.
    """

    def __init__(self, heard: Callable[[list[Item]], None], lost: Callable[[], None], window_s: float = 0.0) -> None:
        self._heard = heard
        self._lost = lost
        self._window_s = window_s
        self._transport: asyncio.Transport | None = None
        self._waiting: list[Item] = []
        self._handle: asyncio.Handle | None = None
        self._buffer = bytearray()

    def say(self, item: Item) -> None:
        """Send an item soon; before there is a connection, it waits for one."""
        self._waiting.append(item)
        if len(self._waiting) >= MOST_ITEMS:
            self._flush()
        elif self._handle is None:
            loop = asyncio.get_running_loop()
            self._handle = (
                loop.call_later(self._window_s, self._flush) if self._window_s else loop.call_soon(self._flush)
            )

    def close(self) -> None:
        """Send what waits, and close."""
        self._flush()
        if self._transport is not None:
            self._transport.close()

    def _flush(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
        if self._transport is None or not self._waiting:
            return
        body = dumps([*self._waiting])
        self._waiting.clear()
        self._transport.write(len(body).to_bytes(_LENGTH_BYTES, "big") + body)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The event loop's word that the socket is ready."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 a stream socket has no other
        self._transport = transport
        self._flush()

    def data_received(self, data: bytes) -> None:
        """The event loop's delivery: a part of a message, or several."""
        buffer = self._buffer
        buffer += data
        start = 0
        while len(buffer) - start >= _LENGTH_BYTES:
            body = start + _LENGTH_BYTES
            end = body + int.from_bytes(buffer[start:body], "big")
            if end > len(buffer):
                break
            self._heard([item for item in loads(buffer[body:end]) if isinstance(item, list)])
            start = end
        if start:
            del buffer[:start]

    def connection_lost(self, exc: Exception | None) -> None:
        """The event loop's word that the other end is gone."""
        self._transport = None
        self._lost()
