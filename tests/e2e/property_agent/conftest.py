"""The example in a repository of its own, with a scripted model and a database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.property_agent.estate import Estate, build
from tests.e2e.property_agent.landlord import BEHAVIOUR
from tests.support.model_server import ModelServer
from tests.support.postgres import running


@pytest.fixture
def estate(tmp_path: Path, models: ModelServer) -> Estate:
    """With SQLite."""
    models.behaviour = BEHAVIOUR
    return build(tmp_path / "repo", models, f"sqlite:///{tmp_path / 'property.db'}")


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    """A real Postgres; its URL."""
    with running() as url:
        yield url


@pytest.fixture
def on_postgres(tmp_path: Path, models: ModelServer, postgres: str) -> Estate:
    """With Postgres."""
    models.behaviour = BEHAVIOUR
    return build(tmp_path / "repo", models, postgres)
