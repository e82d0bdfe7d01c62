"""What the test GitHub remembers: repositories, pull requests, labels, comments, who may do what, and a clock."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any

BOT = "github-actions[bot]"
ALL_WRITE = MappingProxyType({"contents": "write", "issues": "write", "pull_requests": "write"})


@dataclass(frozen=True, slots=True)
class Identity:
    """The account and permissions of a token.

    Args:
        login: the account.
        permissions: of `contents`, `issues`, `pull_requests` and `checks`: `read` or `write`; what is missing is none.
        workflow: the token of a workflow run or of another app, or else a person's.
    """

    login: str
    permissions: Mapping[str, str]
    workflow: bool = False

    def may(self, need: str) -> bool:
        """Whether a need such as `issues:write` is met."""
        area, level = need.split(":")
        return self.permissions.get(area) in ({"write"} if level == "write" else {"read", "write"})


WORKFLOW_TOKEN = "workflow-token"
READ_ONLY_TOKEN = "read-only-workflow-token"
CHECKS_TOKEN = "workflow-token-with-checks"
APP_TOKEN = "app-token"
NO_COMMENT_TOKEN = "workflow-token-without-comments"
PERSONAL_TOKEN = "personal-token"
TOKENS: Mapping[str, Identity] = MappingProxyType(
    {
        WORKFLOW_TOKEN: Identity(BOT, {"contents": "read", "issues": "write", "pull_requests": "write"}, workflow=True),
        READ_ONLY_TOKEN: Identity(BOT, dict.fromkeys(ALL_WRITE, "read"), workflow=True),
        NO_COMMENT_TOKEN: Identity(BOT, {"contents": "read"}, workflow=True),
        CHECKS_TOKEN: Identity(BOT, {**ALL_WRITE, "contents": "read", "checks": "write"}, workflow=True),
        APP_TOKEN: Identity("acme-gate[bot]", {**ALL_WRITE, "checks": "write"}, workflow=True),
        PERSONAL_TOKEN: Identity("olivia", ALL_WRITE),
    }
)
"""The usual tokens: of a workflow, of a workflow for a fork, of one with `contents: read` alone, of one that may write
check runs, of a GitHub App's installation, and of a person."""


@dataclass(slots=True)
class Comment:
    """A comment in the conversation of a pull request."""

    id: int
    login: str
    body: str
    created_at: datetime
    updated_at: datetime


@dataclass(slots=True)
class CheckRun:
    """A check run on a commit."""

    id: int
    name: str
    head_sha: str
    started_at: datetime
    status: str = "queued"
    conclusion: str | None = None
    external_id: str | None = None
    details_url: str | None = None
    title: str | None = None
    summary: str | None = None
    annotations: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Event:
    """An entry of a timeline other than a comment.

    Args:
        kind: GitHub's name: `labeled`, `unlabeled`, `committed`, `renamed`, `ready_for_review`, …
        label: of `labeled` and `unlabeled`.
        sha: of `committed`.
    """

    id: int
    kind: str
    actor: str
    created_at: datetime
    label: str | None = None
    sha: str | None = None


@dataclass(frozen=True, slots=True)
class Push:
    """A push to a branch of a repository."""

    id: int
    ref: str
    before: str
    after: str
    actor: str
    at: datetime


@dataclass(slots=True)
class Side:
    """The head or the base of a pull request.

    Args:
        owner: of the repository; it stays known when a fork was deleted.
        repo: full name; None for a deleted fork.
        sha: that of a base is as of the last push to the head; it goes stale when the base moves on.
    """

    owner: str
    repo: str | None
    ref: str
    sha: str


@dataclass(slots=True)
class Pull:
    """A pull request.

    Args:
        merge_sha: the test merge; None when there is a conflict.
    """

    number: int
    id: int
    title: str
    author: str
    head: Side
    base: Side
    created_at: datetime
    merge_sha: str | None = None
    body: str | None = None
    state: str = "open"
    draft: bool = False
    merged: bool = False
    labels: list[str] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    @property
    def updated_at(self) -> datetime:
        """When something last happened to it."""
        times = [event.created_at for event in self.events] + [comment.updated_at for comment in self.comments]
        return max([self.created_at, *times])


