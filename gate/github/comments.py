"""The comments of one pull request (`gate.flows.publish.Conversation`)."""

from collections.abc import Sequence
from functools import cached_property

from github.Issue import Issue
from github.IssueComment import IssueComment

from gate.domain.pull_request import Posted
from gate.github.client import GitHub, asking, bounded, required

WORKFLOW_AUTHOR = "github-actions[bot]"
"""Who writes with a workflow's own token, which may not ask for its name."""


class PullRequestComments:
    """Reads and writes comments.

    Args:
        github: the repository.
        number: of the pull request.
    """

    def __init__(self, github: GitHub, number: int) -> None:
        self._github, self._number = github, number
        self._known: dict[int, IssueComment] = {}

    @cached_property
    def _issue(self) -> Issue:
        # To GitHub a pull request is an issue, too, and that half of it has the conversation.
        return self._github.repository.get_issue(self._number)

    def author(self) -> str:
        return self._github.login() or WORKFLOW_AUTHOR

    def head(self) -> str:
        # Asked anew each time: it may have moved while the evaluation ran.
        with asking("read the head of the pull request"):
            return required(self._github.pull(self._number).head.sha, str)

    def comments(self) -> Sequence[Posted]:
        with asking("read the comments"):
            found = list(bounded(self._issue.get_comments()))
            self._known = {one.id: one for one in found}
            return [_posted(one) for one in found]

    def create(self, body: str) -> Posted:
        with asking("post the comment"):
            return _posted(self._issue.create_comment(body))

    def update(self, comment: Posted, body: str) -> Posted:
        with asking("update the comment"):
            self._known[comment.id].edit(body)
            done = _posted(self._known[comment.id])
            if _plain(done.body) != _plain(body):
                raise ValueError("another text")
            return done

    def delete(self, comment: Posted) -> None:
        with asking("delete a double of the comment"):
            self._known[comment.id].delete()


def _posted(one: IssueComment) -> Posted:
    # GitHub gives no user for an account that is gone.
    author = required(one.user.login, str) if one.user else ""
    return Posted(required(one.id, int), author, one.body or "", required(one.html_url, str))


def _plain(text: str) -> str:
    """The text without what a server may change on the way: line ends, and blanks at the end."""
    return text.replace("\r\n", "\n").rstrip()
