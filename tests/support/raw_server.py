"""A server on loopback that answers every request with bytes as they are, and counts those that it could send."""

import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Self


class RawServer:
    """Sends a status line, headers, and a body until it ends or nobody reads it.

    Args:
        body: makes the parts of the body, as they are sent.
    """

    def __init__(self, status: int, headers: Mapping[str, str], body: Callable[[], Iterator[bytes]]) -> None:
        lines = [f"HTTP/1.1 {status} Said", "connection: close", *(f"{key}: {value}" for key, value in headers.items())]
        self._head = "\r\n".join(lines).encode() + b"\r\n\r\n"
        self._body = body
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.requests = self.sent = 0

    @contextmanager
    def running(self) -> Iterator[Self]:
        """Serve meanwhile."""
        thread = threading.Thread(target=self._serve, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            thread.join(10)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                with connection, suppress(OSError):
                    self._answer(connection)

    def _answer(self, connection: socket.socket) -> None:
        connection.settimeout(10)
        text = b""
        while b"\r\n\r\n" not in text:
            text += connection.recv(65536)
        head, _, rest = text.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
        while len(rest) < length:
            rest += connection.recv(65536)
        self.requests += 1
        connection.sendall(self._head)
        for part in self._body():
            connection.sendall(part)
            self.sent += len(part)
