"""Maintenance of a store: migration, content, and backup."""

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, func, select, text

from gate.errors import CannotEvaluate, GateError
from gate.store.sql import tables
from gate.store.sql.database import SQLITE, Database

_SCRIPTS = Path(__file__).parent / "migrations"
_LOCK = 0x70726F67
"""Advisory lock of Postgres: of several servers that start at once, one makes the tables."""


def newest_revision() -> str:
    """The revision of the tables for this version of the program."""
    found = _scripts().get_current_head()
    assert found is not None  # noqa: S101
    return found


def current_revision(database: Database) -> str | None:
    """The revision of the database; None without tables."""
    return database.read(revision_of)


def upgrade(database: Database) -> None:
    """Migrate the tables in one transaction.

    Raises:
        GateError: a newer version of the program wrote them.
    """
    database.write(lambda db: _upgrade(db, database.label))


def _upgrade(db: Connection, label: str) -> None:
    if db.dialect.name != SQLITE:
        db.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
    revision = revision_of(db)
    if revision is not None and revision not in {script.revision for script in _scripts().walk_revisions()}:
        hint = "use the version of Prompt Gate that wrote it, or a newer one"
        raise GateError(f"the store {label} was written by a newer version of Prompt Gate", hint)
    try:
        command.upgrade(_config(db), "head")
    except CommandError as error:
        raise GateError(f"the store {label} cannot be upgraded: {error}", "restore a backup") from None


def revision_of(db: Connection) -> str | None:
    """As `current_revision`, in the transaction of the caller."""
    return MigrationContext.configure(db).get_current_revision()


@lru_cache(maxsize=1)
def _scripts() -> ScriptDirectory:
    return ScriptDirectory(str(_SCRIPTS))


def _config(db: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = db
    return config


_RUN = tables.runs.c


@dataclass(frozen=True, slots=True)
class StoreInfo:
    """Content of a store.

    Args:
        counts: of suites, cases, runs, samples and stored texts; empty if the tables are of another version.
    """

    label: str
    revision: str | None
    newest: str
    counts: tuple[tuple[str, int], ...] = ()
    oldest: datetime | None = None
    youngest: datetime | None = None
    size_bytes: int | None = None


def store_info(database: Database) -> StoreInfo:
    """Content of a store."""
    return database.read(lambda db: _info(db, database.label))


def count_runs(database: Database) -> tuple[int, int]:
    """Number of runs and of samples, with the fastest query."""
    found = select(func.count(), func.coalesce(func.sum(_RUN.samples), 0)).select_from(tables.runs)
    runs, samples = database.read(lambda db: db.execute(found).one())
    return int(runs), int(samples)


def _info(db: Connection, label: str) -> StoreInfo:
    revision, newest = revision_of(db), newest_revision()
    if revision != newest:
        return StoreInfo(label, revision, newest)
    kept = tables.samples.c
    counts = {
        "suites": select(func.count()).select_from(tables.suites),
        "cases": select(func.count()).select_from(tables.cases),
        "runs": select(func.count()).select_from(tables.runs),
        "samples": select(func.coalesce(func.sum(_RUN.samples), 0)),
        "texts of samples": select(func.count()).select_from(tables.samples).where(kept.body.is_not(None)),
    }
    if db.dialect.name == SQLITE:
        size = text("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
    else:
        size = text("SELECT pg_database_size(current_database())")
    return StoreInfo(
        label=label,
        revision=revision,
        newest=newest,
        counts=tuple((name, int(db.execute(count).scalar_one())) for name, count in counts.items()),
        oldest=db.execute(select(func.min(_RUN.created))).scalar(),
        youngest=db.execute(select(func.max(_RUN.created))).scalar(),
        size_bytes=db.execute(size).scalar(),
    )


def backup(database: Database, path: Path) -> None:
    """Copy a consistent snapshot of the store into a new file with SQLite's online backup.

    Args:
        path: a new file, which only its owner may read.
    """
    if database.file is None:
        hint = f"use pg_dump --format=custom --file={path} and the database's address"
        raise GateError(f"the store {database.label} is a Postgres database, which gate store backup cannot copy", hint)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise GateError(f"{path} exists already; nothing was overwritten", "give another file") from None
    except OSError as error:
        raise GateError(f"cannot write {path}: {error.strerror}", "give a file in an existing folder") from None
    try:
        with closing(sqlite3.connect(database.file)) as store, closing(sqlite3.connect(path)) as copy:
            store.backup(copy)
    except sqlite3.Error as error:
        path.unlink()
        raise CannotEvaluate(
            f"the store {database.label} cannot be copied to {path}: {error}",
            "check that the disk has space, then run the command again",
        ) from None
