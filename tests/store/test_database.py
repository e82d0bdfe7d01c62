"""Real databases of agents: reading is limited, nothing is written, and no password is shown."""

import asyncio
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from gate.agents.databases import MOST_ROWS, Databases, check_urls, names
from gate.cases.case import Case
from gate.config.scorer import ScorerSpec
from gate.errors import GateError
from gate.record.transcript import CELL_CHARS, Observation, cut_cell
from gate.suite import Exam
from gate.values import JsonValue
from tests.support.postgres import falling_silent

TABLE = "CREATE TABLE talks (id TEXT, said TEXT)"
SESSION = "s-1"
PASSWORD = "s3cret of alice"
CHECKED: dict[str, JsonValue] = {"conversation": {"table": "talks", "key": "id"}}


@pytest.fixture(scope="module")
def folder(postgres: str) -> Path:
    """With the socket of the server, and its files."""
    return Path(postgres.partition("host=")[2])


@pytest.fixture(scope="module")
def guarded(folder: Path, postgres: str) -> str:
    """How an address of the server begins and ends: to alice it asks for her password."""
    rules = folder / "data" / "pg_hba.conf"
    rules.write_text(f"local all alice scram-sha-256\n{rules.read_text()}")
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE alice LOGIN PASSWORD '{PASSWORD}'")
        connection.execute("SELECT pg_reload_conf()")
    address = f"postgresql://alice:%s@/%s?host={folder}"
    while _let_in(address % ("wrong", "postgres")):
        time.sleep(0.02)
    return address


