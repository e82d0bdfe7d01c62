"""One loopback server for the session, emptied for each test."""

from collections.abc import Iterator

import pytest

from tests.contract.providers.subjects import MODELS, Subject
from tests.support.model_server import ModelServer

REMOTE = ["openai", "anthropic", "openai sdk", "anthropic sdk"]


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
    """A model behind HTTP, reached directly and through its official SDK."""
    return _subject(request.param, server)


@pytest.fixture(params=[*MODELS, *(name for name in REMOTE if name not in MODELS)])
def subject(request: pytest.FixtureRequest, server: ModelServer) -> Subject:
    """Any model."""
    return _subject(request.param, server)


def _subject(name: str, server: ModelServer) -> Subject:
    model, _, way = name.partition(" ")
    return Subject(MODELS[model], server.url, sdk=way == "sdk")
