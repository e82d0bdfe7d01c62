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
    """

    label: str
    is_set: bool
    by: str | None
    at: str | None
