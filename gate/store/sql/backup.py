"""A copy of a store's SQLite file while others work on it."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from gate.errors import CannotEvaluate, GateError
from gate.store.sql.engine import Database


def backup(database: Database, path: Path) -> None:
    """Copy the whole store into a new file, as it is at one moment: SQLite's online backup.

    Args:
        database: in a file.
        path: that must not be there yet; only its owner may read it.

    Raises:
        GateError: the store is a Postgres database, which `pg_dump` backs up, or the new file cannot be written.
        CannotEvaluate: the store cannot be read.
    """
    if database.file is None:
        hint = f"use Postgres's own: pg_dump --format=custom --file={path} and the database's address"
        raise GateError(f"the store {database.label} is a Postgres database, which gate does not back up", hint)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise GateError(f"{path} is there already, and nothing is overwritten", "name another file") from None
    except OSError as error:
        raise GateError(f"cannot write {path}: {error.strerror}", "name a file in a folder that is there") from None
    try:
        with closing(sqlite3.connect(database.file)) as store, closing(sqlite3.connect(path)) as copy:
            store.backup(copy)
    except sqlite3.Error as error:
        path.unlink()
        raise CannotEvaluate(
            f"the store {database.label} cannot be copied to {path}: {error}", "see that the disk has room, then repeat"
        ) from None
