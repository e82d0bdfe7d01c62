"""Pull requests, found by number, by head or by commit."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from github.PullRequest import PullRequest as Raw

from gate.domain.pull_request import PullRequest
from gate.github.client import GitHub, asking, bounded, required

_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_STATES = ("open", "closed")


@dataclass(frozen=True, slots=True)
class PullRequests:
    """Finds pull requests of one repository; every method may raise `ApiError`.

    Args:
        github: the repository.
    """

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
            owner: of the repository in which the branch lies, the fork's.
            branch: its name.
            sha: the commit; a branch that has moved on is none.
        """
        with asking(f"find the pull request of {sha[:12]}"):
            found = _pulls(self.github.repository.get_pulls(state="open", head=f"{owner}:{branch}"))
            # GitHub takes a head that it does not understand for no head at all, and lists everything.
            return tuple(one for one in found if one.head_sha == sha and one.state == "open")

    def open_at(self, sha: str) -> tuple[PullRequest, ...]:
        """All open pull requests whose head is a commit, from wherever they come.

        Args:
            sha: the commit.
        """
        with asking(f"find the pull requests of {sha[:12]}"):
            return tuple(one for one in _pulls(self.github.repository.get_pulls(state="open")) if one.head_sha == sha)

    def of_commit(self, sha: str) -> tuple[PullRequest, ...]:
        """The pull requests that a commit belongs to.

        Args:
            sha: the commit.
        """
        with asking(f"find the pull requests of {sha[:12]}"):
            return tuple(_pulls(self.github.repository.get_commit(sha).get_pulls()))


def _pulls(found: Iterable[Raw]) -> list[PullRequest]:
    return [_pull(one) for one in bounded(found)]


def _pull(one: Raw) -> PullRequest:
    # What an answer leaves out PyGithub would ask for once more; the raw data is what was said.
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
    )


def _sha(value: object) -> str:
    text = required(value, str)
    if not _SHA.fullmatch(text):
        raise ValueError("not a commit")
    return text
