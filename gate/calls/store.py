"""Answers on disk: the journal of a run and the answer cache between runs are one thing.

Journal, because an answer is on disk before it counts, so that a killed run that is started again asks for what is
missing alone. Cache, because an answer is found by what was sent, whoever sent it. Failures and verdicts are not kept.
"""

import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from gate.calls.answer_file import Unusable, connect, is_busy, is_corrupt, plain, size_of
from gate.calls.answer_rows import Distrusted, Known, Sealer
from gate.calls.port import NotKept
from gate.calls.pruning import AHEAD_S, Bound
from gate.calls.request_key import request_key
from gate.calls.writer import Writer
from gate.domain.model import ModelRef
from gate.domain.sample import Origin, Reply
from gate.providers.base import Request

_USES_AT_ONCE = 500
_ASKED_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """What is believed, and what stays.

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
class Stats:
    """What the store did in this sitting; every `find` is one of found, absent, expired and distrusted.

    Args:
        found: answers that were known.
        absent: requests without a known answer, or with one from before `not_before`.
        expired: answers that were too old, or from a time that has not come yet.
        distrusted: answers whose seal did not fit.
        kept: answers written down.
        bytes: size of the file and of its log, now.
        oldest_used_at: when the oldest found answer was taken, in seconds since the epoch; None if none was found.
    """

    found: int = 0
    absent: int = 0
    expired: int = 0
    distrusted: int = 0
    kept: int = 0
    bytes: int = 0
    oldest_used_at: float | None = None


class AnswerStore:
    """A `Memory` in one SQLite file, which several processes may use at once. Of one thread, its writer apart.

    Args:
        path: the file; its folder is made.
        address_of: where a model is asked, as in `request_key`.
        sitting: the id of this process's sitting.
        options: what is believed, and what stays.
        clock: seconds since the epoch.

    Raises:
        Unusable: the file cannot be used, and was left alone.
    """

    def __init__(
        self,
        path: Path,
        address_of: Callable[[ModelRef], str],
        sitting: str,
        options: StoreOptions | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = path
        self._address_of = address_of
        self._sitting = sitting
        self._options = options or StoreOptions()
        self._clock = clock
        self._started = clock()
        self._sealer = Sealer(self._options.secret)
        self._stats = Stats()
        self._used: list[int] = []
        self._asked: dict[int, tuple[Request, bytes]] = {}
        self._warnings: list[str] = []
        mine = sitting.encode("utf-8", "surrogatepass")
        bound = Bound(self._options.max_age_s, self._options.max_bytes, mine, self._started)
        self._closed = False
        self._writer = Writer(path, bound, clock, self._warnings)
        self._reader: sqlite3.Connection | None = None
        try:
            self._reader = connect(path)
            self._reader.execute("PRAGMA query_only=ON")
        except sqlite3.Error as error:
            self.close()
            raise Unusable(plain(error)) from None

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
        """As `find`, for a look that is no use: it is not counted, and does not keep the answer from being pruned."""
        known = self._believed(request, Stats())
        return known.reply if known else None

    async def keep(self, request: Request, reply: Reply) -> Reply:
        """Write an answer down, in place of an older one; returns when the transaction is committed.

        A reply without an origin was taken now, by this sitting; one with an origin keeps it.

        Returns:
            The reply with its origin.

        Raises:
            NotKept: it is not on disk, and no later one will be.
        """
        if self._closed:
            raise NotKept("the file is closed")
        self._hand_over_uses()
        taken = Origin(self._sitting, self._clock()) if reply.origin == Origin() else reply.origin
        refused = await self._writer.write(self._sealer.row(self._key_of(request, last=True), reply, taken))
        if refused is not None:
            raise NotKept(refused)
        return replace(reply, origin=taken)

    @property
    def stats(self) -> Stats:
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

    def _believed(self, request: Request, stats: Stats) -> Known | None:
        try:
            known = self._row(request)
        except Distrusted:
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

    def _row(self, request: Request) -> Known | None:
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
                self._warnings.append(f"{self.path.name} can no longer be read, so all is asked: {plain(error)}.")
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
