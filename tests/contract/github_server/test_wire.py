"""The HTTP of the test server: pagination, errors, faults, the ledger, and the check against GitHub's description."""

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from github.PullRequest import PullRequest as RealPull

from tests.contract.github_server.conftest import REPO
from tests.support.github_server import SECONDARY_LIMIT, GitHubServer
from tests.support.github_state import WORKFLOW_TOKEN, Comment
from tests.support.openapi import reply_fault, request_fault
from tests.support.pull_request import PullRequest, PullRequestWorld

Answer = tuple[int, dict[str, str], bytes]
COMMENTS = f"/repos/{REPO}/issues/7/comments"


def ask(server: GitHubServer, method: str, target: str, body: bytes = b"", token: str = WORKFLOW_TOKEN) -> Answer:
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=10)
    try:
        connection.request(method, target, body or None, {"Authorization": f"token {token}", "User-Agent": "test"})
        reply = connection.getresponse()
        return reply.status, dict(reply.getheaders()), reply.read()
    finally:
        connection.close()


def value(answer: Answer) -> Any:
    return json.loads(answer[2])


PAGES: tuple[tuple[str, int, dict[str, str]], ...] = (
    ("", 30, {"next": "page=2", "last": "page=4"}),
    ("?per_page=500", 100, {"next": "per_page=500&page=2", "last": "per_page=500&page=2"}),
    ("?page=4", 15, {"prev": "page=3", "first": "page=1"}),
    ("?page=9", 0, {"prev": "page=8", "first": "page=1"}),
    ("?per_page=100&page=x", 100, {"next": "per_page=100&page=2", "last": "per_page=100&page=2"}),
)


def test_pagination(server: GitHubServer, pr: PullRequest) -> None:
    for i in range(105):
        pr.comment(str(i))
    for query, count, links in PAGES:
        answer = ask(server, "GET", COMMENTS + query)
        assert len(value(answer)) == count, query
        parts = [part.split("; rel=") for part in answer[1]["Link"].split(", ")]
        found = {rel.strip('"'): address.strip("<>") for address, rel in parts}
        prefix = f"{server.url}/repositories/{pr.world.repo.id}/issues/7/comments?"
        assert found == {rel: prefix + text for rel, text in links.items()}, query
        followed = value(ask(server, "GET", found.get("next", found.get("first", "")).removeprefix(server.url)))
        assert {each["issue_url"] for each in followed} == {f"{server.url}/repos/{REPO}/issues/7"}, query


@pytest.mark.parametrize(
    ("target", "status", "message"),
    [
        (f"/repos/{REPO}/pulls/8", 404, "Not Found"),
        (f"/repos/{REPO}/pulls/seven", 404, "Not Found"),
        ("/repos/acme/absent", 404, "Not Found"),
        (f"/repos/{REPO}/git/commits/main", 422, "The sha parameter must be exactly 40 characters"),
        (f"/repos/{REPO}/git/blobs/{'0' * 40}", 404, "Not Found"),
        (f"/repos/{REPO}/git/trees/{'0' * 40}", 404, "Not Found"),
        (f"/repos/{REPO}/branches/absent", 404, "Branch not found"),
    ],
)
def test_missing_objects_give_githubs_errors(
    server: GitHubServer, pr: PullRequest, target: str, status: int, message: str
) -> None:
    answer = ask(server, "GET", target)
    assert answer[0] == status
    assert value(answer)["message"].startswith(message)
    assert value(answer)["status"] == str(status)


def test_a_pull_request_is_found_by_its_head(server: GitHubServer, pr: PullRequest) -> None:
    other = pr.world.open({"README.md": "x"})
    assert [each["number"] for each in value(ask(server, "GET", f"/repos/{REPO}/pulls"))] == [8, 7]
    found = value(ask(server, "GET", f"/repos/{REPO}/pulls?head=acme:change-8&base=main"))
    assert [(each["number"], each["head"]["sha"]) for each in found] == [(8, other.head_sha)]
    pr.close()
    assert [each["number"] for each in value(ask(server, "GET", f"/repos/{REPO}/pulls?state=closed"))] == [7]


