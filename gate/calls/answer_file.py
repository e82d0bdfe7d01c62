"""The SQLite file of the answer cache: open it, rename it if it is damaged, and limit its size."""

import errno
import fcntl
import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from gate.files import make_private_file, make_private_folder

APPLICATION_ID = 0x50474154
"""`PGAT`: distinguishes our files from those of other programs."""

VERSION = 1
"""Of the tables; goes up when they change."""

SCHEMA = (
    "CREATE TABLE answers (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, codec INTEGER NOT NULL,"
    " sitting BLOB NOT NULL, taken_at REAL NOT NULL, size INTEGER NOT NULL, seal BLOB NOT NULL, reply BLOB NOT NULL)",
    # Pruning only reads this index and `uses`, never the answers.
    "CREATE INDEX answers_by_age ON answers (taken_at, size)",
    # Apart from the answers, so that a use does not write a whole answer again.
    "CREATE TABLE uses (id INTEGER PRIMARY KEY, at REAL NOT NULL)",
)

_BUSY_S = 5.0
PATIENCE_S = 60.0
"""How long the writer waits for another process."""
_TRIES = 12
_CORRUPT = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_REASONS = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_READONLY: "the file or its folder is read-only",
    sqlite3.SQLITE_PERM: "there is no permission to read or write the file",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened or created",
    sqlite3.SQLITE_IOERR: "writing or reading failed (a limit on the size of files, a quota, or a broken disk)",
    sqlite3.SQLITE_BUSY: "another process has locked the file",
    sqlite3.SQLITE_LOCKED: "another process has locked the file",
}


class UnusableFile(Exception):
    """This file cannot store answers and is left unchanged; the reason is one line."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Damaged(sqlite3.DatabaseError):
    """A file with our mark whose tables are missing or damaged."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


