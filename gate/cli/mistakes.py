"""What the user reads when something is wrong."""

from gate.errors import GateError, InputErrors, Interrupted


def message(error: GateError) -> str:
    """What the user reads: the mistake, where it is, and the remedy."""
    if isinstance(error, Interrupted):
        return _printable(error.message)
    if not isinstance(error, InputErrors):
        return "error: " + _paragraph(error.message, error.hint)
    return "\n".join("error: " + _paragraph(f"{one.where}: {one.message}", one.hint) for one in error.shown)


def _paragraph(said: str, hint: str) -> str:
    return _printable(said) + (f"\n  hint: {_printable(hint)}" if hint else "")


def _printable(text: str) -> str:
    """File content may stand in a message; neither a terminal nor a runner that reads the log must obey it."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
