"""Pull requests by number, head and commit. A malformed response is an error, never another pull request."""

from typing import Any

import pytest

from gate.github.client import ApiError
from gate.github.events import PullRequest as Told
from gate.github.pulls import PullRequests
from tests.contract.github.conftest import PROMPT, Connect
from tests.support.github_server import GitHubServer
from tests.support.pull_request import PullRequest, PullRequestWorld


def seen(pr: PullRequest, **changes: Any) -> Told:
    pull = pr.pull
    first = (pull.number, pull.head.sha, "main", pull.base.sha, "open", tuple(pull.labels))
    fork, merge = changes.get("fork", False), pull.merge_sha
    head = {"head_repository": pull.head.repo or "", "head_ref": pull.head.ref}
    return Told(*first, author=pull.author, fork=fork, merge_sha=merge, default_branch="main", **head)


def test_a_pull_request_by_number(connect: Connect, pr: PullRequest) -> None:
    pr.add_label("docs")
    assert PullRequests(connect()).get(7) == seen(pr)


def test_a_fork_s_pull_request_is_found_by_its_head(world: PullRequestWorld, connect: Connect, pr: PullRequest) -> None:
    fork = world.open({PROMPT: "Be rude.\n"}, fork=True)
    pulls, branch = PullRequests(connect()), fork.pull.head.ref
    assert pulls.by_head("mallory", branch, fork.head_sha) == (seen(fork, fork=True),)
    assert pulls.by_head("acme", branch, fork.head_sha) == ()
    assert pulls.by_head("mallory", branch, pr.head_sha) == ()
    old = fork.head_sha
    fork.push({"README.md": "x"})
    assert pulls.by_head("mallory", branch, old) == ()
    fork.delete_fork()
    assert pulls.get(fork.number).fork
    fork.close()
    assert pulls.by_head("mallory", branch, fork.head_sha) == ()


def test_an_unfiltered_list_is_filtered(server: GitHubServer, connect: Connect, pr: PullRequest) -> None:
    other = pr.world.open({PROMPT: "Be rude.\n"})
    rows = [server.render.pull(pr.world.repo, one.pull) for one in (pr, other)]
    server.fail("GET", "/pulls$", 200, body=rows)
    assert [one.number for one in PullRequests(connect()).by_head("acme", other.pull.head.ref, other.head_sha)] == [8]


def test_a_commit_s_pull_requests(world: PullRequestWorld, connect: Connect, pr: PullRequest) -> None:
    first = pr.head_sha
    pr.push({"README.md": "x"})
    assert PullRequests(connect()).of_commit(first) == (seen(pr),)
    assert PullRequests(connect()).of_commit(world.main_sha) == ()


MALFORMED: tuple[dict[str, Any], ...] = (
    {"number": 8},
    {"number": "7"},
    {"state": "OPEN"},
    {"head": None},
    {"head": {"sha": "--upload-pack=x", "repo": None}},
    {"base": {"ref": 5, "sha": "a" * 40}},
    {"labels": [{"name": None}]},
    {"user": {"login": 3}},
    {"merge_commit_sha": "refs/heads/main"},
)


def test_a_malformed_response_is_refused(server: GitHubServer, connect: Connect, pr: PullRequest) -> None:
    for change in MALFORMED:
        server.fail("GET", "/pulls/7$", 200, body={**server.render.pull(pr.world.repo, pr.pull), **change})
        with pytest.raises(ApiError, match="cannot read pull request 7"):
            PullRequests(connect()).get(7)
