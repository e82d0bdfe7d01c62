"""Pages over a store on SQLite; tests that are marked with BOTH run on Postgres, too."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from gate.store.sql.database import Database
from tests.support import browsing, stores


@pytest.fixture
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    with stores.asked_for(request, tmp_path) as database:
        yield database


@pytest.fixture
def ann(database: Database) -> TestClient:
    return browsing.client(database)


@pytest.fixture
def bob(database: Database) -> TestClient:
    return browsing.client(database, "Bob")
