"""The SQLite file of the answer cache: its rows, each with a seal, and what happens when it is damaged."""

import errno
import fcntl
import hashlib
import hmac
import os
import re
import sqlite3
import stat
import struct
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from pydantic import TypeAdapter

from gate.record.sample import Origin, Reply
from gate.values import parsed, written

APPLICATION_ID = 0x50474154
"""`PGAT`: tells our files from any other program's."""

VERSION = 1
"""Of the tables; goes up when they change."""

SCHEMA = (
    "CREATE TABLE answers (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, codec INTEGER NOT NULL,"
    " sitting BLOB NOT NULL, taken_at REAL NOT NULL, size INTEGER NOT NULL, seal BLOB NOT NULL, reply BLOB NOT NULL)",
    # Pruning reads this index and `uses` alone, never the answers.
    "CREATE INDEX answers_by_age ON answers (taken_at, size)",
    # Apart from the answers, so that a use does not write a whole answer again.
    "CREATE TABLE uses (id INTEGER PRIMARY KEY, at REAL NOT NULL)",
)

CODEC = 2
"""Of the bytes of a reply; goes up when their meaning changes, and answers of another number are asked for again."""

SEAL_BYTES = 16
_REPLY: TypeAdapter[Reply] = TypeAdapter(Reply)
_NOW = {"origin", "effort"}
"""Fields of a reply about the run that asked for it: the origin has columns of its own."""

Row: TypeAlias = tuple[bytes, int, bytes, float, int, bytes, bytes]
"""key, codec, sitting, taken at, size, seal, reply: the columns of `answers` without its id."""

_SEALED = struct.Struct(">32sQdQ")
_CHUNKS = (64, 32, 16, 8, 4, 2, 1)
_INSERTS = {
    rows: "INSERT OR REPLACE INTO answers (key, codec, sitting, taken_at, size, seal, reply) VALUES "  # noqa: S608
    + ",".join(["(?,?,?,?,?,?,?)"] * rows)
    for rows in _CHUNKS
}
_FIND = "SELECT id, codec, sitting, taken_at, seal, reply FROM answers WHERE key = ?"


@dataclass(frozen=True, slots=True)
class TrustedRow:
    """A row that was found and believed."""

    id: int
    reply: Reply


class UntrustedRow(Exception):
    """A row whose seal does not fit."""


class Sealer:
    """Makes rows and checks their seals; without a secret a seal is a mere checksum."""

    def __init__(self, secret: bytes) -> None:
        self._mac = hashlib.blake2b(key=hashlib.sha256(secret).digest(), digest_size=SEAL_BYTES, person=b"gate answers")

    def row(self, key: bytes, reply: Reply, origin: Origin) -> Row:
        """The row that keeps `reply` under `key`."""
        blob, sitting = written(_REPLY, reply, _NOW), origin.sitting.encode("utf-8", "surrogatepass")
        seal = self._seal(key, CODEC, sitting, origin.at, blob)
        return key, CODEC, sitting, origin.at, len(blob) + len(sitting) + 120, seal, blob

    def find(self, connection: sqlite3.Connection, key: bytes) -> TrustedRow | None:
        """The answer under `key`, marked as reused; None where there is none that this version can read.

        Raises:
            UntrustedRow: there is one, which is not believed.
            sqlite3.Error: the file cannot be read.
        """
        row = connection.execute(_FIND, (key,)).fetchone()
        if row is None:
            return None
        number, codec, sitting, taken_at, seal, blob = row
        try:
            if not hmac.compare_digest(seal, self._seal(key, codec, sitting, taken_at, blob)):
                raise UntrustedRow
            if codec != CODEC:
                return None
            origin = Origin(sitting.decode("utf-8", "surrogatepass"), taken_at, reused=True)
            return TrustedRow(number, replace(_REPLY.validate_python(parsed(blob)), origin=origin))
        except (struct.error, TypeError, ValueError):
            raise UntrustedRow from None

    def _seal(self, key: bytes, codec: int, sitting: bytes, taken_at: float, blob: bytes) -> bytes:
        # BLAKE2b with a key (RFC 7693) is a MAC at a fifth of the time of HMAC-SHA256.
        mac = self._mac.copy()
        mac.update(_SEALED.pack(key, codec, taken_at, len(sitting)))
        mac.update(sitting)
        mac.update(blob)
        return mac.digest()


def insert_rows(connection: sqlite3.Connection, rows: Sequence[Row]) -> None:
    """Write rows, in few statements: each statement lets go of the interpreter, and has to wait to get it back."""
    for chunk in _chunks(rows):
        connection.execute(_INSERTS[len(chunk)], [value for row in chunk for value in row])


def _chunks(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    start = 0
    for size in _CHUNKS:
        while len(rows) - start >= size:
            yield rows[start : start + size]
            start += size


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


class UnusableFile(Exception):
    """No answers can be kept in this file, which is left as it is; the reason is one line."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Damaged(sqlite3.DatabaseError):
    """A file with our mark whose tables are missing or damaged."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


def files_of(path: Path) -> tuple[Path, ...]:
    """The file and those that SQLite puts beside it; none of them may come from a repository."""
    return (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal")))


def reason_of(error: Exception) -> str:
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
        path: its folder is made.
        warnings: gets a sentence when a damaged file was set aside.

    Raises:
        UnusableFile: this file cannot be used, and was left alone.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnusableFile(f"its folder cannot be made: {reason_of(error)}") from None
    reason = ""
    for _ in range(_TRIES):
        before = file_identity(path)
        try:
            _refuse_links(path)
            return _opened(path)
        except OSError as error:
            raise UnusableFile(reason_of(error)) from None
        except sqlite3.Error as error:
            if is_corrupt(error):
                set_aside(path, before, warnings)
            else:  # busy; or just now set aside by another process, for which SQLite has many messages
                time.sleep(0.05)
            reason = reason_of(error)
    raise UnusableFile(reason)


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


def file_identity(path: Path) -> tuple[int, int] | None:
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


def set_aside(path: Path, before: tuple[int, int] | None, warnings: list[str]) -> None:
    """Set a damaged file aside, unless another process has done so already and begun a new one.

    Args:
        before: identity of the damaged file.

    Raises:
        UnusableFile: it cannot be renamed.
    """
    try:
        with _alone(path.parent):
            if file_identity(path) != before:
                return
            aside = _set_aside(path)
    except OSError as error:
        raise UnusableFile(f"it is damaged, and cannot be set aside: {reason_of(error)}") from None
    warnings.append(f"{path.name} was damaged: it was set aside as {aside.name}, and a new one was begun.")


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
            raise UnusableFile(f"{file.name} is not a plain file (a link, perhaps one that a repository brought)")


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
        raise UnusableFile("it is another program's SQLite file")
    if version > VERSION:
        raise UnusableFile("it was written by a newer version of the gate")


def _mark(connection: sqlite3.Connection) -> tuple[int, int, int]:
    application, version, tables = (
        int(connection.execute(question).fetchone()[0])
        for question in ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
    )
    return application, version, tables


def _code(error: Exception) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
