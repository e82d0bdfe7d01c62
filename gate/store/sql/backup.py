"""A whole store in one file, and back: between SQLite and Postgres, too."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from sqlalchemy import Connection, Integer, MetaData, Table, func, insert, select, text
from sqlalchemy.exc import DataError, IntegrityError, StatementError

from gate.errors import GateError
from gate.store.sql import migrating
from gate.store.sql.backup_file import BackupReader, BackupWriter, Header, Row, TableStart, newer, value_of
from gate.store.sql.engine import SQLITE, Database

_VERSIONS = "alembic_version"
_PASSING = frozenset({"sessions", "login_failures", "secrets"})
"""Tables whose rows are of one server and its browsers: who is logged in, who has to wait, what seals forms. A backup
has none of them, so that whoever reads it is nobody, and after a restore everybody logs in anew."""
_FETCHED = 100
"""Rows in memory at once; one may hold a run's whole record."""
_INSERTED = 500
_INSERTED_BYTES = 16 * 2**20


@dataclass(frozen=True, slots=True)
class Backup:
    """What a file holds.

    Args:
        revision: of the tables.
        made: when it was written.
        rows: of all tables.
    """

    revision: str
    made: datetime
    rows: int


def backup(database: Database, path: Path, now: datetime) -> Backup:
    """Write the whole store into a new file, as it was at one moment; others may write meanwhile.

    Args:
        database: with tables.
        path: that must not be there yet; only its owner may read it. Afterwards there is all of it, or nothing.
        now: the time.

    Raises:
        GateError: the file cannot be written, or the store has no tables.
        CannotEvaluate: the database does not answer.
    """
    if os.path.lexists(path):
        raise GateError(f"{path} is there already, and nothing is overwritten", "name another file")
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:50]}.")
        try:
            with open(handle, "wb") as raw:
                made = database.read(lambda db: _written(db, raw, now))
                raw.flush()
                os.fsync(raw.fileno())
            _put(Path(name), path)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise GateError(f"cannot write {path}: {error.strerror}", "name a file in a folder that is there") from None
    return made


