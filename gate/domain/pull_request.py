"""What stands on a pull request: comments, and the events of its labels."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Posted:
    """A comment as it stands on the pull request.

    Args:
        id: GitHub's number.
        author: login of who wrote it.
        body: Markdown.
        url: for people.
    """

    id: int
    author: str
    body: str
    url: str


@dataclass(frozen=True, slots=True)
class LabelEvent:
    """A label was set or taken off.

    Args:
        label: its name.
        is_set: False where it was taken off.
        by: login; None where the account is gone.
        at: ISO 8601, UTC.
        bot: it is no person's account.
        app: the GitHub App that did it in somebody's name; empty where there was none.
    """

    label: str
    is_set: bool
    by: str | None
    at: str | None
    bot: bool = False
    app: str = ""


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request at one moment.

    Args:
        number: of the pull request.
        head_sha: the newest commit of the change.
        base_ref: name of the branch it goes into.
        base_sha: where that branch was when this was told; it may have moved since.
        state: `open` or `closed`.
        labels: names.
        author: login; empty where the account is gone.
        fork: the change comes from another repository, or from one that is gone.
        merge_sha: the commit that GitHub made of head and base; None where it made none, or has not said.
        default_branch: of the repository.
    """

    number: int
    head_sha: str
    base_ref: str
    base_sha: str
    state: str = "open"
    labels: tuple[str, ...] = ()
    author: str = ""
    fork: bool = False
    merge_sha: str | None = None
    default_branch: str = ""

    @property
    def merge_ref(self) -> str:
        """The change as it would be merged."""
        return f"refs/pull/{self.number}/merge"
