"""What all gates of a repository have spent in a month, as their comments keep it."""

import re
from datetime import UTC, datetime

from gate.domain.comment_state import MARKER, state_in
from gate.github.client import GitHub, asking, bounded
from gate.github.comments import WORKFLOW_AUTHOR, posted

_MONTH = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])")


def spent_in(github: GitHub, month: str) -> float:
    """Dollars that the runs of all pull requests have spent in a month.

    A comment that was deleted by hand is not counted, nor one of another account's.

    Args:
        github: the repository.
        month: such as `2026-11`, in UTC.

    Raises:
        ApiError: the comments cannot be read, or there are more than the client's bound.
        ValueError: `month` is not one.
    """
    if not _MONTH.fullmatch(month):
        raise ValueError(f"{month!r} is not a month such as 2026-11")
    first = datetime.fromisoformat(f"{month}-01").replace(tzinfo=UTC)
    with asking("read the comments of the repository"):
        found = [posted(one) for one in bounded(github.repository.get_issues_comments("updated", "asc", first))]
    marked = [one for one in found if one.body.startswith(MARKER)]
    if not marked:
        return 0.0
    author = (github.login() or WORKFLOW_AUTHOR).casefold()
    states = [state_in(one.body) for one in marked if one.author.casefold() == author]
    return sum(state.spent.get(month, 0.0) for state in states if state is not None)
