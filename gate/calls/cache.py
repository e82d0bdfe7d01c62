"""The answer cache and the journal of a run: answers in one SQLite file, found by the key of their request."""

import asyncio
import hashlib
import hmac
import json
import sqlite3
import struct
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Self, TypeAlias

from pydantic import TypeAdapter

from gate.calls.answer_file import (
    AHEAD_S,
    PATIENCE_S,
    CacheOptions,
    UnusableFile,
    connect,
    is_busy,
    open_file,
    prune,
    reason_of,
)
from gate.calls.interface import AnswerNotSaved, Request
from gate.config.models import ModelRef, Params
from gate.record.transcript import Origin, Reply
from gate.values import JsonValue, digest, parsed, written

FORMAT = 1
"""Goes up when the same request gets another meaning, so that older answers are no longer found."""

UNSENT = frozenset({"timeout_s"})
"""Parameters that no request carries."""


def request_key(request: Request, address: str) -> bytes:
    """SHA-256 of everything that is sent, of the sample index, and of the case: two cases with the same question are
    two samples.

    Args:
        address: the URL of the interface; where a path is the model, something that changes with the file's content.
    """
    # A model fills a schema in the order in which it is written, so its keys are not sorted.
    schema = "" if request.schema is None else json.dumps(dict(request.schema), ensure_ascii=False)
    parts = [_head(request.model, request.params, address), schema, str(request.index), request.about]
    for message in request.messages:
        parts += message.told
    for tool in request.tools:
        parts += ("tool", tool.name, tool.description, tool.schema)
    # Each part is preceded by its length, so two lists cannot have the same bytes. JSON would take three times as long.
    encoded = [part.encode("utf-8", "surrogatepass") for part in parts]
    lengths = struct.pack(f">{len(encoded)}Q", *map(len, encoded))
    return hashlib.sha256(b"".join((struct.pack(">Q", len(encoded)), lengths, *encoded))).digest()


@lru_cache(maxsize=256)
def _head(model: ModelRef, params: Params, address: str) -> str:
    sent: dict[str, JsonValue] = {k: _plain(v) for k, v in params.changed().items() if k not in UNSENT}
    return digest([FORMAT, model.provider, model.name, address, sent])


def _plain(value: JsonValue) -> JsonValue:
    """1.0 becomes 1: equal parameters have one key, whichever was given."""
    return int(value) if isinstance(value, float) and float.is_integer(value) else value


CODEC = 4
"""Version of the bytes of a reply; raised when their meaning changes. Answers of another version are not used."""

_REPLY: TypeAdapter[Reply] = TypeAdapter(Reply)
_NOW = {"origin", "effort"}
"""Fields of a reply about the run that requested it: the origin has its own columns."""

Row: TypeAlias = tuple[bytes, int, bytes, float, int, bytes, bytes]
"""key, codec, sitting, taken at, size, seal, reply: the columns of `answers` without its id."""

_SEALED = struct.Struct(">32sQdQ")
_INSERT = "INSERT OR REPLACE INTO answers (key, codec, sitting, taken_at, size, seal, reply) VALUES (?,?,?,?,?,?,?)"
_FIND = "SELECT id, codec, sitting, taken_at, seal, reply FROM answers WHERE key = ?"


class UntrustedRow(Exception):
    """A row whose seal does not fit."""


