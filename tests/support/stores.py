"""Databases for tests of the store: a SQLite file, or a database of its own on a real Postgres."""

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import create_engine, delete, make_url, text

from gate.store.sql import maintenance, tables
from gate.store.sql.database import Database

BOTH = pytest.mark.parametrize("database", ["sqlite", "postgres"], indirect=True)
"""Marks a test whose fixture `database` is to be either."""
_NUMBERS = count(1)


@contextmanager
def on_sqlite(folder: Path) -> Iterator[Database]:
    """A new file."""
    with closing(Database.of_file(folder / ".gate" / "gate.db")) as database:
        yield database


@contextmanager
def with_tables(folder: Path) -> Iterator[Database]:
    """A new file with the tables of this version, which are made once."""
    path = folder / ".gate" / "gate.db"
    path.parent.mkdir(parents=True)
    path.write_bytes(_new_file())
    with closing(Database.of_file(path)) as database:
        yield database


@cache
def _new_file() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        with on_sqlite(Path(folder)) as database:
            maintenance.upgrade(database)
        return (Path(folder) / ".gate" / "gate.db").read_bytes()


@contextmanager
def on_postgres(address: str, like: str = "template1") -> Iterator[Database]:
    """A new database on a server, made like another one there."""
    name = f"store_{next(_NUMBERS)}"
    engine = create_engine(make_url(address).set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {like}"))
    engine.dispose()
    url = make_url(address).set(database=name).render_as_string(hide_password=False)
    with closing(Database(url)) as database:
        yield database


@cache
def _with_tables(address: str) -> str:
    """The name of a database on a server that has the tables of this version, and nothing in them."""
    with on_postgres(address) as database:
        maintenance.upgrade(database)
        return database.engine.url.database or ""


@contextmanager
def with_tables_on_postgres(address: str) -> Iterator[Database]:
    """A new database on a server, with the tables of this version."""
    with on_postgres(address, _with_tables(address)) as database:
        yield database


@contextmanager
def asked_for(request: pytest.FixtureRequest, folder: Path) -> Iterator[Database]:
    """A store with the tables of this version, on the database that the parameter of a fixture names; else SQLite."""
    if getattr(request, "param", "sqlite") == "sqlite":
        with with_tables(folder) as database:
            yield database
        return
    with with_tables_on_postgres(request.getfixturevalue("postgres")) as database:
        yield database


def remove_suite(database: Database, name: str) -> None:
    """Remove a suite with all its versions, which the gate itself never does."""
    database.write(lambda db: db.execute(delete(tables.suites).where(tables.suites.c.name == name)))
