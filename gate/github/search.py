"""What all gates of a repository have spent in a month, as their comments keep it."""

import re
from datetime import UTC, datetime

from gate.domain.comment_seal import Seal
from gate.domain.comment_state import MARKER, state_in
from gate.github.client import GitHub, asking, bounded, required
from gate.github.comments import WORKFLOW_AUTHOR, posted

_MONTH = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])")
_NUMBER = re.compile(r".*/issues/(\d{1,18})")


def spent_in(github: GitHub, month: str, secret: bytes = b"") -> dict[int, float]:
    """Dollars that the runs of all pull requests have spent in a month.

    A comment that was deleted by hand is not counted, nor one of another account's. Of several comments of one gate on
    one pull request the largest counts: whoever copies a sealed comment adds nothing.

    Args:
        github: the repository.
        month: such as `2026-11`, in UTC.
        secret: of this run: only what was sealed with it counts. Empty: what the comments say counts as it is.

    Returns:
        Number of the pull request to dollars.

    Raises:
        ApiError: the comments cannot be read, or there are more than the client's bound.
        ValueError: `month` is not one.
    """
    if not _MONTH.fullmatch(month):
        raise ValueError(f"{month!r} is not a month such as 2026-11")
    first = datetime.fromisoformat(f"{month}-01").replace(tzinfo=UTC)
    with asking("read the comments of the repository"):
        read = bounded(github.repository.get_issues_comments("updated", "asc", first))
        found = [(_number(required(one.issue_url, str)), posted(one)) for one in read]
    marked = [(number, one) for number, one in found if one.body.startswith(MARKER)]
    if not marked:
        return {}
    author = (github.login() or WORKFLOW_AUTHOR).casefold()
    most: dict[tuple[int, str], float] = {}
    for number, one in marked:
        state = state_in(one.body, Seal(secret, github.name, number), one.written)
        if state is not None and one.author.casefold() == author:
            gate = number, one.body.partition("\n")[0].strip()
            most[gate] = max(most.get(gate, 0.0), state.spent.get(month, 0.0))
    total: dict[int, float] = {}
    for (number, _), dollars in most.items():
        total[number] = total.get(number, 0.0) + dollars
    return total


def _number(issue_url: str) -> int:
    found = _NUMBER.fullmatch(issue_url)
    if found is None:
        raise ValueError("the address of an issue expected")
    return int(found[1])
