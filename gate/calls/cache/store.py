"""The answer cache and the journal of a run: answers on disk, found by the key of their request."""

import hashlib
import json
import sqlite3
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Self

from gate.calls.cache.file import (
    Sealer,
    TrustedRow,
    UntrustedRow,
    UnusableFile,
    connect,
    is_busy,
    is_corrupt,
    reason_of,
    size_of,
)
from gate.calls.cache.writer import AHEAD_S, SizeBound, Writer
from gate.calls.interface import AnswerNotSaved
from gate.calls.provider import Request
from gate.config.models import ModelRef, Params
from gate.record.sample import Origin, Reply
from gate.values import JsonValue, digest

FORMAT = 1
"""Goes up when the same request gets another meaning, so that older answers are no longer found."""

UNSENT = frozenset({"timeout_s"})
"""Parameters that no request carries: a waiting time."""


def request_key(request: Request, address: str) -> bytes:
    """SHA-256 (32 bytes) of everything that is sent: model, address, parameters, messages, schema, tools, sample index.

    And of the case that it is for: two cases with the same question are two samples.

    Args:
        address: the URL of the interface, after environment and defaults. Where a path is the model (`local:`,
            `replay:`), something that changes with the content of the file.
    """
    # A model fills a schema in the order in which it is written, so its keys are not sorted.
    schema = "" if request.schema is None else json.dumps(dict(request.schema), ensure_ascii=False)
    parts = [_head(request.model, request.params, address), schema, str(request.index), request.about]
    for message in request.messages:
        parts += message.told
    for tool in request.tools:
        parts += ("tool", tool.name, tool.description, tool.schema)
    # Each part says how long it is, so no two lists of parts look alike. JSON would take three times as long.
    encoded = [part.encode("utf-8", "surrogatepass") for part in parts]
    lengths = struct.pack(f">{len(encoded)}Q", *map(len, encoded))
    return hashlib.sha256(b"".join((struct.pack(">Q", len(encoded)), lengths, *encoded))).digest()


@lru_cache(maxsize=256)
def _head(model: ModelRef, params: Params, address: str) -> str:
    sent: dict[str, JsonValue] = {k: _plain(v) for k, v in params.changed().items() if k not in UNSENT}
    return digest([FORMAT, model.provider, model.name, address, sent])


def _plain(value: JsonValue) -> JsonValue:
    """1.0 becomes 1: equal parameters have one key, whichever was given."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


_USES_AT_ONCE = 500
_ASKED_AT_ONCE = 1000


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


@dataclass(slots=True)
class CacheStats:
    """Counts of this sitting; every `find` is one of found, absent, expired and distrusted.

    Args:
        absent: includes answers from before `not_before`.
        expired: too old, or from a time that has not come yet.
        distrusted: with a seal that did not fit.
        bytes: size of the file and of its log, now.
        oldest_used_at: seconds since the epoch; None if none was found.
    """

    found: int = 0
    absent: int = 0
    expired: int = 0
    distrusted: int = 0
    kept: int = 0
    bytes: int = 0
    oldest_used_at: float | None = None


class AnswerStore:
    """A `Memory` in one SQLite file, which several processes may use at once. Not for several threads.

    Args:
        path: its folder is made.
        address_of: where a model is asked, as in `request_key`.

    Raises:
        UnusableFile: the file cannot be used, and was left alone.
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
        self._stats = CacheStats()
        self._used: list[int] = []
        self._asked: dict[int, tuple[Request, bytes]] = {}
        self._warnings: list[str] = []
        mine = sitting.encode("utf-8", "surrogatepass")
        bound = SizeBound(self._options.max_age_s, self._options.max_bytes, mine, self._started)
        self._closed = False
        self._writer = Writer(path, bound, clock, self._warnings)
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
        if (known := self._believed(request, self._stats)) is None:
            return None
        self._used.append(known.id)
        if len(self._used) >= _USES_AT_ONCE:
            self._hand_over_uses()
        return known.reply

    def earlier(self, request: Request) -> Reply | None:
        """As `find`, without counting it as a use, so that it does not keep the answer from being pruned."""
        known = self._believed(request, CacheStats())
        return known.reply if known else None

    async def keep(self, request: Request, reply: Reply) -> Reply:
        """Write an answer down, in place of an older one; returns it with its origin when the transaction is committed.

        A reply without an origin was taken now, by this sitting; one with an origin keeps it.

        Raises:
            AnswerNotSaved: it is not on disk, and no later one will be.
        """
        if self._closed:
            raise AnswerNotSaved("the file is closed")
        self._hand_over_uses()
        taken = Origin(self._sitting, self._clock()) if reply.origin == Origin() else reply.origin
        refused = await self._writer.write(self._sealer.row(self._key_of(request, last=True), reply, taken))
        if refused is not None:
            raise AnswerNotSaved(refused)
        return replace(reply, origin=taken)

    @property
    def stats(self) -> CacheStats:
        """The counts so far."""
        return replace(self._stats, kept=self._writer.kept, bytes=size_of(self.path))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences for the user, so far; complete after `close`."""
        if (n := self._stats.distrusted) == 0:
            return tuple(self._warnings)
        some = "1 answer was" if n == 1 else f"{n} answers were"
        return (
            *self._warnings,
            f"{some} not used: sealed with other service keys, or changed since (in {self.path.name}).",
        )

    def close(self) -> None:
        """Write what is left, prune, and close: one file is left, without a log beside it. May be called again."""
        if not self._closed:
            self._closed = True
            self._hand_over_uses()
            self._stop_reading()  # before the writer, so that the last connection removes the log
            self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _key_of(self, request: Request, *, last: bool = False) -> bytes:
        """The key, which is made once for a request that is looked for, asked and kept."""
        known = self._asked.pop(id(request), None)
        key = known[1] if known else request_key(request, self._address_of(request.model))
        if not last:
            if len(self._asked) >= _ASKED_AT_ONCE:  # of requests that failed, and so were never kept
                self._asked.clear()
            self._asked[id(request)] = request, key  # holding the request holds its id
        return key

    def _believed(self, request: Request, stats: CacheStats) -> TrustedRow | None:
        try:
            known = self._row(request)
        except UntrustedRow:
            stats.distrusted += 1
            return None
        if known is None or (at := known.reply.origin.at) < self._options.not_before:
            stats.absent += 1
            return None
        now = self._clock()
        if not now - self._options.max_age_s <= at <= now + AHEAD_S:
            stats.expired += 1
            return None
        stats.found += 1
        stats.oldest_used_at = at if stats.oldest_used_at is None else min(at, stats.oldest_used_at)
        return known

    def _row(self, request: Request) -> TrustedRow | None:
        if self._reader is None:
            return None
        try:
            return self._sealer.find(self._reader, self._key_of(request))
        except sqlite3.Error as error:
            if is_busy(error):
                return None
            self._stop_reading()
            if is_corrupt(error):
                self._writer.begin_anew()
            else:
                self._warnings.append(f"{self.path.name} can no longer be read, so all is asked: {reason_of(error)}.")
            return None

    def _hand_over_uses(self) -> None:
        if self._used:
            # Never before the start: whatever this sitting used is spared, even if the clock was put back.
            self._writer.used(tuple(self._used), max(self._clock(), self._started))
            self._used.clear()

    def _stop_reading(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None
