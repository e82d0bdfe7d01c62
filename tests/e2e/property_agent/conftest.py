"""The example in a repository of its own, with a scripted model and a database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.property_agent.estate import Estate, build
from tests.e2e.property_agent.landlord import BEHAVIOUR
from tests.support.model_server import ModelServer
from tests.support.stores import on_postgres as on_server


@pytest.fixture
def estate(tmp_path: Path, models: ModelServer) -> Estate:
    """With SQLite."""
    models.behaviour = BEHAVIOUR
    return build(tmp_path / "repo", models, f"sqlite:///{tmp_path / 'property.db'}")


@pytest.fixture
def on_postgres(tmp_path: Path, models: ModelServer, postgres: str) -> Iterator[Estate]:
    """With Postgres."""
    models.behaviour = BEHAVIOUR
    with on_server(postgres) as database:
        url = database.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        yield build(tmp_path / "repo", models, url)
