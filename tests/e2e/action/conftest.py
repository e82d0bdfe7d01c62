"""A repository with two suites on a stateful GitHub."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.action.example import SMALL
from tests.support.github_server import GitHubServer
from tests.support.pull_request import PullRequestWorld


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    with GitHubServer() as running:
        yield running
        running.assert_clean()


@pytest.fixture
def world(tmp_path: Path, server: GitHubServer) -> PullRequestWorld:
    return PullRequestWorld.make(tmp_path, server, SMALL)
