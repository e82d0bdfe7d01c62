"""Every test here runs on both databases."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from gate.store.sql import migrating
from gate.store.sql.engine import Database
from tests.support import browsing, stores


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    with stores.server() as address:
        yield address


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a SQLite store with its tables; to be copied by whoever needs no Postgres."""
    folder = tmp_path_factory.mktemp("empty")
    with stores.on_sqlite(folder) as found:
        migrating.upgrade(found)
    return (folder / ".gate/gate.db").read_bytes()


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    found = (
        stores.on_sqlite(tmp_path)
        if request.param == "sqlite"
        else stores.on_postgres(request.getfixturevalue("postgres"))
    )
    with found as database:
        migrating.upgrade(database)
        yield database


@pytest.fixture
def ann(database: Database) -> TestClient:
    return browsing.client(database)


@pytest.fixture
def bob(database: Database) -> TestClient:
    return browsing.client(database, "Bob")
