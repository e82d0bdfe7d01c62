"""Fixtures: a server with one repository and one pull request, and the real client."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from github import Auth, Github
from github.PullRequest import PullRequest as RealPull

from tests.support.github_server import GitHubServer
from tests.support.github_state import WORKFLOW_TOKEN
from tests.support.pull_request import PullRequest, PullRequestWorld

REPO = "acme/support-bot"
FILES = {"prompts/support.md": "Be kind.\n", "evals/cases.jsonl": '{"id": "c1"}\n', "README.md": "Hello ünï\n"}
Connect = Callable[..., Github]


@pytest.fixture
def lenient() -> Iterator[GitHubServer]:
    """A server that accepts requests that GitHub does not know."""
    with GitHubServer() as server:
        yield server


@pytest.fixture
def server(lenient: GitHubServer) -> Iterator[GitHubServer]:
    yield lenient
    lenient.assert_clean()


@pytest.fixture
def world(tmp_path: Path, server: GitHubServer) -> PullRequestWorld:
    return PullRequestWorld.make(tmp_path, server, FILES)


@pytest.fixture
def pr(world: PullRequestWorld) -> PullRequest:
    return world.open({"prompts/support.md": "Be brief.\n"})


@pytest.fixture
def connect(lenient: GitHubServer) -> Iterator[Connect]:
    """Make PyGithub clients."""
    clients: list[Github] = []

    def client(token: str | None = WORKFLOW_TOKEN, per_page: int = 30) -> Github:
        auth = Auth.Token(token) if token else None
        calm = {"retry": None, "seconds_between_requests": 0, "seconds_between_writes": 0}
        clients.append(Github(base_url=lenient.url, auth=auth, per_page=per_page, **calm))
        return clients[-1]

    yield client
    for each in clients:
        each.close()


@pytest.fixture
def real(connect: Connect, pr: PullRequest) -> RealPull:
    """The pull request as PyGithub sees it."""
    return connect().get_repo(REPO).get_pull(pr.number)
