"""Fixtures: a pull request on the test GitHub, and our client."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gate.action.comment import StickyComment
from gate.github.client import GitHub, Patience
from gate.github.pulls import PullRequestApi
from tests.support.github_server import GitHubServer
from tests.support.github_state import WORKFLOW_TOKEN
from tests.support.pull_request import PullRequest, PullRequestWorld

REPO = "acme/support-bot"
PROMPT = "prompts/support.md"
Connect = Callable[..., GitHub]


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    with GitHubServer() as server:
        yield server
        server.assert_clean()


@pytest.fixture
def world(tmp_path: Path, server: GitHubServer) -> PullRequestWorld:
    return PullRequestWorld.make(tmp_path, server, {PROMPT: "Be kind.\n"})


@pytest.fixture
def pr(world: PullRequestWorld) -> PullRequest:
    return world.open({PROMPT: "Be brief.\n"})


@pytest.fixture
def connect(server: GitHubServer) -> Connect:
    """Make clients, by default with the token of a workflow."""

    def client(token: str | None = WORKFLOW_TOKEN) -> GitHub:
        return GitHub(token, server.url, REPO, Patience(wait=lambda seconds: None))

    return client


@pytest.fixture
def sticky(pr: PullRequest) -> StickyComment:
    return StickyComment("gate.yaml", pr.head_sha, lambda _: "## Report\n")


@pytest.fixture
def talk(connect: Connect, pr: PullRequest) -> PullRequestApi:
    return PullRequestApi(connect(), pr.number)