def files_of(path: Path) -> tuple[Path, ...]:
    """The file and SQLite's files next to it; none of them may come from a repository."""
    return (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal")))


def is_busy(error: Exception) -> bool:
    """Does another process hold the file?"""
    return _code(error) in _BUSY


def _code(error: Exception) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def reason_of(error: Exception) -> str:
    if isinstance(error, OSError):
        return "the disk is full" if error.errno == errno.ENOSPC else str(error.strerror or error)
    return _REASONS.get(_code(error)) or f"SQLite reports: {error}"


def open_file(path: Path, warnings: list[str]) -> sqlite3.Connection:
    """A connection that writes, in autocommit mode, to a file with our tables; made where there is none."""
    try:
        make_private_folder(path.parent)
    except OSError as error:
        raise UnusableFile(f"its folder cannot be created: {reason_of(error)}") from None
    reason = ""
    for _ in range(_TRIES):
        before = _file_identity(path)
        try:
            _refuse_links(path)
            make_private_file(path)
            return _opened(path)
        except OSError as error:
            raise UnusableFile(reason_of(error)) from None
        except sqlite3.Error as error:
            if _code(error) in _CORRUPT:
                _set_aside(path, before, warnings)
            else:  # busy; or just renamed by another process, which SQLite reports in many ways
                time.sleep(0.05)
            reason = reason_of(error)
    raise UnusableFile(reason)


def connect(path: Path) -> sqlite3.Connection:
    """A connection in autocommit mode that may change threads and uses little memory."""
    connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        for pragma in ("trusted_schema=OFF", "cache_size=-512", "mmap_size=0", "synchronous=NORMAL"):
            connection.execute(f"PRAGMA {pragma}").close()
    except BaseException:
        connection.close()
        raise
    return connection


def _file_identity(path: Path) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _set_aside(path: Path, before: tuple[int, int] | None, warnings: list[str]) -> None:
    """Rename a damaged file to `NAME.corrupt`, with the files next to it; an earlier one is removed. Nothing happens if
    another process has already done so and created a new one."""
    aside = path.with_name(f"{path.name}.corrupt")
    try:
        with _alone(path.parent):
            if _file_identity(path) != before:
                return
            for file in files_of(aside):
                file.unlink(missing_ok=True)
            # The log first: it must never be taken for that of the file that comes next.
            for source, target in reversed(list(zip(files_of(path), files_of(aside), strict=True))):
                with suppress(FileNotFoundError):
                    source.rename(target)
    except OSError as error:
        raise UnusableFile(f"it is damaged and cannot be renamed: {reason_of(error)}") from None
    warnings.append(f"{path.name} was damaged. It was renamed to {aside.name}, and a new file was created.")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One process at a time, so that no other sets the new file aside in place of the damaged one."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _refuse_links(path: Path) -> None:
    for file in files_of(path):
        with suppress(FileNotFoundError):
            if not stat.S_ISREG(os.lstat(file).st_mode):
                raise UnusableFile(f"{file.name} is not a regular file (a link, which the repository may contain)")


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
            raise UnusableFile("its file system does not allow write-ahead logging")
        _prepare(connection)
        # About 2 ms for each MiB. Every later run would send requests again whose answers a damaged tree hides.
        if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise _Damaged("its index or tables are damaged")
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
        raise _Damaged("its tables are not those of the answer cache")
    connection.execute("COMMIT")


def _refuse_strangers(connection: sqlite3.Connection) -> None:
    application, version, tables = _mark(connection)
    if application != APPLICATION_ID and (application, version, tables) != (0, 0, 0):
        raise UnusableFile("it is another program's SQLite file")
    if version > VERSION:
        raise UnusableFile("it was written by a newer version of the gate")


def _mark(connection: sqlite3.Connection) -> tuple[int, int, int]:
    questions = ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
    application, version, tables = (int(connection.execute(question).fetchone()[0]) for question in questions)
    return application, version, tables


@dataclass(frozen=True, slots=True)
class CacheOptions:
    """Which answers are believed, and which stay.

    Args:
        max_age_s: seconds after which an answer counts as absent.
        max_bytes: size of the file, beyond which the least recently used answers are deleted.
        not_before: seconds since the epoch; an answer taken earlier counts as absent (`--refresh`).
        secret: made from the service keys; an answer sealed with another secret counts as absent. Empty: seals guard
            against damage, not against forgery.
    """

    max_age_s: float = 7 * 86_400.0
    max_bytes: int = 512 * 2**20
    not_before: float = 0.0
    secret: bytes = field(default=b"", repr=False)


AHEAD_S = 300.0
"""An answer may come from a clock that is ahead by so many seconds; beyond that it is not believed."""

_SHARE = 0.9
_EXPIRED = "DELETE FROM answers WHERE taken_at NOT BETWEEN ? AND ? AND sitting <> ?"
_LEAST_USED = (
    "DELETE FROM answers WHERE sitting <> ? AND id IN (SELECT id FROM"
    " (SELECT id, used, sum(size) OVER (ORDER BY used, id) - size AS before FROM"
    " (SELECT id, size, max(taken_at, coalesce((SELECT at FROM uses WHERE uses.id = answers.id), 0)) AS used"
    " FROM answers) WHERE used < ?) WHERE before < ?)"
)


def prune(connection: sqlite3.Connection, options: CacheOptions, sitting: bytes, started: float, now: float) -> None:
    """Delete expired answers; if the file is too large, also the least recently used ones, down to 90 % of the limit.
    Answers that this run took or used stay, whatever their size."""
    connection.execute(_EXPIRED, (now - options.max_age_s, now + AHEAD_S, sitting))
    if _occupied(connection) > options.max_bytes:
        # Sizes leave out what pages waste, so it may take more than one round.
        while (excess := _occupied(connection) - int(_SHARE * options.max_bytes)) > 0:
            if connection.execute(_LEAST_USED, (sitting, started, excess)).rowcount == 0:
                break
    connection.execute("DELETE FROM uses WHERE id NOT IN (SELECT id FROM answers)")
    # Each page that is given back is a row without columns, at the first of which `execute` would stop.
    connection.executescript("PRAGMA incremental_vacuum")


def _occupied(connection: sqlite3.Connection) -> int:
    pages, unused, size = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - unused) * size
