"""Databases for tests of the store: a SQLite file, or a database of its own on a real Postgres."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

from sqlalchemy import create_engine, make_url, text

from gate.store.sql.engine import Database
from tests.support import postgres

_NUMBERS = count(1)


@contextmanager
def server(*, durable: bool = False) -> Iterator[str]:
    """The address of a Postgres server, `durable` as in production; the path of its socket has to be short."""
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    try:
        with postgres.running(folder / "data", durable=durable) as url:
            yield url
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def on_sqlite(folder: Path) -> Iterator[Database]:
    """A new file."""
    with closing(Database.of_file(folder / ".gate" / "gate.db")) as database:
        yield database


@contextmanager
def on_postgres(address: str) -> Iterator[Database]:
    """A new database on a server."""
    name = f"store_{next(_NUMBERS)}"
    engine = create_engine(make_url(address).set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    url = make_url(address).set(database=name).render_as_string(hide_password=False)
    with closing(Database(url)) as database:
        yield database
