"""Pull requests: their comments, labels and events, and the people involved."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias
from urllib.parse import quote

from github.PullRequest import PullRequest as Raw

from gate.github.client import GitHub, asking, bounded, required
from gate.github.events import LabelEvent, PostedComment, PullRequest
from gate.record.parts import Role


def _role(answer: Any, login: str) -> Role:
    user = answer["user"]
    if user is not None and required(user["login"], str).casefold() != login.casefold():
        raise ValueError("another person")
    permissions = user.get("permissions") if user is not None else None
    # Older servers name no role.
    name = required(answer.get("role_name", ""), str)
    return Role(
        name=name,
        permission=required(answer["permission"], str),
        triage=isinstance(permissions, dict) and permissions.get("triage") is True,
    )


def _login(user: Any) -> str | None:
    """None where GitHub has null (no account) or an empty object (a commit without an address)."""
    return required(user["login"], str) if user else None


@dataclass(frozen=True, slots=True)
class PullState:
    """A pull request at this moment: `open` or `closed`, its labels, its newest commit, and the branch it goes into."""

    state: str
    labels: tuple[str, ...]
    head: str
    base_ref: str
    base_sha: str


def _label_event(row: dict[str, Any]) -> LabelEvent:
    label, actor, at = row.get("label"), row.get("actor"), row.get("created_at")
    name = label.get("name") if isinstance(label, dict) else None
    who = actor if isinstance(actor, dict) else {}
    by = login if isinstance(login := who.get("login"), str) else None
    return LabelEvent(
        label=name if isinstance(name, str) else "",
        is_set=row["event"] == "labeled",
        by=by,
        at=at if isinstance(at, str) else None,
        bot=by is not None and (who.get("type") != "User" or by.casefold().endswith("[bot]")),
        app=_app(row.get("performed_via_github_app")),
    )


def _app(app: Any) -> str:
    """The app that acted for a person; one that cannot be read also counts."""
    if app is None:
        return ""
    name = app.get("slug") if isinstance(app, dict) else None
    return name if isinstance(name, str) and name else "unknown"


WORKFLOW_AUTHOR = "github-actions[bot]"
"""Login of a workflow's own token, which cannot read it from GitHub."""

_BOT = "[bot]"
_WRITE = "pull-requests: write"
_REPOSITORY = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}", re.ASCII)


@dataclass(slots=True)
class PullRequestApi:
    """One pull request: its people, labels and comments; every method may raise `ApiError`."""

    github: GitHub
    number: int
    _writer: str = field(default="", init=False)

    def role(self, login: str) -> Role:
        """The role of a person in the repository, also by teams and organization.

        Raises:
            ApiError: it cannot be read, or the answer is about somebody else.
        """
        with asking(f"read the role of {login}", "metadata: read"):
            return _role(self._permission(login), login)

    def author(self) -> str | None:
        """Login of who opened the pull request; None where that account is gone."""
        with asking("read the author of the pull request"):
            return _login(self.github.pull(self.number).raw_data["user"])

    def commit_author(self, sha: str) -> str | None:
        """Login of who wrote a commit; None where GitHub knows no account for the address in it."""
        with asking(f"read the author of commit {sha[:12]}", "contents: read"):
            found = self.github.repository.get_commit(sha).raw_data
            if found["sha"] != sha:
                raise ValueError("another commit")
            return _login(found["author"])

    def pushed_at(self, repository: str, branch: str, sha: str) -> str:
        """When a commit became the newest of a branch, by GitHub's own clock."""
        with asking(f"find out when {sha[:12]} was pushed", "contents: read"):
            if not _REPOSITORY.fullmatch(repository):
                raise ValueError("no repository")
            url = f"/repos/{repository}/activity"
            asked = {"ref": f"refs/heads/{branch}", "per_page": 1}
            _, rows = self.github.repository.requester.requestJsonAndCheck("GET", url, parameters=asked)
            newest = required(rows, list)[0]
            moment = required(newest["timestamp"], str)
            datetime.fromisoformat(moment)
            if newest["after"] != sha:
                raise ValueError("another commit is newer")
            return moment

    def _permission(self, login: str) -> Any:
        # PyGithub gives the coarse permission or the role's name, each by a request of its own, and nothing else.
        path = f"{self.github.repository.url}/collaborators/{quote(login, safe='')}/permission"
        return self.github.repository.requester.requestJsonAndCheck("GET", path)[1]

    def now(self) -> PullState:
        """State, labels and newest commit."""
        with asking("read the labels of the pull request"):
            pull = self.github.pull(self.number)
            labels = tuple(required(label.name, str) for label in pull.labels)
            base = required(pull.base.ref, str), _sha(pull.base.sha)
            return PullState(required(pull.state, str), labels, required(pull.head.sha, str), *base)

    def events(self) -> tuple[LabelEvent, ...]:
        """Every change of a label, oldest first."""
        with asking("read who set the label"):
            issue = self.github.repository.get_issue(self.number)
            rows = [event.raw_data for event in bounded(issue.get_timeline())]
            return tuple(_label_event(row) for row in rows if row.get("event") in ("labeled", "unlabeled"))

    def writer(self, authors: Iterable[str]) -> str:
        """The login under which this token writes; empty where GitHub does not say.

        Args:
            authors: of the comments that may be its own.
        """
        if not self._writer:
            bots = {name for name in authors if name.casefold().endswith(_BOT)}
            self._writer = self.github.login() or (
                WORKFLOW_AUTHOR if bots <= {WORKFLOW_AUTHOR} else self.github.app_login()
            )
        return self._writer

    def head(self) -> str:
        """The current head commit of the pull request: it may have moved during the evaluation."""
        with asking("read the head of the pull request"):
            return required(self.github.pull(self.number).head.sha, str)

    def comments(self) -> list[PostedComment]:
        """All of them, oldest first."""
        with asking("read the comments"):
            # On GitHub a pull request is also an issue, and the issue has the comments.
            issue = self.github.repository.get_issue(self.number)
            return [_posted(one.raw_data) for one in bounded(issue.get_comments())]

    def create(self, body: str) -> PostedComment:
        """Post a comment."""
        with asking("post the comment", _WRITE):
            url = f"{self.github.repository.url}/issues/{self.number}/comments"
            made = _posted(self.github.write("POST", url, {"body": body}))
        # The comment itself knows best who writes with this token: another app's is no workflow's.
        self._writer = made.author or self._writer
        return made

    def update(self, comment: PostedComment, body: str) -> None:
        """Replace the text of a comment."""
        with asking("update the comment", _WRITE):
            required(self.github.write("PATCH", self._url(comment), {"body": body})["html_url"], str)

    def delete(self, comment: PostedComment) -> None:
        with asking("delete a duplicate of the comment", _WRITE):
            self.github.write("DELETE", self._url(comment))

    def _url(self, comment: PostedComment) -> str:
        return f"{self.github.repository.url}/issues/comments/{comment.id}"


