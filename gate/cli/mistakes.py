"""What the user reads when something is wrong."""

from gate.errors import GateError, InputErrors, Interrupted

SHOWN = 20
"""Mistakes printed at once; more are counted."""


def message(error: GateError) -> str:
    """What the user reads: the mistake, where it is, and the remedy."""
    if isinstance(error, Interrupted):
        return _printable(error.message)
    if not isinstance(error, InputErrors):
        return "error: " + _paragraph(error.message, error.hint)
    lines = ["error: " + _paragraph(f"{one.where}: {one.message}", one.hint) for one in error.problems[:SHOWN]]
    more = len(error.problems) - SHOWN
    return "\n".join([*lines, f"and {more} more"] if more > 0 else lines)


def _paragraph(said: str, hint: str) -> str:
    return _printable(said) + (f"\n  hint: {_printable(hint)}" if hint else "")


def _printable(text: str) -> str:
    """File content may stand in a message; neither a terminal nor a runner that reads the log must obey it."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
