"""One thread that writes: whatever has come since its last transaction becomes the next one."""

import asyncio
import json
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TypeAlias

from gate.calls.answer_file import Unusable, identity, is_busy, is_corrupt, open_file, plain, replace, size_of
from gate.calls.answer_rows import Row, insert
from gate.calls.pruning import Bound, prune

Verdict: TypeAlias = "asyncio.Future[str | None]"
"""None once the row is on disk, else why it is not."""

_LONGEST_CLOSE_S = 3.0
"""A runner that cancels a job kills it after 7.5 s, and the comment comes after this."""
_PATIENCE_S = 60.0
_GATHERING_S = 0.02
_STEP_S = 0.004
"""Each transaction takes the interpreter away from the loop, and wakes it up. So while answers keep coming, the next
one waits for more of them, and begins as soon as a step brings none; after one of a single answer it does not wait.

Nobody's slot is held meanwhile: a call that waits to be written down has given its own back."""
_GROWTH = 1.1


@dataclass(frozen=True, slots=True)
class _Entry:
    row: Row
    written: Verdict


@dataclass(frozen=True, slots=True)
class _Uses:
    ids: Sequence[int]
    at: float


_Job: TypeAlias = "_Entry | _Uses | Callable[[], None]"


class Writer:
    """Owns the connection that writes.

    Args:
        path: the file.
        bound: what may stay in it.
        clock: seconds since the epoch.
        warnings: sentences for the user; the writer adds to it.

    Raises:
        Unusable: the file cannot be used.
    """

    def __init__(self, path: Path, bound: Bound, clock: Callable[[], float], warnings: list[str]) -> None:
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
        written: Verdict = asyncio.get_running_loop().create_future()
        self._jobs.put(_Entry(row, written))
        return await written

    def used(self, ids: Sequence[int], at: float) -> None:
        """Note that these rows were used; some time soon."""
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
            self._warnings.append(f"{self._path.name} could not be closed: {plain(error)}.")

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
        except Unusable as unusable:
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
                    return plain(error)

    def _commit(self, rows: Sequence[Row], uses: Sequence[_Uses]) -> None:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            insert(self._connection, rows)
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
        return identity(self._path), identity(self._path.with_name(self._path.name + "-wal"))

    def _told_of_damage(self) -> None:
        try:
            if not self._renewed:
                self._begin_anew()
        except (Unusable, sqlite3.Error) as error:
            self.broken = error.reason if isinstance(error, Unusable) else plain(error)

    def _begin_anew(self) -> None:
        """Once at most: a file that is damaged twice stands for a broken disk."""
        self._renewed = True
        self._connection.close()
        replace(self._path, self._identity[0], self._warnings)
        self._connection = open_file(self._path, self._warnings)
        self._identity = self._identities()

    def _prune(self) -> None:
        try:
            prune(self._connection, self._bound, self._clock())
        except sqlite3.Error as error:
            if not self.broken and not is_busy(error):
                self._warnings.append(f"{self._path.name} could not be pruned: {plain(error)}.")
        except (TypeError, ValueError, OverflowError):
            # A strange cell in the file; a thread that died of it would leave everybody waiting.
            self._warnings.append(f"{self._path.name} could not be pruned: it holds sizes or times that are none.")

    def _shrink(self) -> None:
        with suppress(sqlite3.Error):  # else the log is moved into the file later
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        # What this sitting uses stays, so the file may be over its bound for now: no use in trying at every batch.
        self._prune_at = max(self._bound.max_bytes, int(_GROWTH * size_of(self._path)))


def _settle(entries: Sequence[_Entry], refused: str | None) -> None:
    """One call into each event loop that waits; most often there is one."""
    waiting: dict[asyncio.AbstractEventLoop, list[Verdict]] = {}
    for entry in entries:
        waiting.setdefault(entry.written.get_loop(), []).append(entry.written)
    for loop, verdicts in waiting.items():
        try:
            loop.call_soon_threadsafe(_resolve, verdicts, refused)
        except RuntimeError:
            continue  # the loop is closed: nobody waits any more


def _resolve(verdicts: Sequence[Verdict], refused: str | None) -> None:
    for written in verdicts:
        if not written.done():
            written.set_result(refused)
