"""Permissions of people in the repository, and authors of pull requests and commits."""

from typing import Any

import pytest

from gate.github.client import ApiError
from gate.github.pulls import PullRequestApi
from gate.record.parts import Role
from tests.contract.github.conftest import REPO, Connect
from tests.support.github_server import GitHubServer
from tests.support.github_state import READ_ONLY_TOKEN
from tests.support.pull_request import PullRequest

PERMISSION = "/collaborators/[^/]+/permission$"


@pytest.fixture
def people(connect: Connect, pr: PullRequest) -> PullRequestApi:
    """A client with the read-only token of a fork's workflow."""
    return PullRequestApi(connect(READ_ONLY_TOKEN), pr.number)


def answer(login: str = "olivia", **other: Any) -> dict[str, Any]:
    return {"permission": "read", "role_name": "helper", "user": {"login": login}} | other


def test_roles_and_their_permissions(people: PullRequestApi, pr: PullRequest) -> None:
    permissions = {"triage": "read", "write": "write", "maintain": "write", "admin": "admin", "read": "read"}
    for role, permission in permissions.items():
        pr.world.repo.collaborators["olivia"] = role
        assert people.role("olivia") == Role(role, permission)


def test_a_custom_role_that_may_triage(people: PullRequestApi, server: GitHubServer) -> None:
    user = {"login": "Olivia", "permissions": {"pull": True, "triage": True, "push": False}}
    server.fail("GET", PERMISSION, 200, body=answer(user=user))
    assert people.role("olivia") == Role("helper", "read", triage=True)


def test_only_true_grants_a_permission(people: PullRequestApi, server: GitHubServer) -> None:
    for triage in (None, 1, "true", False):
        user = {"login": "olivia", "permissions": {"triage": triage}}
        server.fail("GET", PERMISSION, 200, body=answer(user=user))
        assert not people.role("olivia").may_triage, triage


def test_an_unclear_response_is_an_error(people: PullRequestApi, server: GitHubServer) -> None:
    for body in (
        answer("mallory"),
        answer(user=5),
        answer(permission=None),
        answer(role_name=None),
        {"role_name": "admin", "permission": "admin"},
        {"role_name": "admin", "user": None},
    ):
        server.fail("GET", PERMISSION, 200, body=body)
        with pytest.raises(ApiError, match="cannot read the role of olivia"):
            people.role("olivia")


def test_a_refusal(people: PullRequestApi, server: GitHubServer) -> None:
    for status in (403, 404):
        server.fail("GET", PERMISSION, status)
        with pytest.raises(ApiError, match="cannot read the role of olivia"):
            people.role("olivia")


def test_an_odd_login_does_not_change_the_path(people: PullRequestApi, server: GitHubServer) -> None:
    for login in ("../../user", "a/b", "x?y=1", "dependabot[bot]", "ü", "a#b"):
        with pytest.raises(ApiError, match="cannot read the role of"):
            people.role(login)
    assert all(entry.path.startswith(f"/repos/{REPO}/collaborators/") for entry in server.ledger)


def test_authors(people: PullRequestApi, server: GitHubServer, pr: PullRequest) -> None:
    assert people.author() == "ada"
    assert people.commit_author(pr.head_sha) is None
    commit = {"sha": pr.head_sha, "url": "https://github.test/c", "author": {"login": "ada"}}
    server.fail("GET", "/commits/", 200, body=commit)
    assert people.commit_author(pr.head_sha) == "ada"
    server.fail("GET", "/commits/", 200, body={**commit, "sha": "0" * 40})
    with pytest.raises(ApiError, match="cannot read the author of commit"):
        people.commit_author(pr.head_sha)


def test_a_deleted_author(people: PullRequestApi, server: GitHubServer, pr: PullRequest) -> None:
    whole = server.render.pull(pr.world.repo, pr.pull)
    server.fail("GET", "/pulls/7$", 200, body={**whole, "user": None})
    assert people.author() is None
