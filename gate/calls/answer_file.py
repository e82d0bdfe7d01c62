"""The file that holds the answers: opened with suspicion, and set aside when it is damaged."""

import errno
import fcntl
import os
import re
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gate.calls.answer_rows import APPLICATION_ID, SCHEMA, VERSION

BUSY_S = 5.0
"""Seconds that SQLite itself waits for another process."""

KEPT_ASIDE = 2
_TRIES = 12
_CORRUPT = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_REASONS = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_READONLY: "the file or its folder is read-only",
    sqlite3.SQLITE_PERM: "the file may not be read or written",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened or made in its folder",
    sqlite3.SQLITE_IOERR: "writing or reading failed (a limit on the size of files, a quota, or a broken disk)",
    sqlite3.SQLITE_BUSY: "another process holds the file",
    sqlite3.SQLITE_LOCKED: "another process holds the file",
}


class Unusable(Exception):
    """No answers can be kept in this file, which is left as it is.

    Args:
        reason: one line, such as "it was written by a newer version of the gate".
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Damaged(sqlite3.DatabaseError):
    """Our mark, but not our tables, or not in order."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


def files_of(path: Path) -> tuple[Path, ...]:
    """The file and those that SQLite puts beside it; none of them may come from a repository."""
    return (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal")))


def plain(error: Exception) -> str:
    """One line on why SQLite or the system refused."""
    if isinstance(error, OSError):
        return "the disk is full" if error.errno == errno.ENOSPC else str(error.strerror or error)
    return _REASONS.get(_code(error)) or f"SQLite says: {error}"


def is_busy(error: sqlite3.Error) -> bool:
    """Does another process hold the file, so that waiting helps?"""
    return _code(error) in _BUSY


def is_corrupt(error: sqlite3.Error) -> bool:
    """Is the file damaged, or not a database at all?"""
    return _code(error) in _CORRUPT


def open_file(path: Path, warnings: list[str]) -> sqlite3.Connection:
    """A connection that writes, in autocommit mode, to a file with our tables; made where there is none.

    Args:
        path: the file; its folder is made.
        warnings: gets a sentence when a damaged file was set aside.

    Raises:
        Unusable: this file cannot be used, and was left alone.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unusable(f"its folder cannot be made: {plain(error)}") from None
    reason = ""
    for _ in range(_TRIES):
        before = identity(path)
        try:
            _refuse_links(path)
            return _opened(path)
        except OSError as error:
            raise Unusable(plain(error)) from None
        except sqlite3.Error as error:
            if is_corrupt(error):
                replace(path, before, warnings)
            else:  # busy; or just now set aside by another process, of which SQLite has many words
                time.sleep(0.05)
            reason = plain(error)
    raise Unusable(reason)


def connect(path: Path) -> sqlite3.Connection:
    """A connection in autocommit mode that may change threads, and keeps little in memory."""
    connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        for pragma in ("trusted_schema=OFF", "cache_size=-512", "mmap_size=0", "synchronous=NORMAL"):
            connection.execute(f"PRAGMA {pragma}").close()
    except BaseException:
        connection.close()
        raise
    return connection


def identity(path: Path) -> tuple[int, int] | None:
    """Device and number of the file at this path; None where there is none."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def size_of(path: Path) -> int:
    """Bytes of the file and of its log."""
    size = 0
    for file in files_of(path)[:2]:
        with suppress(OSError):
            size += file.stat().st_size
    return size


def replace(path: Path, before: tuple[int, int] | None, warnings: list[str]) -> None:
    """Set a damaged file aside, unless another process has done so already and begun a new one.

    Args:
        path: the file.
        before: the identity of the one that is damaged.
        warnings: gets a sentence.

    Raises:
        Unusable: it cannot be renamed.
    """
    try:
        with _alone(path.parent):
            if identity(path) != before:
                return
            aside = _set_aside(path)
    except OSError as error:
        raise Unusable(f"it is damaged, and cannot be set aside: {plain(error)}") from None
    warnings.append(f"{path.name} was damaged: it was set aside as {aside.name}, and a new one was begun.")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One process at a time, so that nobody sets the new file aside in place of the damaged one."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _set_aside(path: Path) -> Path:
    """To `NAME.corrupt-N`, with the files beside it; the newest two stay."""
    numbers = sorted(_aside(path))
    target = path.with_name(f"{path.name}.corrupt-{numbers[-1] + 1 if numbers else 1}")
    for old in numbers[: max(0, len(numbers) - KEPT_ASIDE + 1)]:
        for file in files_of(path.with_name(f"{path.name}.corrupt-{old}")):
            file.unlink(missing_ok=True)
    # The log first: it must never be taken for that of the file that comes next.
    for source, to in reversed(list(zip(files_of(path), files_of(target), strict=True))):
        try:
            source.rename(to)
        except FileNotFoundError:
            continue
    return target


def _aside(path: Path) -> list[int]:
    pattern = re.compile(re.escape(path.name) + r"\.corrupt-(\d{1,9})")
    return [int(found[1]) for name in os.listdir(path.parent) if (found := pattern.fullmatch(name))]


def _refuse_links(path: Path) -> None:
    for file in files_of(path):
        try:
            mode = os.lstat(file).st_mode
        except FileNotFoundError:
            continue
        if not stat.S_ISREG(mode):
            raise Unusable(f"{file.name} is not a plain file (a link, perhaps one that a repository brought)")


def _opened(path: Path) -> sqlite3.Connection:
    connection = connect(path)
    try:
        connection.execute("BEGIN")  # one view of the file, should another process begin it just now
        begun = _mark(connection) != (0, 0, 0)
        _refuse_strangers(connection)
        connection.execute("COMMIT")
        if not begun:
            connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
        if connection.execute("PRAGMA journal_mode=WAL").fetchone() != ("wal",):
            raise Unusable("its file system does not allow write-ahead logging")
        _prepare(connection)
        # About 2 ms for each MiB. What a damaged tree swallows would be asked again by every later run.
        if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise _Damaged("its trees are damaged")
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    _refuse_strangers(connection)
    if _mark(connection)[1] < VERSION:
        for table in ("answers", "uses"):
            connection.execute(f"DROP TABLE IF EXISTS {table}")
        for statement in SCHEMA:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version={VERSION}")
    # A trigger or a view of somebody else's would run at each of our statements.
    if {row[0] for row in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")} != set(SCHEMA):
        raise _Damaged("its tables are not ours")
    connection.execute("COMMIT")


def _refuse_strangers(connection: sqlite3.Connection) -> None:
    application, version, tables = _mark(connection)
    if application != APPLICATION_ID and (application, version, tables) != (0, 0, 0):
        raise Unusable("it is another program's SQLite file")
    if version > VERSION:
        raise Unusable("it was written by a newer version of the gate")


def _mark(connection: sqlite3.Connection) -> tuple[int, int, int]:
    application, version, tables = (
        int(connection.execute(question).fetchone()[0])
        for question in ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
    )
    return application, version, tables


def _code(error: Exception) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
