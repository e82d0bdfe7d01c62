"""A Postgres server of our own, for as long as a test runs."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """The address of a new server, which is stopped in the end.

    Args:
        folder: empty; gets the files of the server.
    """
    with warnings.catch_warnings():
        # A machine without a folder for sockets gets one under /tmp.
        warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")
        from pgserver.postgres_server import get_server

        server = get_server(folder, cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()
