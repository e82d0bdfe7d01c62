"""The file of a backup: lines of JSON in gzip, the same for every database, with a checksum at their end.

The first line says what it is and of which revision the tables are. Then comes each table, `{"table", "columns"}`, with
its rows as lists, parents before children. The last line counts the rows and has the SHA-256 of all lines before it: it
tells a damaged file from a whole one, and not who wrote it.
"""

import base64
import binascii
import gzip
import hashlib
import json
import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from gate.errors import GateError

FORMAT = 1
LINE_BYTES = 128 * 2**20
"""Of one row."""
_INTEGER = 2**63
_NUMBERS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_COMPRESSION = 1
"""Most bytes of a store are compressed already."""
_ENCODED = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode

Row: TypeAlias = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is believed of a file.

    Args:
        line: bytes of one row.
        ratio: bytes that come out of one byte of the file; a store's texts and figures shrink to a twentieth, mostly.
        free: bytes that may come out of however few.
    """

    line: int = LINE_BYTES
    ratio: int = 500
    free: int = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Header:
    """What a backup is of.

    Args:
        revision: of the tables.
        made: when.
    """

    revision: str
    made: datetime


@dataclass(frozen=True, slots=True)
class TableStart:
    """The rows that follow belong to a table.

    Args:
        name: of the table.
        columns: names, in the order of each row's values.
    """

    name: str
    columns: tuple[str, ...]


_BOUNDS = Bounds()


class BackupWriter:
    """Writes the lines of a backup.

    Args:
        raw: open file.
    """

    def __init__(self, raw: BinaryIO) -> None:
        self._file = gzip.GzipFile("", "wb", _COMPRESSION, raw, mtime=0)
        self._sum, self._rows, self._name = hashlib.sha256(), 0, ""

    def start(self, header: Header) -> None:
        """The first line."""
        self._line({"prompt-gate-backup": FORMAT, "revision": header.revision, "made": header.made.isoformat()})

    def table(self, start: TableStart) -> None:
        """Rows of this table follow."""
        self._name = start.name
        self._line({"table": start.name, "columns": start.columns})

    def row(self, values: Row) -> None:
        """One row.

        Raises:
            GateError: it is larger than a restore takes.
        """
        self._line([_told(value) for value in values])
        self._rows += 1

    def end(self) -> int:
        """The last line.

        Returns:
            How many rows there are.
        """
        self._line({"rows": self._rows, "sha256": self._sum.hexdigest()})
        self._file.close()
        return self._rows

    def _line(self, value: object) -> None:
        line = _ENCODED(value).encode() + b"\n"
        if len(line) > LINE_BYTES:
            hint = "remove that run, or the texts of old runs (gate store prune)"
            raise GateError(f"a row of {self._name} is larger than {LINE_BYTES // 2**20} MiB", hint)
        self._sum.update(line)
        self._file.write(line)


class BackupReader:
    """Reads a backup that may be damaged, or made by a stranger: one line in memory at a time.

    Args:
        raw: open file, at its beginning.
        path: for messages.
        bounds: what is believed of it.

    Raises:
        GateError: it is no backup, or one of a newer version.
    """

    def __init__(self, raw: BinaryIO, path: Path, bounds: Bounds = _BOUNDS) -> None:
        self._raw, self._path, self._bounds = raw, path, bounds
        self._file = gzip.GzipFile("", "rb", fileobj=raw)
        self._sum, self._number, self._rows, self._bytes = hashlib.sha256(), 0, 0, 0
        self.header = self._header()

    def parts(self) -> Iterator[TableStart | Row]:
        """Each table, followed by its rows, whose values are not looked at yet.

        Raises:
            GateError: the file is damaged; told at the latest at its end.
        """
        while True:
            before = self._sum.hexdigest()
            match self._line():
                case list() as row:
                    self._rows += 1
                    yield row
                case {"table": str(name), "columns": [*columns], **rest} if not rest and _texts(columns):
                    yield TableStart(name, tuple(columns))
                case {"rows": int(rows), "sha256": str(told), **rest} if not rest:
                    if (rows, told) != (self._rows, before) or self._read(1):
                        raise self.damaged("its checksum is another one")
                    return
                case _:
                    raise self.damaged("it is no line of a backup")

    def damaged(self, why: str) -> GateError:
        """What to raise where the file is not whole.

        Args:
            why: for the reader.
        """
        return GateError(f"{self._path}:{self._number}: {why}", "the backup is damaged: take another one")

    def _header(self) -> Header:
        first = self._line()
        if not isinstance(first, dict) or not isinstance(form := first.get("prompt-gate-backup"), int):
            raise GateError(f"{self._path} is no backup of a store", "name a file that gate store backup wrote")
        if form > FORMAT:
            raise newer(self._path)
        match first:
            case {"revision": str(revision), "made": str(made)}:
                return Header(revision, _moment(made) or datetime.min.replace(tzinfo=UTC))
        raise self.damaged("it does not say what it is of")

    def _line(self) -> object:
        bounds = self._bounds
        line = self._read(bounds.line + 1)
        self._number += 1
        self._bytes += len(line)
        if not line.endswith(b"\n"):
            raise self.damaged("the line is too long" if len(line) > bounds.line else "the file is cut off")
        if self._bytes > max(bounds.free, bounds.ratio * self._raw.tell()):
            raise self.damaged("no store is so large in so small a file")
        self._sum.update(line)
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            raise self.damaged("it is no line of a backup") from None

    def _read(self, size: int) -> bytes:
        try:
            return self._file.readline(size)
        except (OSError, EOFError, zlib.error):
            raise self.damaged("it is no gzip, or cut off") from None


def newer(path: Path) -> GateError:
    """What to raise for a backup that this version does not know.

    Args:
        path: of the file.
    """
    hint = "use the version of Prompt Gate that wrote it, or a newer one"
    return GateError(f"{path} is a backup of a newer version of Prompt Gate", hint)


def value_of(told: object, kind: type) -> Any:
    """A value of a row.

    Args:
        told: as it stands in the file.
        kind: of the column: bool, int, float, str, bytes or datetime.

    Raises:
        ValueError: it is no such value.
    """
    if told is None:
        return None
    reader = _READERS.get(kind)
    found = None if reader is None else reader(told)
    if found is None:
        raise ValueError(f"{kind.__name__} is expected")
    return found


def _told(value: object) -> object:
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return next(name for name, known in _NUMBERS.items() if known == value or known != known)
    return value


def _texts(values: Sequence[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def _integer(told: object) -> int | None:
    return told if type(told) is int and -_INTEGER <= told < _INTEGER else None


def _float(told: object) -> float | None:
    if isinstance(told, str):
        return _NUMBERS.get(told)
    return told if isinstance(told, float) else _integer(told)


def _bytes(told: object) -> bytes | None:
    try:
        return base64.b64decode(told, validate=True) if isinstance(told, str) else None
    except (binascii.Error, ValueError):
        return None


def _moment(told: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(told) if isinstance(told, str) else None
        return None if found is None or found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


_READERS: Mapping[type, Any] = {
    bool: lambda told: told if isinstance(told, bool) else None,
    int: _integer,
    float: _float,
    str: lambda told: told if isinstance(told, str) else None,
    bytes: _bytes,
    datetime: _moment,
}
