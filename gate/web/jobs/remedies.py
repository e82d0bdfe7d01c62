"""What helps against what providers answer instead of an answer."""

import re

_REMEDIES = (
    (r"answered (429|529)\b", "The provider limits how often it may be asked: wait a minute, then try again."),
    (r"answered 5\d\d\b", "The provider has a fault of its own: try again later, or on another model."),
    (
        r"gave no answer within|the connection to .* failed",
        "The provider did not answer in time: try again, and see that this server can reach it.",
    ),
    (r"\bbudget\b|max_calls|max_usd", "A limit of this job or of gate.yaml was reached: raise it, then try again."),
)


def remedy(reason: str) -> str:
    """What helps; empty where only a look at the reason does.

    Args:
        reason: why there is no answer or no score.
    """
    return next((said for pattern, said in _REMEDIES if re.search(pattern, reason)), "")
