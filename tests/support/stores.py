"""Databases for tests of the store: a SQLite file, or a separate database on a real Postgres."""

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import create_engine, delete, make_url, text
from sqlalchemy.exc import OperationalError

from gate.store.sql import maintenance, tables
from gate.store.sql.database import Database

BOTH = pytest.mark.parametrize("database", ["sqlite", "postgres"], indirect=True)
"""Runs a test with the fixture `database` on both."""
ONE = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
"""Runs a test of `contract/store/` on one, where what it tests is decided before any SQL."""
_NUMBERS = count(1)
_FREE: dict[str, list[str]] = {}
"""Names of empty databases with tables, by the address of their server."""
_EMPTY = """
DO $$ DECLARE name text; filled boolean; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version' LOOP
        EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I)', name) INTO filled;
        IF filled THEN EXECUTE format('TRUNCATE %I RESTART IDENTITY CASCADE', name); END IF;
    END LOOP;
END $$
"""


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
def on_postgres(address: str) -> Iterator[Database]:
    """A new database on a server, without tables."""
    url = make_url(address).set(database=_named_like(address, "template1")).render_as_string(hide_password=False)
    with closing(Database(url)) as database:
        yield database


def _named_like(address: str, like: str) -> str:
    """The name of a new database on a server, made like another one there."""
    name = f"store_{next(_NUMBERS)}"
    engine = create_engine(make_url(address).set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {like}"))
    engine.dispose()
    return name


@cache
def _with_tables(address: str) -> str:
    """The name of a database on a server that has the tables of this version, and nothing in them."""
    with on_postgres(address) as database:
        maintenance.upgrade(database)
        return database.engine.url.database or ""


@contextmanager
def with_tables_on_postgres(address: str) -> Iterator[Database]:
    """A database on a server, with the tables of this version and nothing in them; to make one takes far longer than
    to empty one that was used."""
    free = _FREE.setdefault(address, [])
    url = make_url(address).set(database=free.pop() if free else _named_like(address, _with_tables(address)))
    with closing(Database(url.render_as_string(hide_password=False))) as database:
        yield database
    engine = create_engine(url.set(drivername="postgresql+psycopg"))
    with engine.begin() as connection:
        # Somebody may still hold a table, or have made it one of another version: then the next one gets another.
        connection.execute(text("SET lock_timeout = 1000"))
        with suppress(OperationalError):
            connection.execute(text(_EMPTY))
            if maintenance.revision_of(connection) == maintenance.newest_revision():
                free.append(url.database or "")
    engine.dispose()


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
