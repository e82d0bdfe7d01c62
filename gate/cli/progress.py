"""How far a run is, now and then in a plain line; `gate.cli.progress_bar` is for terminals."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from gate.record.sample import Sample
from gate.record.transcript import Failed


def print_error_line(line: str) -> None:
    """A line on standard error, at once."""
    print(line, file=sys.stderr, flush=True)


@dataclass(slots=True)
class SilentProgress:
    """Tells nothing."""

    def start(self, total: int) -> None:
        return

    def advance(self, sample: Sample, spent_usd: float | None) -> None:
        return

    def step(self, spent_usd: float | None, *, failed: bool = False) -> None:
        return

    def finish(self) -> None:
        return


@dataclass(slots=True)
class LineProgress:
    """A plain line at the start, then one every so many seconds, and one at the end.

    Args:
        write: writes one line.
        clock: monotonic seconds.
        every_s: seconds between lines.
        doing: how each line begins.
        things: what is counted.
    """

    write: Callable[[str], None] = print_error_line
    clock: Callable[[], float] = time.monotonic
    every_s: float = 10.0
    doing: str = "sampling"
    things: str = "samples to take"
    _total: int = field(default=0, init=False)
    _done: int = field(default=0, init=False)
    _failed: int = field(default=0, init=False)
    _last: float = field(default=0.0, init=False)
    _note: str = field(default="", init=False)

    def start(self, total: int) -> None:
        self._total, self._done, self._failed, self._last = total, 0, 0, self.clock()
        self.write(f"{self.doing}: {total} {self.things}")

    def advance(self, sample: Sample, spent_usd: float | None) -> None:
        self.step(spent_usd, failed=isinstance(sample.reply, Failed))

    def step(self, spent_usd: float | None, *, failed: bool = False) -> None:
        self._done += 1
        self._failed += failed
        self._note = progress_note(spent_usd, self._failed)
        if self.clock() - self._last >= self.every_s:
            self._tell()

    def finish(self) -> None:
        self._tell()

    def _tell(self) -> None:
        self._last = self.clock()
        self.write(f"{self.doing}: {self._done} of {self._total}{', ' if self._note else ''}{self._note}")


def progress_note(spent_usd: float | None, failed: int) -> str:
    """`$0.0123, 2 failed`, with what is not there left out."""
    parts = []
    if spent_usd:
        parts.append(f"${spent_usd:.4f}")
    if failed:
        parts.append(f"{failed} failed")
    return ", ".join(parts)
