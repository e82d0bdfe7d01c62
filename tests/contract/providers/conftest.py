"""One loopback server for the session, emptied for each test."""

from collections.abc import Iterator

import pytest

from tests.contract.providers.subjects import MODELS, Subject, Workers
from tests.support.model_server import ModelServer

REMOTE = [f"{model}{way}" for way in ("", " in a worker") for model in ("openai", "anthropic")]


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


@pytest.fixture(params=REMOTE)
def remote(request: pytest.FixtureRequest, server: ModelServer, workers: Workers) -> Subject:
    """A model behind HTTP, reached through its official SDK, here and from a worker process."""
    return made(request.param, server, workers)


@pytest.fixture(params=[*REMOTE, "fake", "replay"])
def subject(request: pytest.FixtureRequest, server: ModelServer, workers: Workers) -> Subject:
    """Any model."""
    return made(request.param, server, workers)


def made(name: str, server: ModelServer, workers: Workers) -> Subject:
    model, _, way = name.partition(" ")
    return Subject(MODELS[model], server.url, workers=workers if way == "in a worker" else None)
