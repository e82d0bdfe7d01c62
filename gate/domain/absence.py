"""Absence has a type: what could not be measured is neither NaN, nor zero, nor a missing row."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Failed:
    """A call that gave no answer after every retry.

    Args:
        reason: one line, free of keys and control characters.
        attempts: how many requests were sent.
    """

    reason: str
    attempts: int = 1


@dataclass(frozen=True, slots=True)
class Unscored:
    """An answer that no score could be given to.

    Args:
        reason: one line.
    """

    reason: str
