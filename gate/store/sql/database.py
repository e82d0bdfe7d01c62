"""The database of the store (SQLite in a file, or Postgres); each write is one transaction."""

import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import (
    ARRAY,
    Connection,
    Engine,
    QueuePool,
    Row,
    Table,
    bindparam,
    create_engine,
    event,
    func,
    insert,
    make_url,
    select,
)
from sqlalchemy.engine import URL
from sqlalchemy.exc import (
    ArgumentError,
    DatabaseError,
    DBAPIError,
    InterfaceError,
    OperationalError,
    SQLAlchemyError,
    TimeoutError,
)

from gate.config.documents import printable
from gate.errors import CannotEvaluate, GateError, with_extra
from gate.files import make_gate_folder, make_private_file

Result = TypeVar("Result")

POSTGRES = ("postgres", "postgresql", "postgresql+psycopg")
SQLITE = "sqlite"
WAIT_S = 30
"""For a connection, and for another writer to finish."""
_ON_ITS_WAY_S = 0.5
"""For the answer to a query that was ended at the server."""
_WRITES = "gate_writes"
_REASON_CHARS = 300
_ALIVE = {
    "tcp_user_timeout": WAIT_S * 1000,
    "keepalives_idle": WAIT_S,
    "keepalives_interval": 10,
    "keepalives_count": 3,
}
"""Connection options of Postgres that notice when a host is gone."""


class Database:
    """One database.

    Args:
        hurry_s: time limit of a query in seconds; None for the longer limit outside web pages.

    Raises:
        GateError: an invalid address, or a package is missing.
    """

    def __init__(self, url: str, hurry_s: float | None = None) -> None:
        self._url = _parsed(url)
        if self._url.drivername == SQLITE:
            self.engine = _sqlite(self._url, hurry_s or WAIT_S)
        else:
            self.engine = _postgres(self._url, hurry_s)

    @classmethod
    def of_file(cls, path: Path) -> "Database":
        """SQLite in a file; creates its folder, which only its owner can open, and excludes it from git."""
        make_gate_folder(path.parent)
        return cls(f"sqlite:///{path}")

    def hurried(self, seconds: float) -> "Database":
        """The same database with a time limit for queries, connections and locks, for web pages."""
        return Database(self._url.render_as_string(hide_password=False), seconds)

    @property
    def label(self) -> str:
        """The address without the password."""
        if self._url.drivername == SQLITE:
            return str(self._url.database)
        return self._url.set(drivername="postgresql").render_as_string(hide_password=True)

    @property
    def file(self) -> Path | None:
        """The file; None for a server."""
        return Path(str(self._url.database)) if self._url.drivername == SQLITE else None

    def read(self, work: Callable[[Connection], Result]) -> Result:
        """Run a read-only transaction."""
        with self._converted_errors(), self.engine.connect() as connection, connection.begin():
            return work(connection)

    def write(self, work: Callable[[Connection], Result]) -> Result:
        """Run a transaction; writers of SQLite wait for each other.

        Raises:
            CannotEvaluate: the database is unreachable, or the connection was lost. Then nothing was stored, unless it
                was lost during the commit; the work may be repeated.
        """
        with self._converted_errors():
            with self.engine.connect().execution_options(**{_WRITES: True}) as connection, connection.begin():
                return work(connection)

    def connections(self) -> tuple[int, int]:
        """Connections of this process: in use, and idle."""
        pool = self.engine.pool
        assert isinstance(pool, QueuePool)  # noqa: S101
        return pool.checkedout(), pool.checkedin()

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    @contextmanager
    def _converted_errors(self) -> Iterator[None]:
        """Convert database errors to ours, without the address, which contains a password."""
        try:
            yield
        except (DBAPIError, TimeoutError) as error:
            if not _is_unavailable(error):
                raise
            raise CannotEvaluate(
                f"the store {self.label} does not answer: {self._reason(error)}",
                "check that the database runs and is writable, then run the command again; nothing was written",
            ) from None

    def _reason(self, error: SQLAlchemyError) -> str:
        text = str(getattr(error, "orig", None) or error)
        if secret := self._url.password:
            text = text.replace(str(secret), "[password]")
        return printable(" ".join(text.split()))[:_REASON_CHARS]


def _parsed(url: str) -> URL:
    hint = "postgresql://user:password@host/name or sqlite:///path"
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise GateError("the store's address is not one of a database", hint) from None
    if parsed.drivername in POSTGRES:
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername == SQLITE and parsed.database and parsed.database != ":memory:":
        return parsed
    raise GateError("the store's address is not one of a Postgres or SQLite database", hint)


