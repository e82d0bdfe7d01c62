"""One loopback server for the session, emptied for each test."""

from collections.abc import Iterator

import pytest

from tests.contract.providers.subjects import MODELS, Subject
from tests.support.model_server import ModelServer


@pytest.fixture(scope="session")
def running() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.forget()
    return running


@pytest.fixture(params=["openai", "anthropic"])
def remote(request: pytest.FixtureRequest, server: ModelServer) -> Subject:
    """A model behind an official SDK."""
    return Subject(MODELS[request.param], server.url)


@pytest.fixture(params=list(MODELS))
def subject(request: pytest.FixtureRequest, server: ModelServer) -> Subject:
    """Any model."""
    return Subject(MODELS[request.param], server.url)
