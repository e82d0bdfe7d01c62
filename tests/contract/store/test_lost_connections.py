"""A connection lost while writing: everything or nothing is stored, and the error is ours."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest
from sqlalchemy import Connection, create_engine, event, make_url, text

from gate.cases.stored import CaseWrite, Page
from gate.errors import CannotEvaluate
from gate.record.history import RunFilter
from gate.store.sql import maintenance
from gate.store.sql.database import Database
from gate.store.sql.runs import Runs
from gate.store.sql.suites import Authorship, Suites
from gate.values import JsonValue
from tests.contract.store.test_runs import CI, NOW, at, kept
from tests.support import browsing, stores
from tests.support.postgres import falling_silent

BY = Authorship("ann", NOW)


def a_run(database: Database) -> None:
    Runs(database).add(at(), kept(), CI, NOW)


def a_case(database: Database) -> None:
    entry: dict[str, JsonValue] = {"id": "c", "input": "Hi", "slices": {"tier": "pro"}}
    Suites(database).change("support", [CaseWrite("c", entry, {"tier": "pro"})], BY)


def stands(database: Database) -> tuple[int, int, int]:
    """Runs, samples and versions of the suite."""
    runs = Runs(database).rows(RunFilter(), Page())
    return len(runs), sum(run.samples for run in runs), len(Suites(database).history("support"))


@contextmanager
def ending_before(database: Database, said: str) -> Iterator[None]:
    """The server ends our connections right before we say a certain thing."""

    def end(db: Connection, cursor: object, statement: str, *_: object) -> None:
        if statement.startswith(said):
            with other.connect() as beside:
                ours = text(
                    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
                beside.execute(ours)

    other = create_engine(database.engine.url)
    event.listen(database.engine, "before_cursor_execute", end)
    yield
    event.remove(database.engine, "before_cursor_execute", end)
    other.dispose()


@pytest.mark.parametrize(
    ("write", "said", "then"),
    [
        (a_run, "INSERT INTO samples", (1, 12, 0)),
        (a_run, "UPDATE runs", (1, 12, 0)),
        (a_case, "INSERT INTO suite_versions", (0, 0, 1)),
    ],
)
def test_a_connection_lost_while_writing_stores_nothing(
    postgres: str, write: Callable[[Database], None], said: str, then: tuple[int, int, int]
) -> None:
    with stores.with_tables_on_postgres(postgres) as database:
        with ending_before(database, said), pytest.raises(CannotEvaluate, match="does not answer") as told:
            write(database)
        assert "nothing was written" in told.value.hint
        assert stands(database) == (0, 0, 0)
        write(database)
        write(database)
        assert stands(database) == then


def test_a_file_that_is_not_a_database_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "gate.db"
    file.write_bytes(b"not a database" * 1000)
    with closing(Database(f"sqlite:///{file}")) as database:
        with pytest.raises(CannotEvaluate, match="file is not a database"):
            maintenance.upgrade(database)
    assert file.read_bytes() == b"not a database" * 1000


def done_soon(work: Callable[[], None]) -> bool:
    """Is it done before a reader goes away? Whatever it does, nobody waits for it any longer."""
    thread = Thread(target=work, daemon=True)
    thread.start()
    thread.join(40.0)
    return not thread.is_alive()


@pytest.mark.threat("web-slow-database")
def test_pages_of_a_silent_server_end_in_an_error_soon(postgres: str) -> None:
    silent, told = Event(), list[tuple[int, str]]()
    with stores.with_tables_on_postgres(postgres) as database:
        socket = Path(str(make_url(postgres).query["host"]))
        with falling_silent(socket, lambda data: silent.is_set()) as port:
            url = f"postgresql://postgres:hidden@127.0.0.1:{port}/{database.engine.url.database}"
            with closing(Database(url).hurried(0.2)) as hurried:
                ann = browsing.client(hurried)
                assert ann.get("/").status_code == 200
                silent.set()

                def ask() -> None:
                    answer = ann.get("/")
                    told.append((answer.status_code, answer.text))

                assert done_soon(ask)
    assert [status for status, _ in told] == [503]
    assert all("does not answer" in text and "hidden" not in text for _, text in told)


@pytest.mark.threat("web-slow-database")
def test_a_question_that_takes_too_long_is_ended_and_the_next_one_answered(postgres: str) -> None:
    with stores.with_tables_on_postgres(postgres) as database, closing(database.hurried(0.1)) as hurried:
        with pytest.raises(CannotEvaluate, match="statement timeout"):
            hurried.read(lambda db: db.execute(text("SELECT pg_sleep(60)")))
        assert stands(hurried) == (0, 0, 0)


def test_waiting_for_another_writer_of_a_file_is_limited(tmp_path: Path) -> None:
    with stores.with_tables(tmp_path) as database, closing(database.hurried(0.05)) as hurried:

        def meanwhile(db: Connection) -> None:
            with pytest.raises(CannotEvaluate, match="locked"):
                a_case(hurried)

        database.write(meanwhile)
        a_case(hurried)
        assert stands(hurried) == (0, 0, 1)
