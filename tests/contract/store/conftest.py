"""Every test here runs on both databases."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.store.sql.database import Database
from tests.support import stores


@pytest.fixture(params=["sqlite", "postgres"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database without tables."""
    if request.param == "sqlite":
        with stores.on_sqlite(tmp_path) as database:
            yield database
    else:
        with stores.on_postgres(request.getfixturevalue("postgres")) as database:
            yield database


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """With the tables of this version."""
    with stores.asked_for(request, tmp_path) as database:
        yield database
