"""Counts in sentences, the same in reasons and reports."""

UNREAD = "no scorer reads"
"""What a remark on changed orders of a prompt says, and the next step of a report goes by."""
HELPS = "What helps: "
"""How the reason of a run begins that says what to do about the one before it."""


def counted(count: int, one: str, many: str = "") -> str:
    """A count with its noun: `1 case`, `1,200 cases`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def without_score(samples: int, total: int) -> str:
    """`1 of 20 samples has no score`."""
    return f"{samples:,} of {counted(total, 'sample')} {'has' if samples == 1 else 'have'} no score"


def undecided(samples: int, total: int) -> str:
    """The same where the verdict hangs on it."""
    return f"{without_score(samples, total)}, and {'it' if samples == 1 else 'they'} could change the verdict"