def _put(new: Path, path: Path) -> None:
    """Give a file its name, and overwrite nothing."""
    try:
        os.link(new, path, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:
        # A file system without links.
        new.rename(path)


def look(path: Path) -> Backup:
    """Read a backup from its beginning to its end.

    Raises:
        GateError: it is damaged, or of a newer version.
    """
    with _opened(path) as raw:
        reader = BackupReader(raw, path)
        _check_known(reader, path)
        rows = sum(not isinstance(part, TableStart) for part in reader.parts())
        return Backup(reader.header.revision, reader.header.made, rows)


def restore(database: Database, path: Path, *, replace: bool = False) -> Backup:
    """Bring a backup into a store: all of it, or nothing. Afterwards its tables are of this version.

    Args:
        database: without rows.
        path: of the file.
        replace: forget first what the store holds.

    Raises:
        GateError: the store holds something, or the file is damaged or of a newer version; nothing was changed.
        CannotEvaluate: the database does not answer; nothing was changed.
    """
    with _opened(path) as raw:
        reader = BackupReader(raw, path)
        _check_known(reader, path)
        try:
            rows = database.write(lambda db: _restored(db, reader, database.label, replace))
        except (DataError, IntegrityError, StatementError, UnicodeError):
            raise reader.damaged("no store holds such a row") from None
        return Backup(reader.header.revision, reader.header.made, rows)


def _written(db: Connection, raw: BinaryIO, now: datetime) -> Backup:
    if db.dialect.name != SQLITE:
        # SQLite reads one state of the file anyhow.
        db.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
    revision = migrating.revision_of(db)
    if revision is None:
        raise GateError("the store has no tables yet", "nothing is to be kept")
    writer = BackupWriter(raw)
    writer.start(Header(revision, now))
    for table in _tables(db):
        writer.table(TableStart(table.name, tuple(table.columns.keys())))
        if table.name in _PASSING:
            continue
        for row in db.execute(select(table).execution_options(yield_per=_FETCHED)):
            writer.row(row)
    return Backup(revision, now, writer.end())


def _restored(db: Connection, reader: BackupReader, label: str, replace: bool) -> int:
    if migrating.revision_of(db) is not None:
        migrating.upgrade_in(db, "head", label)
        tables = _tables(db)
        held = next((table.name for table in tables if db.execute(select(1).select_from(table).limit(1)).first()), None)
        if held is not None and not replace:
            hint = "restore into another database, or see what it holds (gate store info) and add --replace"
            raise GateError(f"the store {label} is not empty", hint)
        _emptied(db, tables)
        migrating.downgrade_in(db, "base")
    migrating.upgrade_in(db, reader.header.revision, label)
    tables = _tables(db)
    # What the tables came with is in the file, too.
    _emptied(db, tables)
    count = _filled(db, {table.name: table for table in tables}, reader)
    # An older version wrote them, and a stranger may have.
    _emptied(db, [table for table in tables if table.name in _PASSING])
    _counted_up(db, tables)
    migrating.upgrade_in(db, "head", label)
    return count


def _filled(db: Connection, tables: dict[str, Table], reader: BackupReader) -> int:
    table: Table | None = None
    columns: tuple[str, ...] = ()
    kinds: tuple[type, ...] = ()
    count = 0
    for part in _together(reader.parts()):
        if isinstance(part, TableStart):
            table, columns = tables.pop(part.name, None), part.columns
            if table is None or sorted(columns) != sorted(table.columns.keys()):
                raise reader.damaged("no store has this table")
            kinds = tuple(table.columns[name].type.python_type for name in columns)
        elif table is None:
            raise reader.damaged("a row stands before its table")
        else:
            db.execute(insert(table), [dict(zip(columns, _values(row, kinds, reader), strict=True)) for row in part])
            count += len(part)
    if tables:
        raise reader.damaged("tables are missing")
    return count


def _values(row: Row, kinds: Sequence[type], reader: BackupReader) -> list[Any]:
    if len(row) != len(kinds):
        raise reader.damaged("a row has too few values, or too many")
    try:
        return [value_of(value, kind) for value, kind in zip(row, kinds, strict=True)]
    except ValueError as error:
        raise reader.damaged(f"a value of a row is of another kind: {error}") from None


def _together(parts: Iterator[TableStart | Row]) -> Iterator[TableStart | list[Row]]:
    """Rows in lists that one statement takes, of a bounded size."""
    rows: list[Row] = []
    size = 0
    for part in parts:
        if not isinstance(part, TableStart):
            rows.append(part)
            size += sum(len(value) for value in part if isinstance(value, str))
        if rows and (isinstance(part, TableStart) or len(rows) == _INSERTED or size > _INSERTED_BYTES):
            yield rows
            rows, size = [], 0
        if isinstance(part, TableStart):
            yield part
    if rows:
        yield rows


def _tables(db: Connection) -> list[Table]:
    """As they stand in the database, parents first."""
    found = MetaData()
    found.reflect(db)
    return [table for table in found.sorted_tables if table.name != _VERSIONS]


def _emptied(db: Connection, tables: Sequence[Table]) -> None:
    for table in reversed(tables):
        db.execute(table.delete())


def _counted_up(db: Connection, tables: Sequence[Table]) -> None:
    """Postgres counts ids up by itself, from where the backup ends; SQLite looks at the rows."""
    if db.dialect.name == SQLITE:
        return
    for table in tables:
        for column in table.primary_key.columns:
            if not isinstance(column.type, Integer):
                continue
            sequence = db.execute(select(func.pg_get_serial_sequence(table.name, column.name))).scalar()
            last = db.execute(select(func.max(column))).scalar()
            if sequence is not None and last is not None:
                db.execute(select(func.setval(sequence, last)))


def _check_known(reader: BackupReader, path: Path) -> None:
    if reader.header.revision not in migrating.revisions():
        raise newer(path)


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise GateError(f"cannot read {path}: {error.strerror}", "name a file that gate store backup wrote") from None
