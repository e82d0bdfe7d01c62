"""All requests to GitHub, each with its name in error messages."""

from collections.abc import Callable
from dataclasses import dataclass

from gate.github.client import GitHub
from gate.github.events import PostedComment
from gate.github.pulls import PullRequestApi, PullState
from gate.github.source import GitHubStore
from gate.prompts.files import Entry
from gate.record.parts import Role
from tests.contract.github.conftest import PROMPT
from tests.support.pull_request import PullRequest

Step = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Operation:
    """One request.

    Args:
        what: its name in error messages.
        method, path: method and path of the request.
        prepare: does everything before the request; returns the step that sends it.
        gives: the result of the step if nothing fails.
    """

    what: str
    method: str
    path: str
    prepare: Callable[[GitHub, PullRequest], Step]
    gives: Callable[[PullRequest], object]


def _comments(github: GitHub, pr: PullRequest) -> tuple[PullRequestApi, PostedComment]:
    talk = PullRequestApi(github, pr.number)
    return talk, talk.comments()[0]


def _update(github: GitHub, pr: PullRequest) -> Step:
    talk, found = _comments(github, pr)
    return lambda: talk.update(found, "new")


def _delete(github: GitHub, pr: PullRequest) -> Step:
    talk, found = _comments(github, pr)
    return lambda: talk.delete(found)


def _create(github: GitHub, pr: PullRequest) -> Step:
    talk, _ = _comments(github, pr)
    return lambda: talk.create("created").body


def _list(github: GitHub, pr: PullRequest) -> Step:
    return lambda: [one.body for one in PullRequestApi(github, pr.number).comments()]


def _labels(github: GitHub, pr: PullRequest) -> Step:
    return PullRequestApi(github, pr.number).now


def _events(github: GitHub, pr: PullRequest) -> Step:
    return lambda: [event.label for event in PullRequestApi(github, pr.number).events()]


def _role(github: GitHub, pr: PullRequest) -> Step:
    return lambda: PullRequestApi(github, pr.number).role("olivia")


def _author(github: GitHub, pr: PullRequest) -> Step:
    return PullRequestApi(github, pr.number).author


def _commit_author(github: GitHub, pr: PullRequest) -> Step:
    return lambda: PullRequestApi(github, pr.number).commit_author(pr.head_sha)


def _tree(github: GitHub, pr: PullRequest) -> Step:
    return lambda: [entry.path for entry in GitHubStore(github).tree(pr.merge_sha)[0]]


def _blob(github: GitHub, pr: PullRequest) -> Step:
    oid = pr.world.git(pr.world.work, "rev-parse", f"{pr.merge_sha}:{PROMPT}")
    return lambda: GitHubStore(github).blob(Entry("100644", oid, 10, PROMPT))


def _parents(github: GitHub, pr: PullRequest) -> Step:
    return lambda: GitHubStore(github).parents(pr.merge_sha)


OPERATIONS = {
    "head": Operation(
        "read the head of the pull request",
        "GET",
        "/pulls/7$",
        lambda github, pr: PullRequestApi(github, pr.number).head,
        lambda pr: pr.head_sha,
    ),
    "login": Operation(
        "find out whose token this is", "GET", "/user$", lambda github, _: github.login, lambda _: "olivia"
    ),
    "comments": Operation("read the comments", "GET", "/issues/7/comments$", _list, lambda _: ["first"]),
    "create": Operation("post the comment", "POST", "/issues/7/comments$", _create, lambda _: "created"),
    "update": Operation("update the comment", "PATCH", "/issues/comments/", _update, lambda _: None),
    "delete": Operation("delete a duplicate of the comment", "DELETE", "/issues/comments/", _delete, lambda _: None),
    "labels": Operation(
        "read the labels",
        "GET",
        "/pulls/7$",
        _labels,
        lambda pr: PullState("open", ("docs",), pr.head_sha, "main", pr.pull.base.sha),
    ),
    "events": Operation("read who set the label", "GET", "/issues/7/timeline$", _events, lambda _: ["docs"]),
    "role": Operation(
        "read the role of olivia", "GET", "/collaborators/olivia/permission$", _role, lambda _: Role("triage", "read")
    ),
    "author": Operation("read the author of the pull request", "GET", "/pulls/7$", _author, lambda _: "ada"),
    "commit author": Operation(
        "read the author of commit ", "GET", "/commits/[0-9a-f]+$", _commit_author, lambda _: None
    ),
    "parents": Operation("read commit ", "GET", "/git/commits/", _parents, lambda pr: (pr.world.main_sha, pr.head_sha)),
    "tree": Operation("list the files of ", "GET", "/git/trees/", _tree, lambda _: ["prompts"]),
    "blob": Operation(f"read {PROMPT}", "GET", "/git/blobs/", _blob, lambda _: b"Be brief.\n"),
}