def _let_in(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database with one conversation and somebody else's."""
    if request.param == "sqlite":
        with closing(sqlite3.connect(tmp_path / "a.db")) as database:
            database.execute(TABLE)
            database.execute("INSERT INTO talks VALUES ('s-1', 'Hi'), ('s-2', 'Ho')")
            database.commit()
        return f"sqlite:///{tmp_path}/a.db"
    found: str = request.getfixturevalue("postgres")
    with psycopg.connect(found, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS talks")
        connection.execute(TABLE)
        connection.execute("INSERT INTO talks VALUES ('s-1', 'Hi'), ('s-2', 'Ho')")
    return found


def content(url: str) -> list[tuple[object, ...]]:
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as database:
            return database.execute("SELECT id, said FROM talks ORDER BY id").fetchall()
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT id, said FROM talks ORDER BY id").fetchall()


def looked(
    url: str, *queries: str | dict[str, JsonValue], session: str = SESSION, timeout_s: float = 10.0
) -> list[Observation]:
    """What each query gives, one after the other, over the same connections."""
    asked: list[dict[str, JsonValue]] = [{"query": one} if isinstance(one, str) else one for one in queries]
    specs = tuple(ScorerSpec("database", f"d{n}", {"url": "DB", **one}) for n, one in enumerate(asked))
    databases = Databases({"DB": url}, [spec.lookup for spec in specs], timeout_s)
    try:
        return list(asyncio.run(databases.observe(Exam("main", "e", (), specs), Case("c"), session)))
    finally:
        databases.close()


THERE = [("s-1", "Hi"), ("s-2", "Ho")]


def test_existing_rows_are_found(url: str) -> None:
    talk, none, rows = looked(url, CHECKED, "SELECT said FROM talks WHERE id = 'x'", "SELECT * FROM talks ORDER BY id")
    assert (talk.rows, talk.columns) == (((1,),), ("n",))
    assert none.rows == ()
    assert (rows.rows, rows.columns, rows.more) == ((("s-1", "Hi"), ("s-2", "Ho")), ("id", "said"), False)


WRITES = [
    "DELETE FROM talks",
    "INSERT INTO talks VALUES ('x', 'y')",
    "DROP TABLE talks",
    "WITH gone AS (SELECT 1) DELETE FROM talks",
    "WITH gone AS (DELETE FROM talks RETURNING id) SELECT * FROM gone",
    "SELECT 1; DELETE FROM talks",
    "SELECT ';' ; COMMIT; DELETE FROM talks",
    "SELECT ';' ; COMMIT; SET default_transaction_read_only = off; BEGIN READ WRITE; DELETE FROM talks; COMMIT",
    "SELECT ';' ; ROLLBACK; BEGIN READ WRITE; DELETE FROM talks; COMMIT",
]


@pytest.mark.threat("database-write")
def test_nothing_is_ever_written(url: str) -> None:
    for write in WRITES:
        (found,) = looked(url, write)
        assert found.rows is None, write
        assert found.error, write
        assert content(url) == THERE, write


OPENERS = [
    "SELECT set_config('transaction_read_only', 'off', false)",
    "SELECT set_config('default_transaction_read_only', 'off', false)",
    "PRAGMA query_only = OFF",
    "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
]


def test_no_statement_changes_the_rights_of_the_next(url: str) -> None:
    for opener in OPENERS:
        deletions = ("WITH a AS (SELECT 1) DELETE FROM talks", "DELETE FROM talks")
        assert looked(url, opener, *deletions)[1].rows is None, opener
        assert content(url) == THERE, opener


@pytest.mark.threat("database-write")
def test_no_other_file_is_opened_or_made(tmp_path: Path) -> None:
    for name in ("a", "other"):
        with closing(sqlite3.connect(tmp_path / f"{name}.db")) as database:
            database.execute("CREATE TABLE talks (said TEXT)")
    found = looked(
        f"sqlite:///{tmp_path}/a.db",
        f"ATTACH '{tmp_path}/other.db' AS o",
        "SELECT * FROM o.talks",
        f"ATTACH 'file:{tmp_path}/new.db?mode=rwc' AS n",
        f"VACUUM INTO '{tmp_path}/copy.db'",
        "SELECT * FROM pragma_database_list",
        "SELECT said FROM talks",
    )
    assert [one.rows for one in found] == [None, None, None, None, None, ()]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.db", "other.db"]


@pytest.mark.threat("database-write")
def test_only_queries_run_even_with_all_rights(postgres: str, folder: Path) -> None:
    found = looked(
        postgres,
        f"COPY (SELECT 1) TO PROGRAM 'touch {folder}/run'",
        f"COPY (SELECT 1) TO '{folder}/copied'",
        "SELECT 1) AS asked; DELETE FROM talks; --",
        "DO $$ BEGIN PERFORM 1; END $$",
        "SHOW server_version",
        "-- with a word\nSELECT 1 -- and another",
        "VALUES (1)",
    )
    assert [one.rows for one in found] == [None, None, None, None, None, ((1,),), ((1,),)]
    assert not [name for name in ("run", "copied") if (folder / name).exists()]


@pytest.mark.threat("database-write")
def test_a_lock_ends_with_its_query(postgres: str) -> None:
    counted = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
    assert looked(postgres, "SELECT pg_advisory_lock(7)", counted)[1].rows == ((0,),)


@pytest.mark.parametrize("asked", [":session::uuid", "CAST(:session AS uuid)", "(:session)::uuid"])
def test_the_session_can_be_cast(postgres: str, asked: str) -> None:
    session = "6b1f6e1c-4a3e-4d0b-9a53-0d6f3f0a9a11"
    (found,) = looked(postgres, f"SELECT 1 WHERE {asked} = '{session.upper()}'::uuid", session=session)
    assert (found.error, found.rows) == ("", ((1,),))


def test_the_session_is_a_value_and_no_sql(url: str) -> None:
    for session in ("' OR '1'='1", "s-1'; DELETE FROM talks; --", "s-%"):
        counted, found = looked(url, CHECKED, "SELECT said FROM talks WHERE id = :session", session=session)
        assert (counted.rows, found.rows) == (((0,),), ()), session
        assert content(url) == THERE, session


ENDLESS = "WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) SELECT count(*) FROM n"


def test_a_statement_without_an_end_is_ended(url: str) -> None:
    endless, after = looked(url, ENDLESS, CHECKED, timeout_s=0.3)
    assert endless.rows is None
    assert after.rows == ((1,),)


def test_hostile_cells_are_cut_and_rows_are_limited(url: str) -> None:
    big = (
        "SELECT replace(hex(zeroblob(5000000)), '0', 'x')"
        if url.startswith("sqlite")
        else "SELECT repeat('x', 10000000)"
    )
    many = "WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n WHERE a < 100000) SELECT a FROM n"
    large, rows = looked(url, big, many)
    assert large.rows == ((cut_cell("x" * 2 * CELL_CHARS),),)
    assert rows.rows is not None
    assert (len(rows.rows), rows.more) == (MOST_ROWS, True)


@pytest.mark.parametrize(
    ("password", "database", "reason"),
    [
        (PASSWORD.replace(" ", "%20"), "postgres", ""),
        ("wrong%2Fsecret", "postgres", 'password authentication failed for user "alice"'),
        (PASSWORD.replace(" ", "%20"), "nowhere", 'database "nowhere" does not exist'),
        (PASSWORD.replace(" ", "%20"), PASSWORD.replace(" ", "%20"), 'database "[password]" does not exist'),
    ],
)
def test_a_refused_login_is_reported_without_password(guarded: str, password: str, database: str, reason: str) -> None:
    (found,) = looked(guarded % (password, database), "SELECT :session")
    assert (found.rows is None) == bool(reason)
    assert reason in found.error
    assert PASSWORD not in str(found)
    assert "wrong/secret" not in str(found)
    assert "wrong%2Fsecret" not in str(found)


@pytest.mark.parametrize("said", [b"", b"pg_sleep"])
def test_a_silent_server_does_not_block(folder: Path, postgres: str, said: bytes) -> None:
    """Also not in the end, when the loop waits for its threads."""
    with falling_silent(folder, lambda data: said in data) as port:
        url = f"postgresql://postgres:s3cret@127.0.0.1:{port}/postgres"
        (found,) = looked(url, "SELECT pg_sleep(0), :session", timeout_s=0.5)
    assert found.rows is None
    assert found.error == "the database did not answer within 1 s"


@pytest.mark.parametrize("bad", ["", "mysql://a:hunter2@b/c", "sqlite://"])
def test_an_invalid_address_is_reported_before_any_call(bad: str) -> None:
    with pytest.raises(GateError) as error:
        check_urls({"AGENT_DB": bad})
    assert "AGENT_DB" in error.value.message
    assert "hunter2" not in f"{error.value.message} {error.value.hint}"


@pytest.mark.threat("database-query")
def test_only_lookups_of_the_base_are_made(url: str) -> None:
    counts, strange, other = (
        ScorerSpec("database", "d", {"url": name, **asked})
        for name, asked in (("DB", CHECKED), ("DB", {"query": "SELECT 1", "rows": {"min": 1}}), ("OTHER", CHECKED))
    )
    assert names([counts, strange, other]) == ("DB", "OTHER")
    databases = Databases({"DB": url, "OTHER": url}, {counts.lookup})
    case = Case("c", scorers=(counts,), extra_scorers=(strange, other))
    try:
        there, *refused = asyncio.run(databases.observe(Exam("main", "e", (), ()), case, SESSION))
    finally:
        databases.close()
    assert there.rows == ((1,),)
    assert [one.rows for one in refused] == [None, None]
    assert all("only runs after the change is merged" in one.error for one in refused)


def test_json_of_sqlite_is_readable_and_infinite_numbers_are_text(tmp_path: Path) -> None:
    queries = ("SELECT value FROM json_each('[1, 2]')", "SELECT 9e999", "SELECT -9e999", "SELECT 0.5")
    sqlite3.connect(tmp_path / "a.db").close()
    (tmp_path / "a.db").touch()
    found = looked(f"sqlite:///{tmp_path / 'a.db'}", *queries)
    assert [one.error for one in found] == [""] * 4
    assert [one.rows for one in found] == [((1,), (2,)), (("inf",),), (("-inf",),), ((0.5,),)]
    (refused,) = looked(f"sqlite:///{tmp_path / 'a.db'}", "UPDATE sqlite_master SET sql = '' RETURNING 1")
    assert refused.rows is None


@pytest.mark.parametrize("depth", [3_000, 30_000])
def test_json_that_is_nested_without_end_is_an_observation(postgres: str, depth: int) -> None:
    """How deep is too deep differs: 1,000 for Python 3.11, ten times that for 3.12; Postgres has a limit, too."""
    nested = f"SELECT (repeat('[', {depth}) || repeat(']', {depth}))::json"
    deep, fine = looked(postgres, nested, "SELECT '[[1]]'::json")
    if deep.rows is None:
        assert "recursion" in deep.error or "stack depth" in deep.error
    else:
        assert depth == 3_000
        assert deep.rows == ((cut_cell("[" * 2 * CELL_CHARS),),)
    assert fine.error == ""
