from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text

from gate.errors import CannotEvaluate, GateError
from gate.store.sql import access, maintenance
from gate.store.sql.database import Database
from gate.store.sql.tables import metadata, runs


def tables(database: Database) -> set[str]:
    return database.read(lambda db: set(inspect(db).get_table_names()) - {"alembic_version"})


def test_the_tables_are_those_that_the_program_knows(database: Database) -> None:
    assert maintenance.current_revision(database) == maintenance.newest_revision()
    known = {table.metadata for table in (runs, access.api_tokens, access.sessions, access.events)}
    assert known == {metadata} and tables(database) == set(metadata.tables)
    assert database.read(lambda db: compare_metadata(MigrationContext.configure(db), metadata)) == []


def test_servers_that_start_at_once_make_the_tables_once(empty: Database) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: maintenance.upgrade(empty), range(4)))
    assert tables(empty) == set(metadata.tables)


def test_a_store_of_a_newer_version_is_refused(database: Database) -> None:
    database.write(lambda db: db.execute(text("UPDATE alembic_version SET version_num = '9999'")))
    with pytest.raises(GateError, match="newer version of Prompt Gate"):
        maintenance.upgrade(database)
    assert tables(database) == set(metadata.tables)


def test_a_migration_that_fails_leaves_no_trace(empty: Database) -> None:
    """In its way stands a table that is not ours."""
    empty.write(lambda db: db.execute(text("CREATE TABLE samples (id INTEGER)")))
    with pytest.raises(Exception, match="samples"):
        maintenance.upgrade(empty)
    assert (maintenance.current_revision(empty), tables(empty)) == (None, {"samples"})


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "not one of a database"),
        ("mysql://root@host/db", "not one of a Postgres or SQLite database"),
        ("sqlite://", "not one of a Postgres or SQLite database"),
        ("postgresql://user:s3cret@[::1", "not one of a database"),
    ],
)
def test_an_address_of_no_database_is_refused(url: str, said: str) -> None:
    with pytest.raises(GateError, match=said) as told:
        Database(url)
    assert "s3cret" not in f"{told.value.message} {told.value.hint}"


@pytest.mark.parametrize(
    "address",
    [
        lambda folder: "postgresql://user:s3cret@127.0.0.1:9/none",
        lambda folder: f"sqlite:///{folder}/no/such/folder/gate.db",
    ],
)
def test_an_unreachable_database_is_reported_without_password(tmp_path: Path, address: Callable[[Path], str]) -> None:
    database = Database(address(tmp_path))
    with pytest.raises(CannotEvaluate, match="does not answer") as told:
        maintenance.upgrade(database)
    assert "s3cret" not in f"{told.value.message} {told.value.hint}"
