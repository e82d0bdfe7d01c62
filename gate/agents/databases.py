"""Queries the database of an agent: read-only and limited; results are saved with the conversation."""

import asyncio
import importlib.util
import math
import re
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from threading import Thread
from typing import TYPE_CHECKING, Any

from gate.cases.case import Case
from gate.config.documents import printable
from gate.config.scorer import ScorerSpec
from gate.errors import GateError, with_extra
from gate.record.transcript import Cell, Observation
from gate.suite import Exam
from gate.values import JsonValue

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

MOST_ROWS = 100
CELL_CHARS = 2_000
TIMEOUT_S = 10.0
"""For one statement."""
LOOKS = 8
"""Statements at once."""
_VALUE_BYTES = 16 * 2**20
"""Of one value or row of SQLite."""
_STEPS = 10_000
"""Steps of SQLite's virtual machine between two checks of the clock."""
_REASON_CHARS = 300
_POSTGRES = ("postgres", "postgresql", "postgresql+psycopg")
_SQLITE = "sqlite"
_READING = ("SQLITE_SELECT", "SQLITE_READ", "SQLITE_FUNCTION", "SQLITE_RECURSIVE")
"""What a statement of SQLite may do: no other file, no setting, no write."""
_CAST = re.compile(r"(?<![:\w]):session(?=::)")


@dataclass(slots=True)
class Databases:
    """See `gate.agents.interface.Observer`.

    Args:
        urls: of databases, by their environment variable.
        wanted: `ScorerSpec.lookup` values; nothing else is looked up.
    """

    urls: Mapping[str, str] = field(repr=False)
    wanted: Collection[str] = field(repr=False)
    timeout_s: float = TIMEOUT_S
    _engines: "dict[str, Engine]" = field(default_factory=dict, init=False)
    _room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(LOOKS), init=False)

    async def observe(self, exam: Exam, case: Case, session: str) -> tuple[Observation, ...]:
        """Results for the database scorers of a case, one after the other."""
        specs = [spec for spec in exam.scorers_of(case) if spec.kind == "database"]
        return tuple([await self._looked(spec, session) for spec in specs])

    async def _looked(self, spec: ScorerSpec, session: str) -> Observation:
        async with self._room:
            try:
                # The statement has its own limit; this one is for a server that does not respond at all.
                return await asyncio.wait_for(_apart(lambda: self._look(spec, session)), 2 * self.timeout_s)
            except TimeoutError:
                return Observation(spec.name, None, f"the database did not answer within {2 * self.timeout_s:g} s")

    def close(self) -> None:
        """Close all connections."""
        for engine in self._engines.values():
            engine.dispose()

    def _look(self, spec: ScorerSpec, session: str) -> Observation:
        from sqlalchemy import text
        from sqlalchemy.exc import SQLAlchemyError

        name = str(spec.options.get("url", ""))
        if spec.lookup not in self.wanted:
            return Observation(spec.name, None, f"its query of {name} only runs after the change is merged")
        try:
            with closing(self._connected(name)) as connection:
                asked = statement(spec.options)
                wrapped = asked if connection.dialect.name == _SQLITE else _as_query(asked)
                found = connection.execute(text(wrapped), {"session": session})
                if not found.returns_rows:
                    return Observation(spec.name, None, "the statement returns no rows")
                rows = [tuple(map(_cell, row)) for row in islice(found, MOST_ROWS + 1)]
                columns = tuple(printable(str(key)) for key in found.keys())  # noqa: SIM118 no mapping
        # Python's own limit is met by JSON that is nested too deeply.
        except (SQLAlchemyError, OSError, ValueError, RecursionError) as error:
            return Observation(spec.name, None, self._reason(error, name))
        return Observation(spec.name, tuple(rows[:MOST_ROWS]), more=len(rows) > MOST_ROWS, columns=columns)

    def _connected(self, name: str) -> "Connection":
        if name not in self._engines:
            self._engines[name] = engine_of(self.urls[name], self.timeout_s)
        connection = self._engines[name].connect()
        if connection.dialect.name == _SQLITE:
            _bound_sqlite(connection, self.timeout_s)
        return connection

    def _reason(self, error: Exception, name: str) -> str:
        """Without the address, which holds a password; the library's own text comes after the driver's."""
        told = str(getattr(error, "orig", None) or error).replace(self.urls.get(name, name), name)
        from sqlalchemy import make_url
        from sqlalchemy.exc import ArgumentError

        try:
            secret = make_url(self.urls.get(name, "")).password
        except ArgumentError:
            secret = None
        told = told.replace(str(secret), "[password]") if secret else told
        return printable(" ".join(told.split()))[:_REASON_CHARS]