def _postgres(url: URL, hurry_s: float | None) -> Engine:
    wait_s = hurry_s or WAIT_S
    given = {"connect_timeout": max(2, round(wait_s)), "application_name": "prompt-gate", **_ALIVE}
    try:
        engine = create_engine(url, pool_pre_ping=True, hide_parameters=True, pool_timeout=wait_s, connect_args=given)
        if hurry_s is not None:
            _hurry(engine, hurry_s)
    except ImportError:
        raise GateError(
            "the store is a Postgres database, and psycopg is not installed", with_extra("postgres")
        ) from None
    return engine


def _hurry(engine: Engine, seconds: float) -> None:
    """Limit the time of statements, both on the server and in the client."""
    connect = _connect_with_timeout(seconds + _ON_ITS_WAY_S)

    @event.listens_for(engine, "do_connect")
    def _connect(_: object, __: object, words: list[str], given: dict[str, Any]) -> Any:
        limit = f"-c statement_timeout={round(seconds * 1000)}"
        return connect(*words, **given | {"options": f"{given.get('options', '')} {limit}".strip()})


def _connect_with_timeout(seconds: float) -> Callable[..., Any]:
    """A factory of connections that are closed where a query is not answered in time.

    The statement timeout of Postgres does not help if its answer never arrives.
    """
    from psycopg import Connection as Plain
    from psycopg import OperationalError as Lost

    class Hurried(Plain[Any]):
        def wait(self, gen: Generator[Any, Any, Result], *args: Any, **more: Any) -> Result:
            return super().wait(in_time(self, gen), *args, **more)

    def in_time(connection: Plain[Any], gen: Generator[Any, Any, Result]) -> Generator[Any, Any, Result]:
        """As psycopg's `wait`, but checks the time limit several times a second."""
        until = time.monotonic() + seconds
        try:
            state = next(gen)
            while True:
                ready = yield state
                if not ready and time.monotonic() > until:
                    # The connection may still receive the old answer.
                    connection.pgconn.finish()
                    raise Lost(f"no answer within {seconds:g} s")
                state = gen.send(ready)
        except StopIteration as end:
            result: Result = end.value
            return result

    return Hurried.connect


def _sqlite(url: URL, wait_s: float) -> Engine:
    engine = create_engine(url, connect_args={"timeout": wait_s}, hide_parameters=True)

    @event.listens_for(engine, "do_connect")
    def _create(_: object, __: object, words: list[str], ___: object) -> None:
        # SQLite gives the files next to it the same rights.
        make_private_file(Path(words[0]))

    @event.listens_for(engine, "connect")
    def _configure(raw: Any, _: object) -> None:
        # The driver begins transactions late: then a reader that writes later could fail to get the lock.
        raw.isolation_level = None
        for setting in ("foreign_keys = ON", "journal_mode = WAL", "synchronous = NORMAL"):
            raw.execute(f"PRAGMA {setting}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get(_WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _is_unavailable(error: DBAPIError | TimeoutError) -> bool:
    """Did the database fail, instead of the statement?"""
    if isinstance(error, TimeoutError | OperationalError | InterfaceError) or error.connection_invalidated:
        return True
    # SQLite uses the base class for a file that is not a database, or damaged.
    return type(error) is DatabaseError


Item = TypeVar("Item")

ROWS_AT_ONCE = 1000
"""Rows of one statement."""


def put_many(db: Connection, table: Table, rows: Iterable[dict[str, Any]]) -> None:
    """Insert rows with the same columns, in the transaction of the caller."""
    for part in chunks(rows, ROWS_AT_ONCE):
        if db.dialect.name == SQLITE:
            db.execute(insert(table), part)
        else:
            _in_columns(db, table, part)


def _in_columns(db: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    """Insert with one array per column: otherwise Postgres plans every row again, at five times the cost."""
    columns = [table.c[name] for name in rows[0]]
    arrays = (bindparam(f"all_{column.name}", type_=ARRAY(column.type)) for column in columns)
    given = func.unnest(*arrays).table_valued(*(column.name for column in columns)).render_derived()
    put = insert(table).from_select(columns, select(*(given.c[column.name] for column in columns)))
    db.execute(put, {f"all_{column.name}": [row[column.name] for row in rows] for column in columns})


def of_row(kind: type[Item], row: Row[Any], **known: Any) -> Item:
    """Build a record from the columns named like its fields, and from known values."""
    values = {one.name: getattr(row, one.name) for one in fields(kind) if one.name not in known}  # pyrefly: ignore[bad-argument-type]
    return kind(**values, **known)


def chunks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Items in lists of at most `size`."""
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part
