"""Queries the database of an agent: read-only and limited; results are saved with the conversation."""

import asyncio
import importlib.util
import json
import math
import re
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote

from gate.cases.case import Case
from gate.config.documents import printable
from gate.config.scorer import ScorerSpec
from gate.config.scorer_options import SQL_QUOTED
from gate.errors import GateError, with_extra
from gate.record.transcript import CELL_CHARS, Observation, cut_cell
from gate.suite import Exam
from gate.values import JsonValue

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

MOST_ROWS = 100
TIMEOUT_S = 10.0
"""For one statement."""
LOOKS = 8
"""Statements at once."""
_VALUE_BYTES = 16 * 2**20
"""Of one value or row of SQLite."""
_STEPS = 10_000
"""Steps of SQLite's virtual machine between two checks of the clock."""
_REASON_CHARS = 300
_SQLITE = "sqlite"
_SQLITE_URL = re.compile(r"sqlite(?:\+\w+)?:///(.+)", re.DOTALL)
_POSTGRES_DRIVER = re.compile(r"postgres(?:ql)?(?:\+\w+)?")
_OTHER_DRIVERS = (
    "async_fallback",
    "command_timeout",
    "connection_limit",
    "pgbouncer",
    "pool_timeout",
    "prepared_statement_cache_size",
    "prepared_statement_name_func",
    "statement_cache_size",
)
"""Parameters of addresses that set up other drivers and say nothing about the database."""
_READING = ("SQLITE_SELECT", "SQLITE_READ", "SQLITE_FUNCTION", "SQLITE_RECURSIVE")
"""What a statement of SQLite may do: no other file, no setting, no write."""
_SESSION = re.compile(rf"{SQL_QUOTED}|(?<![:\w]):session\b", re.DOTALL)
_LARGEST_INTEGER = 2**63


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
        from sqlalchemy.exc import SQLAlchemyError

        name = str(spec.options.get("url", ""))
        if spec.lookup not in self.wanted:
            return Observation(spec.name, None, f"its query of {name} only runs after the change is merged")
        try:
            with closing(self._connected(name)) as connection:
                query = _statement(connection, spec.options)
                read = _read_sqlite if connection.dialect.name == _SQLITE else _read_postgres
                return read(connection, query, session, spec.name)
        # Python's own limit is met by JSON that is nested too deeply.
        except (SQLAlchemyError, OSError, ValueError, RecursionError) as error:
            return Observation(spec.name, None, self._reason(error, name))

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

    if at := _SQLITE_URL.fullmatch(url):
        file = f"file:{quote(_sqlite_path(at[1]))}?mode=ro"
        return create_engine(
            "sqlite://", creator=lambda: sqlite3.connect(file, timeout=timeout_s, uri=True), poolclass=NullPool
        )
    parsed = make_url(url)
    if not _POSTGRES_DRIVER.fullmatch(parsed.drivername):
        raise ValueError("neither Postgres nor SQLite")
    given = {key: value if isinstance(value, str) else value[-1] for key, value in parsed.query.items()}
    if ssl := given.pop("ssl", ""):
        given.setdefault("sslmode", {"true": "require", "false": "disable"}.get(ssl.lower(), ssl))
    options = [given.pop("options", "")]
    if schema := given.pop("schema", ""):
        options.append(f"-c search_path={schema}")
    options += ["-c default_transaction_read_only=on", f"-c statement_timeout={int(timeout_s * 1000)}"]
    query = {key: value for key, value in given.items() if key not in _OTHER_DRIVERS}
    return create_engine(
        parsed.set(drivername="postgresql+psycopg", query=query),
        connect_args={
            "options": " ".join(filter(None, options)),
            "connect_timeout": max(2, int(timeout_s)),
            # A prepared statement is only one statement; a COMMIT and a second transaction cannot follow it.
            "prepare_threshold": 0,
        },
        execution_options={"postgresql_readonly": True},
        poolclass=NullPool,
    )


def _sqlite_path(path: str) -> str:
    """The path of an address, in which a question mark may belong to the file's name or begin parameters."""
    return path if Path(path).exists() else path.partition("?")[0]


def _statement(connection: "Connection", options: Mapping[str, JsonValue]) -> str:
    """The statement of a `database` scorer; the configuration has checked the names of tables and columns."""
    for check in ("conversation", "messages"):
        wanted = options.get(check)
        if isinstance(wanted, dict):
            sqlite = connection.dialect.name == _SQLITE
            table, key = str(wanted["table"]), str(wanted["key"]).rpartition(".")[2]
            table, key = (table, key) if sqlite else _spelled_in_postgres(connection, table, key)
            # With its table: SQLite takes an unknown name in quotation marks for a text.
            column = f't."{key}"'
            # A session is 32 hexadecimal digits. A column may hold them as UUID, as text of either form, or as bytes.
            written = f"CAST({column} AS TEXT)"
            bare = f"lower(replace({written}, '-', ''))"
            forms = [written, bare, f"lower(hex({column}))" if sqlite else f"replace({bare}, '\\x', '')"]
            return f"SELECT count(*) AS n FROM {_name(table)} AS t WHERE :session IN ({', '.join(forms)})"  # noqa: S608
    return str(options.get("query", ""))


