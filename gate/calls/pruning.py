"""Keeps the file of answers within its bound: the expired go first, then those that were not used for longest."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

AHEAD_S = 300.0
"""An answer may come from a clock that is ahead by so many seconds; one from further on is not believed."""

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
class Bound:
    """What may stay.

    Args:
        max_age_s: seconds after which an answer is not used any more.
        max_bytes: size of the file.
        sitting: this sitting; what it took or used since it started stays, whatever its size.
        started: when it started, in seconds since the epoch.
    """

    max_age_s: float
    max_bytes: int
    sitting: bytes
    started: float


def prune(connection: sqlite3.Connection, bound: Bound, now: float) -> None:
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