class Sealer:
    """Makes rows and checks their seals; without a secret a seal is a mere checksum."""

    def __init__(self, secret: bytes) -> None:
        self._mac = hashlib.blake2b(key=hashlib.sha256(secret).digest(), digest_size=16, person=b"gate answers")

    def row(self, key: bytes, reply: Reply, origin: Origin) -> Row:
        """The row that stores `reply` under `key`."""
        blob, sitting = written(_REPLY, reply, _NOW), origin.sitting.encode("utf-8", "surrogatepass")
        seal = self._seal(key, CODEC, sitting, origin.at, blob)
        return key, CODEC, sitting, origin.at, len(blob) + len(sitting) + 120, seal, blob

    def find(self, connection: sqlite3.Connection, key: bytes) -> tuple[int, Reply] | None:
        """The row's number and the answer under `key`, marked as reused; None where there is none that this version
        can read. Raises `UntrustedRow`, `sqlite3.Error`.
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
            return number, replace(_REPLY.validate_python(parsed(blob)), origin=origin)
        except (struct.error, TypeError, ValueError):
            raise UntrustedRow from None

    def _seal(self, key: bytes, codec: int, sitting: bytes, taken_at: float, blob: bytes) -> bytes:
        # BLAKE2b with a key (RFC 7693) is a MAC at a fifth of the time of HMAC-SHA256.
        mac = self._mac.copy()
        mac.update(_SEALED.pack(key, codec, taken_at, len(sitting)))
        mac.update(sitting)
        mac.update(blob)
        return mac.digest()


_Written: TypeAlias = "asyncio.Future[str | None]"
"""None once the row is on disk, else why it is not."""

_LONGEST_CLOSE_S = 3.0
"""A runner that cancels a job kills it after 7.5 s, and the comment comes after this."""
_GATHERING_S = 0.01
"""Each transaction takes the interpreter from the event loop, and wakes it up. So while answers keep coming, the next
one waits for more of them; after a single answer it does not wait. A call that waits for its write holds no slot."""


class _Writer:
    """The thread that owns the writing connection. A job is an answer to write, or other work."""

    def __init__(self, path: Path, warnings: list[str]) -> None:
        self._name = path.name
        self._warnings = warnings
        self._connection = open_file(path, warnings)
        self._connection.execute(f"PRAGMA busy_timeout={int(PATIENCE_S * 1000)}").close()
        self._jobs: SimpleQueue[tuple[Row, _Written] | Callable[[sqlite3.Connection], object]] = SimpleQueue()
        self._closing = threading.Event()
        self._broken: str | None = None
        self._thread = threading.Thread(target=self._run, name="answers", daemon=True)
        self._thread.start()

    async def write(self, row: Row) -> str | None:
        """None once the row is on disk, else why it is not."""
        if self._broken:
            return self._broken
        result: _Written = asyncio.get_running_loop().create_future()
        self._jobs.put((row, result))
        return await result

    def do(self, job: Callable[[sqlite3.Connection], object]) -> None:
        """Have something done in its turn; what fails becomes a warning."""
        self._jobs.put(job)

    def close(self) -> None:
        """Finish what is queued, and leave one closed file without a log."""
        self._closing.set()
        self._jobs.put(lambda connection: None)
        self._thread.join(_LONGEST_CLOSE_S)

    def _run(self) -> None:
        several = False
        while not (self._closing.is_set() and self._jobs.empty()):
            jobs = [self._jobs.get()]
            if several:
                self._closing.wait(_GATHERING_S)
            with suppress(Empty):
                while True:
                    jobs.append(self._jobs.get_nowait())
            answers = [job for job in jobs if isinstance(job, tuple)]
            several = len(answers) > 1
            if answers:
                self._keep(answers)
            for job in jobs:
                if not isinstance(job, tuple):
                    self._attempt(job)
        self._attempt(sqlite3.Connection.close)

    def _keep(self, answers: Sequence[tuple[Row, _Written]]) -> None:
        self._broken = refused = self._broken or self._commit([row for row, _ in answers])
        for _, result in answers:
            with suppress(RuntimeError):  # the loop is closed: no task waits any more
                result.get_loop().call_soon_threadsafe(_resolve, result, refused)

    def _commit(self, rows: Sequence[Row]) -> str | None:
        """None when all is on disk, else why not."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(_INSERT, rows)
            self._connection.execute("COMMIT")
        except Exception as error:  # a thread that died would leave everybody waiting
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            return reason_of(error)
        return None

    def _attempt(self, job: Callable[[sqlite3.Connection], object]) -> None:
        try:
            job(self._connection)
        except Exception as error:  # as above; a strange cell in the file among that
            if not self._broken and not is_busy(error):
                self._warnings.append(f"{self._name} could not be cleaned up: {reason_of(error)}.")


def _resolve(result: _Written, refused: str | None) -> None:
    if not result.done():
        result.set_result(refused)


_USE = "INSERT OR REPLACE INTO uses (id, at) SELECT value, ? FROM json_each(?)"


