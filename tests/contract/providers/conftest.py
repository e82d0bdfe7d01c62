"""One loopback server for the session, emptied for each test."""

from collections.abc import Iterator

import pytest

from tests.contract.providers.subjects import MODELS, Subject, Workers
from tests.support.model_server import ModelServer


@pytest.fixture(scope="session")
def running() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.forget()
    return running


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    workers = Workers()
    yield workers
    workers.close()


REMOTE = ["openai", "anthropic", "openai in a worker", "anthropic in a worker", "openai sdk", "anthropic sdk"]


@pytest.fixture(params=REMOTE)
def remote(request: pytest.FixtureRequest, server: ModelServer, workers: Workers) -> Subject:
    """A model behind HTTP: reached directly, in a worker process, through its official SDK."""
    return made(request.param, server, workers)


@pytest.fixture(params=[*REMOTE, "fake", "replay"])
def subject(request: pytest.FixtureRequest, server: ModelServer, workers: Workers) -> Subject:
    """Any model."""
    return made(request.param, server, workers)


def made(name: str, server: ModelServer, workers: Workers) -> Subject:
    provider, _, where = name.partition(" ")
    return Subject(MODELS[provider], server.url, sdk=where == "sdk", workers=workers if "worker" in where else None)
