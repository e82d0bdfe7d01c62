"""The thread that writes to the answer cache, and keeps the file within its size."""

import asyncio
import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TypeAlias

from gate.calls.cache.file import (
    Row,
    UnusableFile,
    file_identity,
    insert_rows,
    is_busy,
    is_corrupt,
    open_file,
    reason_of,
    set_aside,
    size_of,
)

AHEAD_S = 300.0
"""An answer may come from a clock that is ahead by so many seconds; beyond that it is not believed."""

_SHARE = 0.9
_AT_ONCE = 1000
_EXPIRED = (
    "SELECT id, max(taken_at, coalesce((SELECT at FROM uses WHERE uses.id = answers.id), 0)) AS used"
    " FROM answers WHERE (taken_at < ? OR taken_at > ?) AND used NOT BETWEEN ? AND ?"
)
_LEAST_USED = (
    "SELECT id, size, max(taken_at, coalesce((SELECT at FROM uses WHERE uses.id = answers.id), 0)) AS used"
    " FROM answers WHERE used NOT BETWEEN ? AND ? ORDER BY used"
)


@dataclass(frozen=True, slots=True)
class SizeBound:
    """Which answers may stay.

    Args:
        max_age_s: seconds after which an answer is not used any more.
        sitting: what it took or used since it started stays, whatever its size.
        started: seconds since the epoch.
    """

    max_age_s: float
    max_bytes: int
    sitting: bytes
    started: float


def prune(connection: sqlite3.Connection, bound: SizeBound, now: float) -> None:
    """Delete the expired; if the file is over its bound, then also the least recently used, down to 90 % of it.

    Raises:
        sqlite3.Error: the file is busy, full or damaged; it is as usable as before.
    """
    # Whatever was used since the start stays; a use in the far future is a clock that jumped.
    used = (bound.started, max(now, bound.started) + AHEAD_S)
    expired = connection.execute(_EXPIRED, (now - bound.max_age_s, now + AHEAD_S, *used)).fetchall()
    _delete(connection, [row[0] for row in expired], bound.sitting)
    if _occupied(connection) > bound.max_bytes:
        # Sizes leave out what pages waste, so it may take more than one round.
        while (excess := _occupied(connection) - int(_SHARE * bound.max_bytes)) > 0:
            oldest = list(_until(connection, used, excess))
            if _delete(connection, oldest, bound.sitting) == 0:
                break
    connection.execute("DELETE FROM uses WHERE id NOT IN (SELECT id FROM answers)")
    # Each page that is given back is a row without columns, at the first of which `execute` would stop.
    connection.executescript("PRAGMA incremental_vacuum")


def _until(connection: sqlite3.Connection, used: tuple[float, float], excess: int) -> Iterator[int]:
    cursor = connection.execute(_LEAST_USED, used)
    for number, size, _ in cursor:
        yield number
        excess -= size
        if excess <= 0:
            break
    cursor.close()


def _delete(connection: sqlite3.Connection, numbers: Sequence[int], sitting: bytes) -> int:
    gone = 0
    for start in range(0, len(numbers), _AT_ONCE):
        some = json.dumps(numbers[start : start + _AT_ONCE])
        gone += connection.execute(
            "DELETE FROM answers WHERE id IN (SELECT value FROM json_each(?)) AND sitting <> ?", (some, sitting)
        ).rowcount
    return gone


def _occupied(connection: sqlite3.Connection) -> int:
    pages, unused, size = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - unused) * size


WriteResult: TypeAlias = "asyncio.Future[str | None]"
"""None once the row is on disk, else why it is not."""

_LONGEST_CLOSE_S = 3.0
"""A runner that cancels a job kills it after 7.5 s, and the comment comes after this."""
_PATIENCE_S = 60.0
_GATHERING_S = 0.02
_STEP_S = 0.004
"""Each transaction takes the interpreter from the event loop, and wakes it up. So while answers keep coming, the next
one waits for more of them, and begins as soon as a step brings none; after a single answer it does not wait. A call
that waits for its write holds no slot."""
_GROWTH = 1.1


@dataclass(frozen=True, slots=True)
class _Entry:
    row: Row
    written: WriteResult


@dataclass(frozen=True, slots=True)
class _Uses:
    ids: Sequence[int]
    at: float


_Job: TypeAlias = "_Entry | _Uses | Callable[[], None]"


