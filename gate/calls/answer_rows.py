"""One row for each answer, sealed so that a row which was changed, damaged or forged is not believed."""

import hashlib
import hmac
import sqlite3
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from pydantic import TypeAdapter

from gate.domain.jsonbytes import parsed, written
from gate.domain.sample import Origin, Reply

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
"""Of the bytes of a reply; goes up when they get another meaning, and answers of another number are asked for anew."""

SEAL_BYTES = 16
_REPLY: TypeAdapter[Reply] = TypeAdapter(Reply)
_NOW = {"origin", "effort"}
"""What a reply says of the run that asked for it: the origin has columns of its own."""

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
class Known:
    """A row that was found and believed."""

    id: int
    reply: Reply


class Distrusted(Exception):
    """A row that is there, and that its seal does not vouch for."""


class Sealer:
    """Makes rows and checks them.

    Args:
        secret: only who knows it can make rows that are believed. Empty: a mere checksum.
    """

    def __init__(self, secret: bytes) -> None:
        self._mac = hashlib.blake2b(key=hashlib.sha256(secret).digest(), digest_size=SEAL_BYTES, person=b"gate answers")

    def row(self, key: bytes, reply: Reply, origin: Origin) -> Row:
        """The row that keeps `reply` under `key`."""
        blob, sitting = written(_REPLY, reply, _NOW), origin.sitting.encode("utf-8", "surrogatepass")
        seal = self._seal(key, CODEC, sitting, origin.at, blob)
        return key, CODEC, sitting, origin.at, len(blob) + len(sitting) + 120, seal, blob

    def find(self, connection: sqlite3.Connection, key: bytes) -> Known | None:
        """The answer under `key`, marked as reused; None where there is none that this version can read.

        Raises:
            Distrusted: there is one, which is not believed.
            sqlite3.Error: the file cannot be read.
        """
        row = connection.execute(_FIND, (key,)).fetchone()
        if row is None:
            return None
        number, codec, sitting, taken_at, seal, blob = row
        try:
            if not hmac.compare_digest(seal, self._seal(key, codec, sitting, taken_at, blob)):
                raise Distrusted
            if codec != CODEC:
                return None
            origin = Origin(sitting.decode("utf-8", "surrogatepass"), taken_at, reused=True)
            return Known(number, replace(_REPLY.validate_python(parsed(blob)), origin=origin))
        except (struct.error, TypeError, ValueError):
            raise Distrusted from None

    def _seal(self, key: bytes, codec: int, sitting: bytes, taken_at: float, blob: bytes) -> bytes:
        # BLAKE2b with a key (RFC 7693) is a MAC at a fifth of the time of HMAC-SHA256.
        mac = self._mac.copy()
        mac.update(_SEALED.pack(key, codec, taken_at, len(sitting)))
        mac.update(sitting)
        mac.update(blob)
        return mac.digest()


def insert(connection: sqlite3.Connection, rows: Sequence[Row]) -> None:
    """Write rows, in few statements: each statement lets go of the interpreter, and has to wait to get it back."""
    for chunk in _chunks(rows):
        connection.execute(_INSERTS[len(chunk)], [value for row in chunk for value in row])


def _chunks(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    start = 0
    for size in _CHUNKS:
        while len(rows) - start >= size:
            yield rows[start : start + size]
            start += size
