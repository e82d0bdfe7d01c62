"""Collects every mistake of one input file, so that all are reported at once."""

import difflib
from collections.abc import Iterable

from gate.errors import InputErrors, Problem

_QUOTED_CHARS = 60


class Problems:
    """The mistakes of one file, in the order of their lines.

    Args:
        file: path as the user wrote it.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self._found: set[Problem] = set()

    @property
    def found(self) -> tuple[Problem, ...]:
        """What is noted."""
        return tuple(sorted(self._found))

    def add(self, line: int, message: str, hint: str = "") -> None:
        """Note a mistake; `line` is 1-based, 0 for the whole file."""
        self._found.add(_problem(self.file, line, message, hint))

    def check(self) -> None:
        """Raise `InputErrors` when there is a mistake."""
        if self._found:
            raise InputErrors(self.found)


def one_problem(file: str, line: int, message: str, hint: str = "") -> InputErrors:
    """The error for a mistake that ends all reading."""
    return InputErrors([_problem(file, line, message, hint)])


def _problem(file: str, line: int, message: str, hint: str) -> Problem:
    return Problem(printable(file), line, printable(message), printable(hint))


def printable(text: str) -> str:
    """The text on one line, with control, direction and surrogate characters escaped: it goes to a terminal."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def quoted(text: str) -> str:
    """User text inside a message: short, and with control characters escaped."""
    return repr(text if len(text) <= _QUOTED_CHARS else text[:_QUOTED_CHARS] + "…")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint that names the closest known word, or else all of them."""
    words = list(known)
    close = difflib.get_close_matches(word[:100].lower(), words, n=1, cutoff=0.6)
    return f"did you mean {close[0]!r}?" if close else "known: " + ", ".join(words)