class AnswerStore:
    """A `Memory` in one SQLite file, which several processes may use at once. Not for several threads.

    Args:
        address_of: the address of a model, as in `request_key`.
    """

    def __init__(
        self,
        path: Path,
        address_of: Callable[[ModelRef], str],
        sitting: str,
        options: CacheOptions | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = path
        self._address_of = address_of
        self._sitting = sitting
        self._options = options or CacheOptions()
        self._clock = clock
        self._started = clock()
        self._sealer = Sealer(self._options.secret)
        self._distrusted = 0
        self._used: list[int] = []
        self._warnings: list[str] = []
        self._closed = False
        self._writer = _Writer(path, self._warnings)
        self._reader: sqlite3.Connection | None = None
        try:
            self._reader = connect(path)
            self._reader.execute("PRAGMA query_only=ON")
        except sqlite3.Error as error:
            self.close()
            raise UnusableFile(reason_of(error)) from None

    @property
    def empty(self) -> bool:
        """No answer is known, old or new."""
        try:
            return self._reader is None or self._reader.execute("SELECT 1 FROM answers LIMIT 1").fetchone() is None
        except sqlite3.Error:
            return True

    def find(self, request: Request) -> Reply | None:
        """The answer to exactly this request, marked as reused; None where there is none to rely on."""
        try:
            known = self._believed(request)
        except UntrustedRow:
            self._distrusted += 1
            return None
        if known is None:
            return None
        self._used.append(known[0])
        return known[1]

    def earlier(self, request: Request) -> Reply | None:
        """As `find`, without counting it as a use, so that it does not keep the answer from being pruned."""
        with suppress(UntrustedRow):
            known = self._believed(request)
            return known[1] if known else None
        return None

    async def keep(self, request: Request, reply: Reply) -> Reply:
        """Save an answer, replacing an older one; returns it with its origin when the transaction is committed.

        A reply without an origin comes from this run, now; an existing origin stays.
        """
        if self._closed:
            raise AnswerNotSaved("the file is closed")
        taken = Origin(self._sitting, self._clock()) if reply.origin == Origin() else reply.origin
        refused = await self._writer.write(self._sealer.row(self._key_of(request), reply, taken))
        if refused is not None:
            raise AnswerNotSaved(refused)
        return replace(reply, origin=taken)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences for the user, so far; complete after `close`."""
        if (n := self._distrusted) == 0:
            return tuple(self._warnings)
        some = "1 answer was" if n == 1 else f"{n} answers were"
        return (
            *self._warnings,
            f"{some} not used, because they were cached with other API keys or changed since (in {self.path.name}).",
        )

    def close(self) -> None:
        """Write what is left, prune, and close: one file is left, without a log. May be called again."""
        if not self._closed:
            self._closed = True
            self._note_uses()
            self._stop_reading()  # before the writer, so that the last connection removes the log
            mine = self._sitting.encode("utf-8", "surrogatepass")
            now = self._clock()
            self._writer.do(partial(prune, options=self._options, sitting=mine, started=self._started, now=now))
            self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _key_of(self, request: Request) -> bytes:
        return request_key(request, self._address_of(request.model))

    def _believed(self, request: Request) -> tuple[int, Reply] | None:
        """The row's number and its answer, unless it is too old, or from a time that has not come yet."""
        known = self._row(request)
        if known is None or (at := known[1].origin.at) < self._options.not_before:
            return None
        now = self._clock()
        return known if now - self._options.max_age_s <= at <= now + AHEAD_S else None

    def _row(self, request: Request) -> tuple[int, Reply] | None:
        if self._reader is None:
            return None
        try:
            return self._sealer.find(self._reader, self._key_of(request))
        except sqlite3.Error as error:
            if not is_busy(error):
                self._stop_reading()
                self._warnings.append(
                    f"{self.path.name} can no longer be read, so every request is sent: {reason_of(error)}."
                )
            return None

    def _note_uses(self) -> None:
        if self._used:
            # Never before the start: what this run used is not pruned, even if the clock was set back.
            noted = (max(self._clock(), self._started), json.dumps(self._used))
            self._writer.do(lambda connection: connection.execute(_USE, noted))

    def _stop_reading(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None
