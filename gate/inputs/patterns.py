"""Regular expressions of users, run on text of strangers: with a time limit, because some patterns never end."""

import warnings

from gate.inputs.limits import PATTERN_CHARS

LONGEST_S = 0.5
"""Seconds for one search; the event loop waits meanwhile."""


class TooSlow(Exception):
    """A search, or a check made of searches, that was given up because it took too long."""


def complaint(pattern: str) -> str:
    """Why this is no regular expression that can be searched for; empty when it is one."""
    if len(pattern) > PATTERN_CHARS:
        return f"it has more than {PATTERN_CHARS:,} characters"
    import regex  # only for those who use one

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            regex.compile(pattern)
    except (regex.error, OverflowError, RecursionError, ValueError) as error:
        return str(error)[:200]
    return ""


def occurs(
    pattern: str, text: str, *, ignore_case: bool = False, multiline: bool = True, seconds: float = LONGEST_S
) -> bool:
    """Does the pattern match somewhere in the text?

    Args:
        pattern: a regular expression.
        text: where to look.
        ignore_case: capitals and small letters are the same.
        multiline: `^` and `$` match at line breaks, too.
        seconds: time for the search.

    Raises:
        TooSlow: the search was given up.
    """
    import regex

    flags = (regex.MULTILINE if multiline else 0) | (regex.IGNORECASE if ignore_case else 0)
    try:
        return regex.search(pattern, text, flags, timeout=seconds) is not None
    except TimeoutError:
        raise TooSlow(f"the pattern took longer than {seconds:.1g} s") from None


def replaced(pattern: str, text: str, by: str, *, seconds: float = LONGEST_S) -> str:
    """The text with something else in place of each match.

    Args:
        pattern: a regular expression.
        text: where to look.
        by: what stands there then, to the letter.
        seconds: time for all of it.

    Raises:
        TooSlow: it was given up.
    """
    import regex

    try:
        return regex.sub(pattern, lambda _: by, text, timeout=seconds)
    except TimeoutError:
        raise TooSlow(f"the pattern took longer than {seconds:.1g} s") from None