@dataclass(slots=True)
class Repository:
    """A repository in front of a git folder.

    Args:
        folder: a git directory or working tree, read by git itself.
        collaborators: login to role: `admin`, `maintain`, `write`, `triage`, `read`.
        labels: name to colour.
        fork_of: full name of the parent.
    """

    full_name: str
    id: int
    folder: Path
    created_at: datetime
    private: bool = False
    default_branch: str = "main"
    fork_of: str | None = None
    collaborators: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    pulls: dict[int, Pull] = field(default_factory=dict)
    check_runs: list[CheckRun] = field(default_factory=list)
    pushes: list[Push] = field(default_factory=list)

    @property
    def owner(self) -> str:
        return self.full_name.split("/")[0]

    @property
    def name(self) -> str:
        return self.full_name.split("/")[1]


class State:
    """All repositories, one clock that moves a minute with every change, and one counter for ids.

    Git commits of a world take their dates from this clock, too, so that all times are in one order.
    """

    def __init__(self, start: datetime = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)) -> None:
        self.repositories: dict[str, Repository] = {}
        self.old_names: dict[str, str] = {}
        self.people: set[str] = {"olivia", "mallory", BOT}
        self.now = start
        self._last_id = 1_000_000

    def tick(self) -> datetime:
        """The next minute."""
        self.now += timedelta(minutes=1)
        return self.now

    def next_id(self) -> int:
        self._last_id += 7
        return self._last_id

    def add_repository(self, full_name: str, folder: Path, fork_of: str | None = None) -> Repository:
        """Put a git folder under a name."""
        repo = Repository(full_name, self.next_id(), folder, self.tick(), fork_of=fork_of)
        repo.collaborators[repo.owner] = "admin"
        self.people.add(repo.owner)
        self.repositories[full_name] = repo
        return repo

    def rename(self, repo: Repository, new: str) -> None:
        """Give a repository another name; its old one redirects."""
        self.old_names[repo.full_name] = new
        self.repositories[new] = self.repositories.pop(repo.full_name)
        for pull in repo.pulls.values():
            for side in (pull.head, pull.base):
                side.repo = new if side.repo == repo.full_name else side.repo
        repo.full_name = new

    def record(self, pull: Pull, kind: str, by: str, label: str | None = None, sha: str | None = None) -> Event:
        """Add an entry to a pull request's timeline."""
        event = Event(self.next_id(), kind, by, self.tick(), label, sha)
        pull.events.append(event)
        self.people.add(by)
        return event

    def record_push(self, pull: Pull, before: str) -> None:
        """Note that the head of a pull request was pushed to its branch."""
        repo = self.repositories.get(pull.head.repo or "")
        if repo is not None:
            ref = f"refs/heads/{pull.head.ref}"
            repo.pushes.append(Push(self.next_id(), ref, before, pull.head.sha, pull.author, self.tick()))

    def add_label(self, repo: Repository, pull: Pull, name: str, by: str) -> None:
        """Set a label, and create it if there is none of that name; names are the same in any case of letters."""
        known = {each.lower(): each for each in repo.labels}
        name = known.get(name.lower(), name)
        repo.labels.setdefault(name, "ededed")
        if name not in pull.labels:
            pull.labels.append(name)
            self.record(pull, "labeled", by, label=name)

    def remove_label(self, pull: Pull, name: str, by: str) -> bool:
        """Take a label away; False if it was not set."""
        found = next((each for each in pull.labels if each.lower() == name.lower()), None)
        if found is None:
            return False
        pull.labels.remove(found)
        self.record(pull, "unlabeled", by, label=found)
        return True

    def add_comment(self, pull: Pull, login: str, body: str) -> Comment:
        """Write a comment."""
        now = self.tick()
        comment = Comment(self.next_id(), login, body, now, now)
        pull.comments.append(comment)
        self.people.add(login)
        return comment

    def edit_comment(self, comment: Comment, body: str) -> None:
        """Replace a comment's text."""
        comment.body, comment.updated_at = body, self.tick()


def account_id(login: str) -> int:
    """A stable number of an account; that of the workflow's bot is its real one."""
    return 41898282 if login == BOT else 20_000_000 + zlib.crc32(login.encode()) % 10_000_000
