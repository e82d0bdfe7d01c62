"""There is one comment per gate, whatever others write on the pull request and whichever requests fail."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from gate.action.comment import Publication, StickyComment, plain_key, publish_comment
from gate.github.client import GitHub, Patience
from gate.github.pulls import PullRequestApi
from tests.contract.github.conftest import REPO, Connect
from tests.support.github_server import PRIMARY_LIMIT, SECONDARY_LIMIT, GitHubServer
from tests.support.github_state import (
    APP_TOKEN,
    BOT,
    NO_COMMENT_TOKEN,
    PERSONAL_TOKEN,
    READ_ONLY_TOKEN,
    WORKFLOW_TOKEN,
    Comment,
)
from tests.support.pull_request import PullRequest

EARLIER = "c" * 40
MARK = f"<!-- prompt-gate: gate.yaml {EARLIER} -->"
OLD = f"{MARK}\nold"
Publish = Callable[[StickyComment], Publication]


@pytest.fixture
def say(connect: Connect, pr: PullRequest) -> Publish:
    """Publish with the token of a workflow, each time as a new run."""
    return lambda sticky: publish_comment(PullRequestApi(connect(), pr.number), sticky)


@pytest.fixture
def new(sticky: StickyComment) -> str:
    return sticky.text()


def written(server: GitHubServer) -> list[tuple[str, str]]:
    """The author and text of every comment."""
    return [(one.login, one.body) for one in server.comments(REPO, 7)]


def url(comment: Comment) -> str:
    return f"https://github.com/{REPO}/pull/7#issuecomment-{comment.id}"


def test_the_first_comment_is_written_once_and_updated_in_place(
    server: GitHubServer, pr: PullRequest, say: Publish, sticky: StickyComment, new: str
) -> None:
    first = say(sticky)
    assert written(server) == [(BOT, f"<!-- prompt-gate: gate.yaml {pr.head_sha} -->\n## Report\n")]
    assert first == Publication(url(server.comments(REPO, 7)[0]))
    pr.comment("a remark")
    assert say(replace(sticky, render=lambda _: "second")) == first
    assert written(server) == [(BOT, f"{sticky.marker}\nsecond"), ("olivia", "a remark")]
    assert [entry.method for entry in server.ledger if entry.method != "GET"] == ["POST", "PATCH"]


OTHERS = [
    (OLD, "mallory"),
    (OLD, "github-actions"),
    (OLD, "github-actions[bot]x"),
    (f"> {MARK}\nold", BOT),
    (f"Quoting:\n{MARK}\nold", BOT),
    (f"\n{MARK}\nold", BOT),
    (f"{MARK} x\nold", BOT),
    (f"```\n{MARK}\n```", BOT),
    (OLD.replace("gate.yaml", "other.yaml"), BOT),
    (OLD.replace("gate.yaml", "gate.yaml.bak"), BOT),
]


@pytest.mark.threat("comment-marker")
def test_comments_of_others_are_unchanged(
    server: GitHubServer, pr: PullRequest, say: Publish, sticky: StickyComment, new: str
) -> None:
    for body, by in OTHERS:
        pr.comment(body, by=by)
    say(sticky)
    say(sticky)
    assert written(server) == [*((by, body) for body, by in OTHERS), (BOT, new)]


def test_each_gate_has_its_own_comment(server: GitHubServer, say: Publish, sticky: StickyComment, new: str) -> None:
    keys = ("ü/gate.yaml", "apps/bot/gate.yaml", "gate-->.yaml", "-" * 300)
    others = [replace(sticky, key=other) for other in keys]
    for one in (sticky, *others, sticky, *others):
        say(one)
    assert written(server) == [(BOT, new), *((BOT, other.text()) for other in others)]
    assert not any("--" in plain_key(key) for key in keys)


def test_comments_on_all_pages_are_found(
    server: GitHubServer, pr: PullRequest, say: Publish, sticky: StickyComment, new: str
) -> None:
    for number in range(101):
        pr.comment(OLD if number == 100 else f"remark {number}", by=BOT)
    say(sticky)
    texts = [body for _, body in written(server)]
    assert texts == [*(f"remark {number}" for number in range(100)), new]
    assert len(server.requests("GET", "/comments$")) == 2


@pytest.mark.threat("comment-forged")
def test_duplicate_comments_are_deleted(
    server: GitHubServer, pr: PullRequest, say: Publish, sticky: StickyComment, new: str
) -> None:
    for body, by in ((OLD, BOT), ("remark", "olivia"), (OLD, BOT), (OLD, "mallory"), (OLD, BOT)):
        pr.comment(body, by=by)
    done = say(sticky)
    assert written(server) == [("olivia", "remark"), ("mallory", OLD), (BOT, new)]
    assert done == Publication(url(server.comments(REPO, 7)[-1]))


def test_a_duplicate_that_cannot_be_deleted_is_reported(
    server: GitHubServer, pr: PullRequest, say: Publish, sticky: StickyComment, new: str
) -> None:
    for _ in range(2):
        pr.comment(OLD, by=BOT)
    server.fail("DELETE", "/issues/comments/", 403, times=9)
    done = say(sticky)
    assert "cannot delete a duplicate of the comment" in done.notes[0]
    assert written(server) == [(BOT, OLD), (BOT, new)]


@pytest.mark.parametrize("commit", ["the same", "an older"])
def test_two_comments_posted_at_the_same_time_become_one(
    server: GitHubServer, pr: PullRequest, connect: Connect, sticky: StickyComment, new: str, commit: str
) -> None:
    """Neither run finds a comment when it lists them."""
    other = new if commit == "the same" else OLD

    class Racing(PullRequestApi):
        def create(self, body: str) -> object:
            made = super().create(body)
            pr.comment(other, by=BOT)
            return made

    done = publish_comment(Racing(connect(), 7), sticky)
    assert written(server) == [(BOT, new)]
    assert done.url == url(server.comments(REPO, 7)[0])


def test_a_comment_deleted_in_between_is_created_again(
    server: GitHubServer, pr: PullRequest, connect: Connect, sticky: StickyComment, new: str
) -> None:
    class Racing(PullRequestApi):
        def head(self) -> str:
            pr.pull.comments[:] = [one for one in pr.pull.comments if one.body != OLD]
            return super().head()

    pr.comment(OLD, by=BOT)
    assert publish_comment(Racing(connect(), 7), sticky).url
    assert written(server) == [(BOT, new)]


@pytest.mark.parametrize(("status", "done"), [(0, True), (500, False), (200, True)])
def test_a_post_without_a_response_writes_one_comment(
    server: GitHubServer, say: Publish, sticky: StickyComment, new: str, status: int, done: bool
) -> None:
    server.fail("POST", "/comments$", status, body="<html>Please log in</html>" if status == 200 else None, after=done)
    assert say(sticky).url
    assert written(server) == [(BOT, new)]


@pytest.mark.parametrize("with_comment", [True, False])
def test_an_older_commit_does_not_change_the_comment(
    server: GitHubServer, pr: PullRequest, say: Publish, sticky: StickyComment, with_comment: bool
) -> None:
    if with_comment:
        pr.comment(OLD, by=BOT)
    before = written(server)
    head = pr.push({"README.md": "x"})
    done = say(sticky)
    assert done.url == ""
    assert done.notes == (f"this run of {sticky.commit[:12]} does not write the comment, because {head[:12]} is newer",)
    assert written(server) == before
    assert {entry.method for entry in server.ledger} == {"GET"}


def test_with_only_update_no_new_comment_is_written(
    server: GitHubServer, pr: PullRequest, say: Publish, sticky: StickyComment, new: str
) -> None:
    quiet = replace(sticky, only_update=True)
    assert say(quiet) == Publication()
    assert written(server) == []
    pr.comment(OLD, by=BOT)
    assert say(quiet).url
    assert written(server) == [(BOT, new)]


@pytest.mark.parametrize(("token", "status"), [(READ_ONLY_TOKEN, 403), (NO_COMMENT_TOKEN, 403), (None, 401)])
def test_a_missing_write_permission_is_reported(
    server: GitHubServer, connect: Connect, sticky: StickyComment, token: str | None, status: int
) -> None:
    done = publish_comment(PullRequestApi(connect(token), 7), sticky)
    assert f"cannot post the comment: GitHub answered {status}" in done.notes[0]
    assert ("the permission pull-requests: write" in done.notes[0]) is done.refused is (status == 403)
    assert (done.url, written(server)) == ("", [])


@pytest.mark.parametrize(
    ("status", "method", "path", "note"),
    [
        (403, "GET", "/pulls/7$", "cannot read the head of the pull request"),
        (404, "GET", "/user$", ""),
        (404, "GET", "/comments$", "cannot read the comments"),
        (403, "POST", "/comments$", "cannot post the comment"),
    ],
)
def test_a_missing_permission_prevents_only_that_output(
    server: GitHubServer, say: Publish, sticky: StickyComment, new: str, status: int, method: str, path: str, note: str
) -> None:
    body = {"message": "Resource not accessible by integration"}
    server.fail(method, path, status, times=99, body=body)
    done = say(sticky)
    lost = "comments" in path
    assert bool(done.url) is not lost
    assert written(server) == ([] if lost else [(BOT, new)])
    assert [note in one and "the permission pull-requests: " in one for one in done.notes] == [True] * bool(note)


@pytest.mark.parametrize("login", ["olivia", "Olivia"])
def test_a_persons_token_writes_as_the_person(
    server: GitHubServer, connect: Connect, pr: PullRequest, sticky: StickyComment, new: str, login: str
) -> None:
    pr.comment(OLD, by=BOT)
    pr.comment(OLD, by=login)
    publish_comment(PullRequestApi(connect(PERSONAL_TOKEN), 7), sticky)
    assert written(server) == [(BOT, OLD), (login, new)]


def test_an_apps_token_updates_the_apps_comment(server: GitHubServer, connect: Connect, sticky: StickyComment) -> None:
    for text in ("one", "two"):
        publish_comment(PullRequestApi(connect(APP_TOKEN), 7), replace(sticky, render=lambda _, text=text: text))
    assert written(server) == [("acme-gate[bot]", f"{sticky.marker}\ntwo")]


@pytest.mark.parametrize(("status", "body"), [(403, {"message": PRIMARY_LIMIT}), (401, None), (200, {"login": None})])
def test_an_unknown_author_writes_no_duplicate(
    server: GitHubServer, connect: Connect, pr: PullRequest, sticky: StickyComment, status: int, body: object
) -> None:
    pr.comment(OLD, by="olivia")
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1900000000"}
    server.fail("GET", "/user$", status, times=9, headers=headers, body=body)
    done = publish_comment(PullRequestApi(connect(PERSONAL_TOKEN), 7), sticky)
    assert "cannot find out whose token this is" in done.notes[0]
    assert written(server) == [("olivia", OLD)]


@pytest.mark.parametrize(
    ("status", "headers", "waits"),
    [
        (403, {"Retry-After": "60"}, [60.0]),
        (429, {"Retry-After": "240"}, [240.0]),
        (403, {}, [60.0]),
        (502, {}, [2.0]),
        (0, {}, [2.0]),
    ],
)
def test_a_comment_waits_as_long_as_the_job_has_time(
    server: GitHubServer, sticky: StickyComment, new: str, status: int, headers: dict[str, str], waits: list[float]
) -> None:
    waited: list[float] = []
    body = {"message": SECONDARY_LIMIT} if status == 403 else None
    server.fail("POST", "/comments$", status, headers=headers, body=body)
    github = GitHub(WORKFLOW_TOKEN, server.url, REPO, Patience(250, waited.append))
    assert publish_comment(PullRequestApi(github, 7), sticky).url
    assert (waited, written(server)) == (waits, [(BOT, new)])


def test_a_wait_beyond_the_jobs_time_is_a_note(server: GitHubServer, sticky: StickyComment) -> None:
    server.limit("POST", "/comments$", SECONDARY_LIMIT, {"Retry-After": "60"}, times=9)
    github = GitHub(WORKFLOW_TOKEN, server.url, REPO, Patience(59, pytest.fail))
    done = publish_comment(PullRequestApi(github, 7), sticky)
    assert SECONDARY_LIMIT in done.notes[0] and "permission" not in done.notes[0]


REFUSALS = [
    "Unable to create comment because issue is locked.",
    "Resource protected by organization SAML enforcement. You must grant your OAuth token access to this organization.",
    "Although you appear to have the correct authorization credentials, the `acme` organization has an IP allow list "
    "enabled, and 10.0.0.1 is not permitted to access this resource.",
]


@pytest.mark.parametrize("said", REFUSALS)
def test_a_refusal_is_told_in_githubs_words(
    server: GitHubServer, say: Publish, sticky: StickyComment, said: str
) -> None:
    server.fail("POST", "/comments$", 403, times=9, body={"message": said})
    (note,) = say(sticky).notes
    assert said[:190] in note and "permission" not in note


@pytest.mark.parametrize("told", [True, False])
def test_an_apps_comment_is_found_again_and_healed(
    server: GitHubServer, connect: Connect, pr: PullRequest, sticky: StickyComment, new: str, told: bool
) -> None:
    pr.comment(OLD, by="acme-gate[bot]")
    pr.comment(OLD, by="other[bot]")
    first = server.comments(REPO, 7)[0].id
    if not told:
        server.fail("POST", "/graphql$", 403, times=9)
    quiet = replace(sticky, only_update=True)
    assert publish_comment(PullRequestApi(connect(APP_TOKEN), 7), quiet).url
    assert written(server) == [("acme-gate[bot]", new), ("other[bot]", OLD)]
    assert server.comments(REPO, 7)[0].id == first


def test_no_comment_stays_where_only_others_have_one(
    server: GitHubServer, connect: Connect, pr: PullRequest, sticky: StickyComment
) -> None:
    pr.comment(OLD, by="other[bot]")
    server.fail("POST", "/graphql$", 404, times=9)
    assert publish_comment(PullRequestApi(connect(APP_TOKEN), 7), replace(sticky, only_update=True)) == Publication()
    assert written(server) == [("other[bot]", OLD)]


def test_a_comment_is_written_after_the_repository_was_renamed(
    server: GitHubServer, connect: Connect, pr: PullRequest, sticky: StickyComment
) -> None:
    github = connect()
    server.state.rename(pr.world.repo, "acme/desk-bot")
    for text in ("one", "two"):
        publish_comment(PullRequestApi(github, 7), replace(sticky, render=lambda _, text=text: text))
    assert [one.body for one in server.comments("acme/desk-bot", 7)] == [f"{sticky.marker}\ntwo"]
