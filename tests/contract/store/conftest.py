"""Every test here runs on both databases."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.store.sql import migrating
from gate.store.sql.engine import Database
from tests.support import stores


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    with stores.server() as address:
        yield address


@pytest.fixture(params=["sqlite", "postgres"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database without tables."""
    if request.param == "sqlite":
        with stores.on_sqlite(tmp_path) as database:
            yield database
    else:
        with stores.on_postgres(request.getfixturevalue("postgres")) as database:
            yield database


@pytest.fixture
def database(empty: Database) -> Database:
    """With the tables of this version."""
    migrating.upgrade(empty)
    return empty