def _posted(data: dict[str, Any]) -> PostedComment:
    # GitHub gives no user for an account that is gone.
    author = required(data["user"]["login"], str) if data["user"] else ""
    return PostedComment(required(data["id"], int), author, data["body"] or "", required(data["html_url"], str))


Authorship: TypeAlias = tuple[str, ...]
"""Author, address, date and message of a commit: what a rebase keeps."""

_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_STATES = ("open", "closed")


@dataclass(frozen=True, slots=True)
class PullRequests:
    """Finds pull requests of one repository; every method may raise `ApiError`."""

    github: GitHub

    def get(self, number: int) -> PullRequest:
        """The pull request of a number."""
        with asking(f"read pull request {number}"):
            found = _pull(self.github.repository.get_pull(number))
            if found.number != number:
                raise ValueError("another pull request")
            return found

    def by_head(self, owner: str, branch: str, sha: str) -> tuple[PullRequest, ...]:
        """The open pull requests whose head is this commit of this branch.

        Args:
            owner: of the branch's repository, the fork's.
            sha: must be the branch's newest commit.
        """
        with asking(f"find the pull request of {sha[:12]}"):
            found = _pulls(self.github.repository.get_pulls(state="open", head=f"{owner}:{branch}"))
            # GitHub takes a head that it does not understand for no head at all, and lists everything.
            return tuple(one for one in found if one.head_sha == sha and one.state == "open")

    def commits(self, number: int) -> list[Authorship]:
        """The commits of a pull request, oldest first."""
        with asking(f"read the commits of pull request {number}"):
            return [_authorship(one.raw_data["commit"]) for one in bounded(self.github.pull(number).get_commits())]

    def commit(self, sha: str) -> Authorship:
        """One commit of the repository."""
        with asking(f"read commit {sha[:12]}", "contents: read"):
            return _authorship(self.github.repository.get_git_commit(sha).raw_data)

    def of_commit(self, sha: str) -> tuple[PullRequest, ...]:
        """The pull requests that a commit belongs to."""
        with asking(f"find the pull requests of {sha[:12]}"):
            return tuple(_pulls(self.github.repository.get_commit(sha).get_pulls()))


def _authorship(data: dict[str, Any]) -> Authorship:
    author = data["author"]
    return (*(required(author[key], str) for key in ("name", "email", "date")), required(data["message"], str))


def _pulls(found: Iterable[Raw]) -> list[PullRequest]:
    return [_pull(one) for one in bounded(found)]


def _pull(one: Raw) -> PullRequest:
    # PyGithub would request missing fields again; the raw data is the response.
    data = one.raw_data
    head, base = data["head"], data["base"]
    source = head["repo"]
    state = required(data["state"], str)
    if state not in _STATES:
        raise ValueError("neither open nor closed")
    merge = data.get("merge_commit_sha")
    return PullRequest(
        number=required(data["number"], int),
        head_sha=_sha(head["sha"]),
        base_ref=required(base["ref"], str),
        base_sha=_sha(base["sha"]),
        state=state,
        labels=tuple(required(label["name"], str) for label in required(data["labels"], list)),
        author=required(data["user"]["login"], str) if data["user"] else "",
        fork=source is None or required(source["id"], int) != required(base["repo"]["id"], int),
        merge_sha=None if merge is None else _sha(merge),
        default_branch=required(base["repo"]["default_branch"], str),
        head_repository="" if source is None else required(source["full_name"], str),
        head_ref=required(head["ref"], str),
    )


def _sha(value: object) -> str:
    text = required(value, str)
    if not _SHA.fullmatch(text):
        raise ValueError("not a commit")
    return text
