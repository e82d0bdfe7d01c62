"""The comments of one pull request."""

from dataclasses import dataclass, field

from github.IssueComment import IssueComment

from gate.domain.pull_request import Posted
from gate.github.client import GitHub, asking, bounded, required

WORKFLOW_AUTHOR = "github-actions[bot]"
"""Who writes with a workflow's own token, to which GitHub does not tell its name."""

_WRITE = "pull-requests: write"


@dataclass(slots=True)
class PullRequestComments:
    """Reads and writes comments; every method may raise `ApiError`.

    Args:
        github: the repository.
        number: of the pull request.
    """

    github: GitHub
    number: int
    _author: str = field(default="", init=False)

    def author(self) -> str:
        """The login under which this token writes."""
        self._author = self._author or self.github.login() or WORKFLOW_AUTHOR
        return self._author

    def head(self) -> str:
        """The commit that is the pull request's head now: it may have moved while the evaluation ran."""
        with asking("read the head of the pull request"):
            return required(self.github.pull(self.number).head.sha, str)

    def comments(self) -> list[Posted]:
        """All of them, oldest first."""
        with asking("read the comments"):
            # To GitHub a pull request is an issue, too, and that half of it has the comments.
            return [_posted(one) for one in bounded(self.github.repository.get_issue(self.number).get_comments())]

    def create(self, body: str) -> Posted:
        """Post a comment."""
        with asking("post the comment", _WRITE):
            made = _posted(self.github.repository.get_issue(self.number).create_comment(body))
        # The comment itself knows best who writes with this token: another app's is no workflow's.
        self._author = made.author or self._author
        return made

    def update(self, comment: Posted, body: str) -> None:
        """Replace the text of a comment."""
        with asking("update the comment", _WRITE):
            requester = self.github.repository.requester
            _, updated = requester.requestJsonAndCheck("PATCH", self._url(comment), input={"body": body})
            required(updated["html_url"], str)

    def delete(self, comment: Posted) -> None:
        """Delete a comment."""
        with asking("delete a double of the comment", _WRITE):
            self.github.repository.requester.requestJsonAndCheck("DELETE", self._url(comment))

    def _url(self, comment: Posted) -> str:
        return f"{self.github.repository.url}/issues/comments/{comment.id}"


def _posted(one: IssueComment) -> Posted:
    # GitHub gives no user for an account that is gone.
    author = required(one.user.login, str) if one.user else ""
    return Posted(required(one.id, int), author, one.body or "", required(one.html_url, str))
