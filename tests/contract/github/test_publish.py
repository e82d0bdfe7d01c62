"""One comment per gate, whatever else is written on the pull request and whatever goes wrong on the way."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from gate.domain.pull_request import Posted
from gate.flows.commenttext import marker
from gate.flows.publish import Publication, Sticky, publish
from gate.github.comments import PullRequestComments
from tests.contract.github.conftest import REPO, Connect
from tests.contract.github.talking import MARK, NEW, OLD, saying, written
from tests.support.github_server import PRIMARY_LIMIT, GitHubServer
from tests.support.github_state import BOT, NO_COMMENT_TOKEN, PERSONAL_TOKEN, READ_ONLY_TOKEN, WORKFLOW_TOKEN
from tests.support.pull_request import PullRequest


def test_the_first_comment(server: GitHubServer, talk: PullRequestComments, sticky: Sticky) -> None:
    done = publish(talk, sticky)
    assert written(server) == [(BOT, NEW)]
    url = f"https://github.com/{REPO}/pull/7#issuecomment-{server.comments(REPO, 7)[0].id}"
    assert done == Publication(url, counted=True)


def test_it_is_updated_in_place(
    server: GitHubServer, connect: Connect, pr: PullRequest, talk: PullRequestComments, sticky: Sticky
) -> None:
    first = publish(talk, sticky)
    pr.comment("a remark")
    again = publish(PullRequestComments(connect(), 7), saying("second", pr.head_sha))
    assert again == first
    assert written(server) == [(BOT, f"{MARK}\nsecond"), ("olivia", "a remark")]
    assert len(server.requests("PATCH")) == 1
    assert not any(one.reactions for one in server.comments(REPO, 7))


def test_it_is_known_again_whatever_was_done_to_its_text(
    server: GitHubServer, pr: PullRequest, talk: PullRequestComments, sticky: Sticky
) -> None:
    # A browser sends lines that end in CR LF.
    pr.comment(f"{MARK} \r\nedited\r\nby hand", by=BOT)
    publish(talk, sticky)
    assert written(server) == [(BOT, NEW)]


@pytest.mark.parametrize(
    ("body", "by"),
    [
        (NEW, "mallory"),
        (NEW, "github-actions"),
        (NEW, "github-actions[bot]x"),
        (f"> {MARK}\nold", BOT),
        (f"Quoting:\n{MARK}\nold", BOT),
        (f"\n{MARK}\nold", BOT),
        (f"{MARK} x\nold", BOT),
        (f"x {MARK}\nold", BOT),
        (f"```\n{MARK}\n```", BOT),
        (f"{marker('other.yaml')}\nold", BOT),
        (f"{marker('gate.yaml.bak')}\nold", BOT),
        (MARK.replace("prompt-gate", "Prompt-Gate") + "\nold", BOT),
    ],
)
def test_what_is_not_its_own_stays(
    server: GitHubServer, pr: PullRequest, talk: PullRequestComments, sticky: Sticky, body: str, by: str
) -> None:
    pr.comment(body, by=by)
    publish(talk, sticky)
    publish(talk, sticky)
    assert written(server) == [(by, body), (BOT, NEW)]


def test_two_gates_keep_a_comment_each(
    server: GitHubServer, pr: PullRequest, talk: PullRequestComments, sticky: Sticky
) -> None:
    other = saying("other", pr.head_sha, line=marker("ü/gate.yaml"))
    for one in (sticky, other, sticky, other):
        publish(talk, one)
    assert written(server) == [(BOT, NEW), (BOT, f"{other.marker}\nother")]


@pytest.mark.parametrize("place", [0, 499])
def test_every_page_is_looked_at(
    server: GitHubServer, pr: PullRequest, talk: PullRequestComments, sticky: Sticky, place: int
) -> None:
    for number in range(500):
        pr.comment(OLD if number == place else f"remark {number}", by=BOT)
    publish(talk, sticky)
    texts = [body for _, body in written(server)]
    assert texts == [NEW if number == place else f"remark {number}" for number in range(500)]
    pages = server.requests("GET", "/comments$")
    # Once to find it, and once to see that it stands alone.
    assert len(pages) == 10
    assert all(entry.query["per_page"] == "100" for entry in pages)
    assert server.requests("POST", "/issues/7/comments$") == []


def test_doubles_are_healed(server: GitHubServer, pr: PullRequest, talk: PullRequestComments, sticky: Sticky) -> None:
    for body, by in ((OLD, BOT), ("remark", "olivia"), (OLD, BOT), (OLD, "mallory"), (OLD, BOT)):
        pr.comment(body, by=by)
    kept = server.comments(REPO, 7)[0].id
    done = publish(talk, sticky)
    assert written(server) == [(BOT, NEW), ("olivia", "remark"), ("mallory", OLD)]
    assert done.url.endswith(f"-{kept}")


def test_a_double_that_another_run_has_deleted(
    server: GitHubServer, pr: PullRequest, talk: PullRequestComments, sticky: Sticky
) -> None:
    for _ in range(2):
        pr.comment(OLD, by=BOT)
    server.fail("DELETE", "/issues/comments/", 404, after=True)
    assert publish(talk, sticky).url
    assert written(server) == [(BOT, NEW)]


def test_a_double_that_cannot_be_deleted_does_not_undo_the_comment(
    server: GitHubServer, pr: PullRequest, talk: PullRequestComments, sticky: Sticky
) -> None:
    for _ in range(2):
        pr.comment(OLD, by=BOT)
    server.fail("DELETE", "/issues/comments/", 403, times=9)
    done = publish(talk, sticky)
    assert done.url.endswith(f"-{server.comments(REPO, 7)[0].id}")
    assert written(server)[0] == (BOT, NEW)


def test_a_comment_that_was_deleted_meanwhile_is_made_anew(
    server: GitHubServer, connect: Connect, pr: PullRequest, sticky: Sticky
) -> None:
    class Racing(PullRequestComments):
        """Somebody deletes the comment just after it was listed for the first time."""

        def comments(self) -> Sequence[Posted]:
            found = super().comments()
            if pr.pull.comments and pr.pull.comments[0].body == OLD:
                pr.pull.comments.clear()
            return found

    pr.comment(OLD, by=BOT)
    publish(Racing(connect(), 7), sticky)
    assert written(server) == [(BOT, NEW)]
    assert server.requests("PATCH") == []


@pytest.mark.parametrize("status", [0, 500, 502])
def test_a_post_whose_answer_is_lost_does_not_double(
    server: GitHubServer, talk: PullRequestComments, sticky: Sticky, status: int
) -> None:
    server.fail("POST", "/comments$", status, after=True)
    done = publish(talk, sticky)
    assert written(server) == [(BOT, NEW)]
    assert done.url
    assert len(server.requests("POST", "/issues/7/comments$")) == 1


@pytest.mark.parametrize("status", [0, 502])
def test_a_post_that_failed_is_made_once_more(
    server: GitHubServer, talk: PullRequestComments, sticky: Sticky, status: int
) -> None:
    server.fail("POST", "/comments$", status)
    assert publish(talk, sticky).url
    assert written(server) == [(BOT, NEW)]
    assert [entry.status for entry in server.requests("POST", "/issues/7/comments$")] == [status, 201]


@pytest.mark.parametrize("body", ["<html>Please log in</html>", {}, []])
def test_a_post_whose_answer_cannot_be_read_does_not_double(
    server: GitHubServer, talk: PullRequestComments, sticky: Sticky, body: object
) -> None:
    server.fail("POST", "/comments$", 200, body=body, after=True)
    done = publish(talk, sticky)
    assert written(server) == [(BOT, NEW)]
    assert done.url == f"https://github.com/{REPO}/pull/7#issuecomment-{server.comments(REPO, 7)[0].id}"


@pytest.mark.parametrize("with_comment", [True, False])
def test_an_older_commit_does_not_overwrite(
    server: GitHubServer, pr: PullRequest, talk: PullRequestComments, sticky: Sticky, with_comment: bool
) -> None:
    if with_comment:
        pr.comment(OLD, by=BOT)
    before = written(server)
    head = pr.push({"README.md": "x"})
    done = publish(talk, sticky)
    assert done.url == ""
    assert head[:12] in done.note
    assert sticky.state.commit[:12] in done.note
    assert written(server) == before
    assert {entry.method for entry in server.ledger if entry.path != "/graphql"} == {"GET"}


def test_the_head_is_asked_for_each_time(
    server: GitHubServer, pr: PullRequest, talk: PullRequestComments, sticky: Sticky
) -> None:
    assert publish(talk, sticky).url
    pr.push({"README.md": "x"})
    assert publish(talk, sticky).note


def test_where_nothing_changed_a_comment_is_only_updated(
    server: GitHubServer, pr: PullRequest, talk: PullRequestComments, sticky: Sticky
) -> None:
    quiet = replace(sticky, only_update=True)
    assert publish(talk, quiet) == Publication()
    assert written(server) == []
    pr.comment(OLD, by=BOT)
    assert publish(talk, quiet).url
    assert written(server) == [(BOT, NEW)]


@pytest.mark.parametrize(("token", "status"), [(READ_ONLY_TOKEN, 403), (NO_COMMENT_TOKEN, 403), (None, 401)])
def test_who_may_not_write_is_told(
    server: GitHubServer, connect: Connect, sticky: Sticky, token: str | None, status: int
) -> None:
    done = publish(PullRequestComments(connect(token), 7), sticky)
    assert f"cannot post the comment: GitHub answered {status}" in done.note
    assert done.url == ""
    assert written(server) == []


def test_a_read_only_token_is_told_what_permission_it_lacks(connect: Connect, sticky: Sticky) -> None:
    note = publish(PullRequestComments(connect(READ_ONLY_TOKEN), 7), sticky).note
    assert "Resource not access" in note
    assert "pull-requests: write" in note


def test_a_text_that_is_refused_is_made_half_as_long(
    server: GitHubServer, talk: PullRequestComments, sticky: Sticky
) -> None:
    server.fail("POST", "/comments$", 422, body={"message": "Validation Failed"})
    assert publish(talk, replace(sticky, render=lambda _, limit: "é" * limit)).url
    assert [len(one.body) for one in server.comments(REPO, 7)] == [32_768]


def test_characters_are_counted_as_utf_16(server: GitHubServer, talk: PullRequestComments, sticky: Sticky) -> None:
    assert publish(talk, replace(sticky, render=lambda _, limit: ("🔴" * limit)[:limit])).url
    body = server.comments(REPO, 7)[0].body
    assert 65_000 < len(body.encode("utf-16-le")) // 2 <= 65_536
    assert len(body.encode()) <= 262_144


@pytest.mark.parametrize("login", ["olivia", "Olivia"])
def test_a_person_s_token_writes_in_the_person_s_name(
    server: GitHubServer, connect: Connect, pr: PullRequest, sticky: Sticky, login: str
) -> None:
    pr.comment(OLD, by=BOT)
    pr.comment(OLD, by=login)
    publish(PullRequestComments(connect(PERSONAL_TOKEN), 7), sticky)
    assert written(server) == [(BOT, OLD), (login, NEW)]


@pytest.mark.parametrize(
    ("status", "body"),
    [(403, {"message": PRIMARY_LIMIT}), (401, None), (200, "<html>Please log in</html>"), (200, {"login": None})],
)
def test_an_author_who_is_not_known_writes_no_double(
    server: GitHubServer, connect: Connect, pr: PullRequest, sticky: Sticky, status: int, body: object
) -> None:
    pr.comment(OLD, by="olivia")
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1900000000"}
    server.fail("GET", "/user$", status, times=9, headers=headers, body=body)
    assert "cannot ask whose token this is" in publish(PullRequestComments(connect(PERSONAL_TOKEN), 7), sticky).note
    assert written(server) == [("olivia", OLD)]


def test_a_comment_of_a_deleted_account(
    server: GitHubServer, pr: PullRequest, talk: PullRequestComments, sticky: Sticky
) -> None:
    pr.comment(OLD, by="mallory")
    pr.comment(OLD, by=BOT)
    ghost, own = (server.render.comment(pr.world.repo, pr.pull, one) for one in server.comments(REPO, 7))
    server.fail("GET", "/comments$", 200, body=[{**ghost, "user": None}, {**ghost, "id": 5, "body": None}, own])
    publish(talk, sticky)
    assert written(server) == [("mallory", OLD), (BOT, NEW)]


@pytest.mark.parametrize("token", [WORKFLOW_TOKEN, PERSONAL_TOKEN])
@pytest.mark.parametrize("path", ["/pulls/7$", "/comments$", "/user$"])
@pytest.mark.parametrize("status", [0, 502])
def test_one_fault_anywhere_does_not_matter(
    server: GitHubServer, connect: Connect, sticky: Sticky, token: str, path: str, status: int
) -> None:
    server.fail("GET", path, status)
    assert publish(PullRequestComments(connect(token), 7), sticky).url
    assert [body for _, body in written(server)] == [NEW]
