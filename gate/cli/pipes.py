"""Standard output that outlives its reader: a pipe that is closed early must not change the verdict's exit code."""

import io
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Forgiving(io.RawIOBase):
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
            io.BufferedWriter(_Forgiving(raw)),
            encoding=out.encoding,
            errors=out.errors,
            line_buffering=out.line_buffering,
        )
