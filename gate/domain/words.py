"""Counts in sentences, the same in reasons and reports."""

from decimal import Decimal

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


def exact_dollars(amount: float) -> str:
    """A limit, as far as six digits tell it, without an exponent: `$0.5`, `$0.000395`, `$1,250`."""
    return f"${Decimal(f'{amount:.6g}'):,f}"


def about_dollars(amount: float) -> str:
    """An amount with cents; below one dollar two significant digits, however small."""
    if abs(amount) >= 0.995 or amount == 0:
        return f"${amount:,.2f}"
    return f"${Decimal(f'{amount:#.2g}'):f}"
