"""One loopback server for the session, emptied for each test."""

from collections.abc import Iterator

import pytest

from tests.contract.providers.subjects import MODELS, Subject
from tests.support.model_server import ModelServer

REMOTE = ["openai", "responses", "anthropic"]


@pytest.fixture(scope="session")
def running() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.forget()
    return running


@pytest.fixture(params=REMOTE)
def remote(request: pytest.FixtureRequest, server: ModelServer) -> Subject:
    """A model behind HTTP, reached through its official SDK."""
    return made(request.param, server)


@pytest.fixture(params=[*REMOTE, "fake", "replay"])
def subject(request: pytest.FixtureRequest, server: ModelServer) -> Subject:
    """Any model."""
    return made(request.param, server)


def made(name: str, server: ModelServer) -> Subject:
    return Subject(MODELS[name], server.url)