class Writer:
    """Owns the connection that writes.

    Args:
        warnings: sentences for the user, added by the writer.

    Raises:
        UnusableFile: the file cannot be used.
    """

    def __init__(self, path: Path, bound: SizeBound, clock: Callable[[], float], warnings: list[str]) -> None:
        self._path = path
        self._bound = bound
        self._clock = clock
        self._warnings = warnings
        self._connection = open_file(path, warnings)
        self._identity = self._identities()
        self._prune_at = bound.max_bytes
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._stopping = self._hurry = False
        self._renewed = False
        self._several = False
        self.broken: str | None = None
        self.kept = 0
        self._thread = threading.Thread(target=self._run, name="answers", daemon=True)
        self._thread.start()

    async def write(self, row: Row) -> str | None:
        """None once the row is on disk, else why it is not."""
        if self.broken:
            return self.broken
        written: WriteResult = asyncio.get_running_loop().create_future()
        self._jobs.put(_Entry(row, written))
        return await written

    def used(self, ids: Sequence[int], at: float) -> None:
        """Note, with some delay, that these rows were used."""
        self._jobs.put(_Uses(ids, at))

    def begin_anew(self) -> None:
        """The file was found to be damaged: set it aside and write to a new one from here on."""
        self._jobs.put(self._told_of_damage)

    def close(self) -> None:
        """Write what is queued, prune, and leave one closed file without a log beside it."""
        if self._thread.is_alive():
            self._hurry = True
            self._jobs.put(self._stop)
            self._thread.join(_LONGEST_CLOSE_S)

    def _stop(self) -> None:
        self._stopping = True

    def _run(self) -> None:
        while not self._stopping:
            jobs = self._waiting()
            for job in jobs:
                if callable(job):
                    job()
            entries = [job for job in jobs if isinstance(job, _Entry)]
            uses = [job for job in jobs if isinstance(job, _Uses)]
            if entries or uses:
                self._serve(entries, uses)
                self._several = len(entries) > 1
        self._prune()
        try:
            self._connection.close()
        except sqlite3.Error as error:
            self._warnings.append(f"{self._path.name} could not be closed: {reason_of(error)}.")

    def _waiting(self) -> list[_Job]:
        jobs = [self._jobs.get()]
        latest, more = time.monotonic() + _GATHERING_S, self._several
        while more and not self._hurry and time.monotonic() < latest:
            before = self._jobs.qsize()
            time.sleep(_STEP_S)
            more = self._jobs.qsize() > before
        while True:
            try:
                jobs.append(self._jobs.get_nowait())
            except Empty:
                return jobs

    def _serve(self, entries: Sequence[_Entry], uses: Sequence[_Uses]) -> None:
        try:
            refused = self.broken or self._write([entry.row for entry in entries], uses)
        except UnusableFile as unusable:
            refused = self.broken = unusable.reason
        except Exception as error:  # a thread that died would leave everybody waiting
            refused = f"the writer failed: {error!r}"
        if refused is None:
            self.kept += len(entries)
        elif entries:
            self.broken = refused
        _settle(entries, refused)
        if refused is None and size_of(self._path) > self._prune_at:
            self._prune()
            self._shrink()

    def _write(self, rows: Sequence[Row], uses: Sequence[_Uses]) -> str | None:
        """None when all is on disk, else why not."""
        patient_until = time.monotonic() + _PATIENCE_S
        while True:
            try:
                self._commit(rows, uses)
                if self._identity == (now := self._identities()):
                    return None
                if now[0] is None or self._renewed or any(a == b for a, b in zip(now, self._identity, strict=True)):
                    return "the file was removed while it was in use"
                self._begin_anew()  # another process set it aside, and has begun a new one
            except sqlite3.Error as error:
                if is_corrupt(error) and not self._renewed:
                    self._begin_anew()
                elif not (is_busy(error) and time.monotonic() < patient_until and not self._hurry):
                    return reason_of(error)

    def _commit(self, rows: Sequence[Row], uses: Sequence[_Uses]) -> None:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            insert_rows(self._connection, rows)
            if uses:
                ids = [number for some in uses for number in some.ids]
                note = "INSERT OR REPLACE INTO uses (id, at) SELECT value, ? FROM json_each(?)"
                self._connection.execute(note, (uses[-1].at, json.dumps(ids)))
            self._connection.execute("COMMIT")
        except BaseException:
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error:
            return  # the error that led here says more

    def _identities(self) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
        return file_identity(self._path), file_identity(self._path.with_name(self._path.name + "-wal"))

    def _told_of_damage(self) -> None:
        try:
            if not self._renewed:
                self._begin_anew()
        except (UnusableFile, sqlite3.Error) as error:
            self.broken = error.reason if isinstance(error, UnusableFile) else reason_of(error)

    def _begin_anew(self) -> None:
        """Once at most: a file that is damaged twice stands for a broken disk."""
        self._renewed = True
        self._connection.close()
        set_aside(self._path, self._identity[0], self._warnings)
        self._connection = open_file(self._path, self._warnings)
        self._identity = self._identities()

    def _prune(self) -> None:
        try:
            prune(self._connection, self._bound, self._clock())
        except sqlite3.Error as error:
            if not self.broken and not is_busy(error):
                self._warnings.append(f"{self._path.name} could not be pruned: {reason_of(error)}.")
        except (TypeError, ValueError, OverflowError):
            # A strange cell in the file; a thread that died of it would leave everybody waiting.
            self._warnings.append(f"{self._path.name} could not be pruned: it holds sizes or times that are none.")

    def _shrink(self) -> None:
        with suppress(sqlite3.Error):  # else the log is moved into the file later
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        # What this sitting uses stays, so the file may be over its bound for now: no use in trying at every batch.
        self._prune_at = max(self._bound.max_bytes, int(_GROWTH * size_of(self._path)))


def _settle(entries: Sequence[_Entry], refused: str | None) -> None:
    """Tell each waiting event loop in one call; most often there is one."""
    waiting: dict[asyncio.AbstractEventLoop, list[WriteResult]] = {}
    for entry in entries:
        waiting.setdefault(entry.written.get_loop(), []).append(entry.written)
    for loop, verdicts in waiting.items():
        try:
            loop.call_soon_threadsafe(_resolve, verdicts, refused)
        except RuntimeError:
            continue  # the loop is closed: nobody waits any more


def _resolve(verdicts: Sequence[WriteResult], refused: str | None) -> None:
    for written in verdicts:
        if not written.done():
            written.set_result(refused)
