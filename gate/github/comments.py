"""The comments of one pull request (`gate.flows.conversation.Conversation`)."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any

from github.Issue import Issue
from github.IssueComment import IssueComment

from gate.domain.comment_seal import Seal
from gate.domain.pull_request import Claim, CommentGone, CommentRefused, Posted
from gate.errors import CannotEvaluate
from gate.github.client import LONGEST_WAIT_S, ApiError, GitHub, asking, bounded, required

WORKFLOW_AUTHOR = "github-actions[bot]"
"""Who writes with a workflow's own token, where nobody tells its name."""

CLAIM = "eyes"
"""The reaction that claims a comment: GitHub sets it once per account, and says whether it had been set before."""
CLAIM_LASTS = timedelta(minutes=3)
"""A claim that is older was left by a run that is no more: publishing takes a minute at most."""

_GONE = (404, 410)


class _Again(ApiError):
    """The same error under the name that the flows know."""

    def __init__(self, error: ApiError) -> None:
        CannotEvaluate.__init__(self, error.message, error.hint)
        self.status, self.said, self.retry_after = error.status, error.said, error.retry_after


class _Gone(_Again, CommentGone):
    pass


class _Refused(_Again, CommentRefused):
    pass


class PullRequestComments:
    """Reads and writes comments, for one publication.

    The author is asked for (REST tells a person's token, GraphQL an app's); where nobody says, it is taken for the
    workflows' own bot until a comment that was created tells better.

    Args:
        github: the repository.
        number: of the pull request.
        secret: seals what the comments keep; empty where the run has none.
        deadline_s: seconds from the first request on, after which none is begun. The last one may take 15 s more.
        pause: waits for the seconds that GitHub asks for before a comment may be posted.
    """

    def __init__(
        self,
        github: GitHub,
        number: int,
        *,
        secret: bytes = b"",
        deadline_s: float = 60.0,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.seal = Seal(secret, github.name, number)
        self._github, self._number, self._deadline_s, self._pause = github, number, deadline_s, pause
        self._until: float | None = None
        self._author: str | None = None
        self._clock: datetime | None = None
        self._claims: dict[int, int] = {}

    @contextmanager
    def _asking(self, what: str) -> Iterator[None]:
        """As `asking`, within what is left of the time."""
        patience = self._github.patience
        if self._until is None:
            self._until = time.monotonic() + self._deadline_s
        before, patience.until = patience.until, self._until
        try:
            if not patience.lasts():
                raise ApiError(what, 0, f"{self._deadline_s:g} s are over")
            with asking(what):
                yield
        finally:
            patience.until = before

    @cached_property
    def _issue(self) -> Issue:
        # To GitHub a pull request is an issue, too, and that half of it has the conversation.
        return self._github.repository.get_issue(self._number)

    def author(self) -> str:
        if self._author is None:
            with self._asking("ask whose token this is"):
                self._author = self._github.login() or WORKFLOW_AUTHOR
        return self._author

    def head(self) -> str:
        # Asked anew each time: it may have moved while the evaluation ran.
        with self._asking("read the head of the pull request"):
            pull = self._github.pull(self._number)
            head = required(pull.head.sha, str)
            self._clock = _told_at(pull.raw_headers)
            return head

    def clock(self) -> datetime | None:
        return self._clock

    def comments(self) -> Sequence[Posted]:
        with self._asking("read the comments"):
            return [posted(one) for one in bounded(self._issue.get_comments())]

    def reread(self, comment: Posted) -> Posted:
        with self._standing(), self._asking("read the comment"):
            return posted(self._issue.get_comment(comment.id))

    def create(self, body: str) -> Posted:
        try:
            done = self._created(body)
        except ApiError as error:
            wait = error.retry_after
            if error.status not in (403, 429) or wait is None or wait > LONGEST_WAIT_S:
                raise
            # GitHub has not done it, so that it can be asked again; the client itself repeats no POST.
            self._pause(wait)
            done = self._created(body)
        # The comment itself knows best who writes with this token.
        self._author = done.author or self._author
        return done

    def _created(self, body: str) -> Posted:
        with self._fit(), self._asking("post the comment"):
            return posted(self._issue.create_comment(body))

    def update(self, comment: Posted, body: str) -> Posted:
        with self._standing(), self._fit(), self._asking("update the comment"):
            _, data = self._request("PATCH", comment, "", {"body": body})
            text = required(data["body"], str)
            if _plain(text) != _plain(body):
                raise ValueError("another text")
            when = datetime.fromisoformat(required(data["updated_at"], str))
            return Posted(comment.id, comment.author, text, required(data["html_url"], str), when)

    def delete(self, comment: Posted) -> None:
        with self._asking("delete a double of the comment"):
            self._request("DELETE", comment, "")
        self._claims.pop(comment.id, None)

    def hide(self, comment: Posted) -> None:
        with self._standing(), self._asking("hide the earlier comment"):
            if not self._issue.get_comment(comment.id).minimize("OUTDATED"):
                raise ValueError("not minimised")

    def claim(self, comment: Posted) -> Claim:
        """Claim a comment by a reaction.

        A token that may not react edits without a claim: only a race of two runs can then go wrong.
        """
        try:
            with self._standing():
                return self._claim(comment)
        except CommentGone:
            raise
        except ApiError as error:
            if error.status in (403, 422):
                return Claim.HELD
            if error.status and error.status < 500:
                raise
            return self._claim_in_doubt(comment)

    def release(self, comment: Posted) -> None:
        number = self._claims.pop(comment.id, None)
        if number is not None:
            with self._asking("take the reaction off the comment"):
                self._request("DELETE", comment, f"/reactions/{number}")

    def _claim(self, comment: Posted) -> Claim:
        for _ in range(2):
            with self._asking("mark the comment"):
                status, headers, reaction = self._react(comment)
                number = required(reaction["id"], int)
                if status == 201:
                    self._claims[comment.id] = number
                    return Claim.HELD
                if not _stale(headers, required(reaction["created_at"], str)):
                    return Claim.TAKEN
                self._request("DELETE", comment, f"/reactions/{number}")
        return Claim.TAKEN

    def _claim_in_doubt(self, comment: Posted) -> Claim:
        """The answer to a claim was lost: a claim that is there now is taken for ours."""
        with self._standing(), self._asking("mark the comment"):
            _, rows = self._request("GET", comment, f"/reactions?content={CLAIM}")
            author = self.author().casefold()
            own = [row for row in rows if (row.get("user") or {}).get("login", "").casefold() == author]
            if own:
                self._claims[comment.id] = required(own[0]["id"], int)
                return Claim.HELD
        with self._standing():
            return self._claim(comment)

    def _react(self, comment: Posted) -> tuple[int, dict[str, Any], Any]:
        """Status, headers and answer: PyGithub's own method does not tell whether the reaction is new."""
        requester = self._github.repository.requester
        url = f"{self._github.repository.url}/issues/comments/{comment.id}/reactions"
        status, headers, text = requester.requestJson("POST", url, input={"content": CLAIM})
        if status not in (200, 201):
            said = json.loads(text).get("message") if text.startswith("{") else ""
            raise ApiError("mark the comment", status, said if isinstance(said, str) else "")
        return status, headers, json.loads(text)

    def _request(self, method: str, comment: Posted, below: str, body: Any = None) -> tuple[dict[str, Any], Any]:
        url = f"{self._github.repository.url}/issues/comments/{comment.id}{below}"
        return self._github.repository.requester.requestJsonAndCheck(method, url, input=body)

    @contextmanager
    def _standing(self) -> Iterator[None]:
        try:
            yield
        except ApiError as error:
            if error.status in _GONE:
                raise _Gone(error) from None
            raise

    @contextmanager
    def _fit(self) -> Iterator[None]:
        try:
            yield
        except ApiError as error:
            if error.status == 422:
                raise _Refused(error) from None
            raise


def posted(one: IssueComment) -> Posted:
    """A comment as PyGithub has it."""
    # GitHub gives no user for an account that is gone.
    author = required(one.user.login, str) if one.user else ""
    when = required(one.updated_at, datetime)
    return Posted(required(one.id, int), author, one.body or "", required(one.html_url, str), when)


def _stale(headers: dict[str, Any], created_at: str) -> bool:
    """Was it made long ago, by GitHub's own clock?"""
    now = _told_at(headers)
    try:
        return now is not None and now - datetime.fromisoformat(created_at) > CLAIM_LASTS
    except (TypeError, ValueError):
        return False


def _told_at(headers: Mapping[str, Any]) -> datetime | None:
    """When GitHub answered, by its own clock; None where it does not say."""
    try:
        at = parsedate_to_datetime(str(headers["date"]))
    except (KeyError, TypeError, ValueError):
        return None
    return at if at.tzinfo is not None else None


def _plain(text: str) -> str:
    """The text without what a server may change on the way: line ends, and blanks at the end."""
    return text.replace("\r\n", "\n").rstrip()
