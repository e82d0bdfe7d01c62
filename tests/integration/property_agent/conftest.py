"""The example in a repository of its own, with a scripted model and a database."""

import shutil
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.property_agent.estate import Estate, build
from tests.integration.property_agent.landlord import BEHAVIOUR
from tests.support.model_server import ModelServer


@pytest.fixture
def estate(tmp_path: Path, models: ModelServer) -> Estate:
    """With SQLite."""
    models.behaviour = BEHAVIOUR
    return build(tmp_path / "repo", models, f"sqlite:///{tmp_path / 'property.db'}")


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    """A real Postgres; its URL."""
    with warnings.catch_warnings():
        # It warns where the machine has no folder for sockets, and makes one.
        warnings.simplefilter("ignore")
        import pgserver
    # The path of its socket has to be short.
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    server = pgserver.get_server(folder / "data", cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def on_postgres(tmp_path: Path, models: ModelServer, postgres: str) -> Estate:
    """With Postgres."""
    models.behaviour = BEHAVIOUR
    return build(tmp_path / "repo", models, postgres)