def _spelled_in_postgres(connection: "Connection", table: str, key: str) -> tuple[str, str]:
    """The names as the database has them: as written, or in small letters, to which Postgres turns unquoted names."""
    columns = (
        "SELECT attname, format_type(atttypid, NULL) FROM pg_attribute "
        "WHERE attrelid = to_regclass(%(table)s) AND attnum > 0"
    )
    for spelled in dict.fromkeys((table, table.lower())):
        types = {name: kind for name, kind in connection.exec_driver_sql(columns, {"table": _name(spelled)})}
        if types:
            found = key if key in types else key.lower()
            if _NO_SESSION.match(types.get(found, "")):
                raise ValueError(f"the column {found} of {spelled} has the type {types[found]}, which holds no session")
            return spelled, found
    return table, key


_NO_SESSION = re.compile("smallint|integer|bigint|numeric|real|double|boolean|date|time|interval|money")
"""Types of columns that hold no text of 32 hexadecimal digits."""


def _name(name: str) -> str:
    return ".".join(f'"{part}"' for part in name.split("."))


def _read_sqlite(connection: "Connection", query: str, session: str, scorer: str) -> Observation:
    result = connection.exec_driver_sql(query, {"session": session})
    if not result.returns_rows:
        return Observation(scorer, None, "the statement returns no rows")
    rows = [tuple(_cell(value) for value in row) for row in islice(result, MOST_ROWS + 1)]
    columns = tuple(printable(str(key)) for key in result.keys())  # noqa: SIM118 no mapping
    return Observation(scorer, tuple(rows[:MOST_ROWS]), more=len(rows) > MOST_ROWS, columns=columns)


def _read_postgres(connection: "Connection", query: str, session: str, scorer: str) -> Observation:
    """The rows as the server writes them in JSON, which it can do with each of its types, and the columns' types."""
    from psycopg import postgres

    query = _SESSION.sub(lambda part: "%(session)s" if part[0] == ":session" else part[0], query.replace("%", "%%"))
    # As a part of a query: no COPY, which writes files and starts programs even in a read-only transaction.
    asked = f"(\n{query}\n) AS asked"
    described = connection.exec_driver_sql(f"SELECT * FROM {asked} LIMIT 0", {"session": session})  # noqa: S608
    columns = described.cursor.description if described.cursor is not None else ()
    infos = [postgres.types.get(cast("int", column[1])) for column in columns or ()]
    types = tuple("" if info is None else info.name for info in infos)
    names = tuple(printable(str(column[0])) for column in columns or ())
    written = f"SELECT row_to_json(asked.*)::text FROM {asked} LIMIT {MOST_ROWS + 1}"  # noqa: S608
    rows = []
    for text in connection.exec_driver_sql(written, {"session": session}).scalars():
        # Two columns may have one name, so an object is the tuple of its pairs until here.
        pairs = json.loads(text, parse_float=Decimal, object_pairs_hook=tuple)
        rows.append(tuple(_cell(_plain(value)) for _, value in pairs))
    return Observation(scorer, tuple(rows[:MOST_ROWS]), "", len(rows) > MOST_ROWS, names, types)


def _plain(value: Any) -> JsonValue:
    """A value of JSON in which objects are tuples of pairs and fractions are `Decimal`.

    A number that a float or an integer of 64 bits cannot hold exactly becomes text.
    """
    if isinstance(value, tuple):
        return {key: _plain(item) for key, item in value}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, Decimal):
        if value == value.to_integral_value() and abs(value) < _LARGEST_INTEGER:
            return int(value)
        near = float(value)
        return near if math.isfinite(near) and Decimal(repr(near)) == value else str(value)
    if isinstance(value, int) and abs(value) >= _LARGEST_INTEGER:
        return str(value)
    plain: JsonValue = value
    return plain


def _bound_sqlite(connection: "Connection", timeout_s: float) -> None:
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


def _cell(value: object) -> JsonValue:
    """One value for the record; a long text is cut."""
    if value is None or isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, (dict, list)):
        text = json.dumps(value, ensure_ascii=False)
        return value if len(text) <= CELL_CHARS else cut_cell(text)
    return cut_cell(f"\\x{value.hex()}" if isinstance(value, bytes) else str(value))


def names(specs: Iterable[ScorerSpec]) -> tuple[str, ...]:
    """The environment variables that hold the addresses, each once."""
    return tuple(dict.fromkeys(str(spec.options["url"]) for spec in specs if spec.lookup))