def _apart(look: Callable[[], Observation]) -> "asyncio.Future[Observation]":
    """Run in a thread that is abandoned in the end: a silent server would block the gate for ever."""
    found: Future[Observation] = Future()
    found.set_running_or_notify_cancel()

    def run() -> None:
        try:
            found.set_result(look())
        except BaseException as error:
            found.set_exception(error)

    Thread(target=run, name="database", daemon=True).start()
    return asyncio.wrap_future(found)


def check_sqlalchemy() -> None:
    """Check early that databases can be read."""
    if importlib.util.find_spec("sqlalchemy") is None:
        raise GateError("a database scorer needs the sqlalchemy package", with_extra("agents"))


def check_urls(urls: Mapping[str, str]) -> None:
    """Check addresses, by their environment variable, before anything is spent.

    Raises:
        GateError: an invalid address, or the package for Postgres is missing.
    """
    for name, url in urls.items():
        try:
            engine_of(url, TIMEOUT_S).dispose()
        except ImportError:
            message = f"{name} is a Postgres database, which needs the package psycopg; it is not installed"
            raise GateError(message, with_extra("agents,postgres")) from None
        except Exception:
            hint = "postgresql://user:password@host/name or sqlite:///path"
            raise GateError(f"{name} is not the URL of a Postgres or SQLite database", hint) from None


def engine_of(url: str, timeout_s: float) -> "Engine":
    """Read-only connections to a database, a new one for each look-up, so that none affects the next."""
    from sqlalchemy import NullPool, create_engine, make_url

    parsed = make_url(url)
    if parsed.drivername in _POSTGRES:
        options = f"-c default_transaction_read_only=on -c statement_timeout={int(timeout_s * 1000)}"
        return create_engine(
            parsed.set(drivername="postgresql+psycopg"),
            # A prepared statement is only one statement; a COMMIT and a second transaction cannot follow it.
            connect_args={"options": options, "connect_timeout": max(2, int(timeout_s)), "prepare_threshold": 0},
            execution_options={"postgresql_readonly": True},
            poolclass=NullPool,
        )
    if parsed.drivername == _SQLITE and parsed.database:
        path = f"file:{parsed.database}?mode=ro"
        given = {"timeout": timeout_s}
        return create_engine(f"sqlite:///{path}&uri=true", connect_args=given, poolclass=NullPool)
    raise ValueError("neither Postgres nor SQLite")


def statement(options: Mapping[str, JsonValue]) -> str:
    """The statement of a `database` scorer; the configuration has checked the names of tables and columns."""
    for check in ("conversation", "messages"):
        wanted = options.get(check)
        if isinstance(wanted, dict):
            # Whatever type the column has, it is compared as text.
            return f"SELECT count(*) AS n FROM {_name(wanted['table'])} WHERE CAST({_name(wanted['key'])} AS TEXT) = :session"  # noqa: S608, E501
    # SQLAlchemy takes no `:session::uuid` for a parameter.
    return _CAST.sub("(:session)", str(options.get("query", "")))


def _as_query(asked: str) -> str:
    """Make sure of a query: no COPY, which writes files and starts programs even in a read-only transaction."""
    return f"SELECT * FROM (\n{asked}\n) AS asked LIMIT {MOST_ROWS + 1}"  # noqa: S608


def _name(name: JsonValue) -> str:
    return ".".join(f'"{part}"' for part in str(name).split("."))


def _bound_sqlite(connection: "Connection", timeout_s: float) -> None:
    import sqlite3

    raw: Any = connection.connection.driver_connection
    raw.execute("PRAGMA query_only = ON")
    raw.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _VALUE_BYTES)
    reading = {getattr(sqlite3, name) for name in _READING}

    def allowed(action: int, first: str | None, second: str | None, *_: str | None) -> int:
        # SQLite itself uses these for `json_each` and full-text search; query_only prevents both from writing.
        own = (action == sqlite3.SQLITE_UPDATE and first == "sqlite_master") or (
            action == sqlite3.SQLITE_PRAGMA and first == "data_version" and second is None
        )
        return sqlite3.SQLITE_OK if own or action in reading else sqlite3.SQLITE_DENY

    raw.set_authorizer(allowed)
    end = time.monotonic() + timeout_s
    raw.set_progress_handler(lambda: int(time.monotonic() > end), _STEPS)


def _cell(value: object) -> Cell:
    if value is None or isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, (dict, list)):
        import json

        value = json.dumps(value, ensure_ascii=False)
    return str(value)[:CELL_CHARS]


def names(specs: Iterable[ScorerSpec]) -> tuple[str, ...]:
    """The environment variables that hold the addresses, each once."""
    return tuple(dict.fromkeys(str(spec.options["url"]) for spec in specs if spec.lookup))
