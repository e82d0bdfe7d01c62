"""Why somebody set the override label, in their own words: a line `/gate override: …` in a comment."""

import re
from collections.abc import Sequence

from gate.domain.pull_request import Posted

LONGEST_REASON = 500
"""Characters."""

_LINE = re.compile(r"[ \t]{0,20}/gate[ \t]{1,20}override[ \t]{0,20}:(.*)", re.IGNORECASE)


def reason_by(login: str | None, comments: Sequence[Posted]) -> str:
    """The newest reason that this person gave; empty where there is none.

    Args:
        login: of who set the label; nobody's words count for an account that is gone.
        comments: of anybody, oldest first.
    """
    if not login:
        return ""
    own = (one.body for one in reversed(comments) if one.author.casefold() == login.casefold())
    return next((reason for reason in map(_last_line, own) if reason), "")


def plain(text: str) -> str:
    """Text that can be written as UTF-8: half a surrogate pair, which JSON may bring, becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _last_line(body: str) -> str:
    found = [match[1].strip() for line in body.splitlines() if (match := _LINE.match(line))]
    said = next((reason for reason in reversed(found) if reason), "")
    return plain(said[:LONGEST_REASON])
