"""A database that goes away while something is written: all of it is kept or nothing, and the message is ours."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine, event, text

from gate.domain.history import RunFilter
from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import Page, Put
from gate.errors import CannotEvaluate
from gate.store.sql import migrating
from gate.store.sql.engine import Database
from gate.store.sql.runs import Runs
from gate.store.sql.suites import By, Suites
from tests.contract.store.test_runs import CI, NOW, at, kept
from tests.support import stores

BY = By("ann", NOW)


def a_run(database: Database) -> None:
    Runs(database).add(at(), kept(), CI, NOW)


def a_case(database: Database) -> None:
    entry: dict[str, JsonValue] = {"id": "c", "input": "Hi", "slices": {"tier": "pro"}}
    Suites(database).change("support", [Put("c", entry, {"tier": "pro"})], BY)


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
        (a_run, "INSERT INTO figures", (1, 12, 0)),
        (a_run, "INSERT INTO samples", (1, 12, 0)),
        (a_run, "INSERT INTO judgements", (1, 12, 0)),
        (a_run, "UPDATE runs", (1, 12, 0)),
        (a_case, "INSERT INTO case_slices", (0, 0, 1)),
        (a_case, "INSERT INTO suite_versions", (0, 0, 1)),
    ],
)
def test_a_connection_that_is_lost_while_one_writes_leaves_nothing_behind(
    postgres: str, write: Callable[[Database], None], said: str, then: tuple[int, int, int]
) -> None:
    with stores.on_postgres(postgres) as database:
        migrating.upgrade(database)
        with ending_before(database, said), pytest.raises(CannotEvaluate, match="does not answer") as told:
            write(database)
        assert "nothing was written" in told.value.hint
        assert stands(database) == (0, 0, 0)
        write(database)
        write(database)
        assert stands(database) == then


def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    file = tmp_path / "gate.db"
    file.write_bytes(b"not a database" * 1000)
    with closing(Database(f"sqlite:///{file}")) as database:
        with pytest.raises(CannotEvaluate, match="file is not a database"):
            migrating.upgrade(database)
    assert file.read_bytes() == b"not a database" * 1000
