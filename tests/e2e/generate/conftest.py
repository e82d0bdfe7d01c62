"""Fixtures: a folder with a prompt, and a scripted model that finds rules in prompts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.generate.desk import PROMPT, Desk
from tests.support.model_server import Behaviour, ModelServer
from tests.support.prompt_reader import reader


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with ModelServer() as found:
        yield found


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.forget()
    running.behaviour = Behaviour(judgement=reader)
    return running


@pytest.fixture
def desk(tmp_path: Path, server: ModelServer) -> Desk:
    found = Desk(tmp_path, server)
    found.write("prompts/shop.md", PROMPT)
    return found
