"""Error messages, and a standard output that survives a closed pipe."""

import io
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from gate.errors import GateError, InputErrors, Interrupted


def error_message(error: GateError) -> str:
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


if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _ClosedPipeWriter(io.RawIOBase):
    """Writes to another stream until nobody reads any more, and then nowhere."""

    def __init__(self, raw: io.RawIOBase) -> None:
        self._raw = raw

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._raw.fileno()

    def isatty(self) -> bool:
        return self._raw.isatty()

    def write(self, data: "ReadableBuffer") -> int | None:
        try:
            return self._raw.write(data)
        except BrokenPipeError:
            return memoryview(data).nbytes


def forgive_closed_pipes() -> None:
    """Let `gate … | head` end with the code that `gate …` has."""
    out = sys.stdout
    if isinstance(out, io.TextIOWrapper) and isinstance(raw := getattr(out.buffer, "raw", None), io.RawIOBase):
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(_ClosedPipeWriter(raw)),
            encoding=out.encoding,
            errors=out.errors,
            line_buffering=out.line_buffering,
        )


def refuse_options(given: Mapping[str, object], when: str, hint: str) -> None:
    """Raise a GateError for the first option that is given and has no meaning here."""
    for flag, value in given.items():
        if value:
            raise GateError(f"{flag} has no meaning {when}", hint)
