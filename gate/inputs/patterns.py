"""Regular expressions of users, run on text of strangers: with a time limit, because some patterns never end."""

import warnings

LONGEST_S = 0.5
"""Seconds for one search; the event loop waits meanwhile."""


class TooSlow(Exception):
    """A search that took longer than `LONGEST_S`."""


def complaint(pattern: str) -> str:
    """Why this is no regular expression; empty when it is one."""
    import regex  # only for those who use one

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            regex.compile(pattern)
    except (regex.error, OverflowError, RecursionError, ValueError) as error:
        return str(error)[:200]
    return ""


def occurs(pattern: str, text: str, *, ignore_case: bool = False) -> bool:
    """Does the pattern match somewhere in the text? `^` and `$` match at line breaks, too.

    Raises:
        TooSlow: the search was given up.
    """
    import regex

    flags = regex.MULTILINE | (regex.IGNORECASE if ignore_case else 0)
    try:
        return regex.search(pattern, text, flags, timeout=LONGEST_S) is not None
    except TimeoutError:
        raise TooSlow(f"the pattern took longer than {LONGEST_S:g} s") from None