def test_faults_are_seen_by_the_client(server: GitHubServer, real: RealPull) -> None:
    server.fail("GET", "/comments", 200, body="<html>Not JSON</html>")
    server.limit("GET", "/comments", SECONDARY_LIMIT, {"Retry-After": "1"})
    seen = []
    for _ in range(2):
        with pytest.raises(Exception) as caught:  # noqa: B017, PT011
            list(real.get_issue_comments())
        seen.append(type(caught.value).__name__)
    assert seen[1] == "RateLimitExceededException"
    assert list(real.get_issue_comments()) == []


def test_an_unknown_request_is_noted(lenient: GitHubServer) -> None:
    assert ask(lenient, "GET", "/teapots/1")[0] == 404
    assert lenient.unexpected == ["GET /teapots/1"]
    with pytest.raises(AssertionError, match="teapots"):
        lenient.assert_clean()


def test_a_wrong_request_is_noted(lenient: GitHubServer, tmp_path: Any) -> None:
    PullRequestWorld.make(tmp_path, lenient, {"a": "b"}).open({"a": "c"})
    for body in (b'{"text": "x"}', b'{"body": 5}', b""):
        assert ask(lenient, "POST", COMMENTS, body)[0] == 422
    assert ask(lenient, "POST", COMMENTS, b"{")[0] == 400
    assert len(lenient.violations) == 3
    assert all("request" in each for each in lenient.violations)


def test_a_wrong_reply_is_noted(lenient: GitHubServer, tmp_path: Any) -> None:
    pr = PullRequestWorld.make(tmp_path, lenient, {"a": "b"}).open({"a": "c"})
    now = lenient.state.now
    pr.pull.comments.append(Comment("one", "olivia", "x", now, now))
    ask(lenient, "GET", COMMENTS)
    assert "'one' is not of type 'integer'" in lenient.violations[0]
    with pytest.raises(AssertionError, match="reply 200"):
        lenient.assert_clean()


TIMELINE = "/repos/{owner}/{repo}/issues/{issue_number}/timeline"


@pytest.mark.parametrize(
    ("path", "change", "fault"),
    [
        (f"/repos/{REPO}/pulls/7", {"head": None}, "head"),
        (f"/repos/{REPO}/pulls/7", {"labels": [{"id": "x"}]}, "labels"),
        (f"/repos/{REPO}/pulls/7", {"created_at": "yesterday"}, "date-time"),
        (f"/repos/{REPO}/pulls/7", {"url": "no address"}, "uri"),
        (f"/repos/{REPO}/issues/7", {"user": "ada"}, "user"),
    ],
)
def test_replies_are_checked_against_the_description(
    server: GitHubServer, pr: PullRequest, path: str, change: dict[str, Any], fault: str
) -> None:
    template = "/repos/{owner}/{repo}/" + ("pulls/{pull_number}" if "pulls" in path else "issues/{issue_number}")
    good = value(ask(server, "GET", path))
    assert reply_fault("GET", template, 200, good) is None
    for name in change:
        assert reply_fault("GET", template, 200, {**good, **change}) is not None
        if name != "labels":
            assert reply_fault("GET", template, 200, {key: good[key] for key in good if key != name}) is not None
    assert fault in (reply_fault("GET", template, 200, {**good, **change}) or "")


def test_a_label_event_needs_its_label(server: GitHubServer, pr: PullRequest) -> None:
    pr.add_label("x")
    entries = value(ask(server, "GET", f"/repos/{REPO}/issues/7/timeline"))
    assert reply_fault("GET", TIMELINE, 200, entries) is None
    del entries[-1]["label"]
    assert "label" in (reply_fault("GET", TIMELINE, 200, entries) or "")


def test_statuses_and_bodies_are_checked_against_the_description() -> None:
    comment = "/repos/{owner}/{repo}/issues/comments/{comment_id}"
    assert reply_fault("DELETE", comment, 204, None) is None
    assert reply_fault("DELETE", comment, 204, {}) == "status 204 has no body"
    assert reply_fault("DELETE", comment, 200, None) == "status 200 is not described"
    assert reply_fault("DELETE", comment, 403, {"message": 5}) is not None
    assert request_fault("DELETE", comment, {"body": "x"}) == "takes no body"
    assert request_fault("PATCH", comment, None) == "needs a body"
    assert request_fault("PATCH", comment, {"body": "x"}) is None
