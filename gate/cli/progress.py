"""How far a run is: a bar on a terminal, a plain line now and then elsewhere."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gate.engine.run import SilentProgress
from gate.record.sample import Sample
from gate.record.transcript import Failed

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID


def print_error_line(line: str) -> None:
    """A line on standard error, at once."""
    print(line, file=sys.stderr, flush=True)


@dataclass(slots=True)
class LineProgress:
    """A plain line at the start, then one every so many seconds, and one at the end."""

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


@dataclass(slots=True)
class BarProgress:
    """A bar with samples, cost and time left."""

    console: "Console"
    doing: str = "Sampling"
    _progress: "Progress | None" = field(default=None, init=False)
    _task: "TaskID | None" = field(default=None, init=False)
    _failed: int = field(default=0, init=False)

    def start(self, total: int) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._progress = Progress(
            TextColumn(self.doing),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            TextColumn("left"),
            TimeRemainingColumn(compact=True),
            console=self.console,
            transient=True,
        )
        self._failed = 0
        self._task = self._progress.add_task("samples", total=total, note="")
        self._progress.start()

    def advance(self, sample: Sample, spent_usd: float | None) -> None:
        self.step(spent_usd, failed=isinstance(sample.reply, Failed))

    def step(self, spent_usd: float | None, *, failed: bool = False) -> None:
        self._failed += failed
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, advance=1, note=progress_note(spent_usd, self._failed))

    def finish(self) -> None:
        if self._progress is not None:
            self._progress.stop()


AnyProgress = SilentProgress | LineProgress | BarProgress


def run_progress(*, quiet: bool, doing: str = "sampling", things: str = "samples to take") -> AnyProgress:
    """A bar on a terminal, plain lines elsewhere, nothing on request."""
    if quiet:
        return SilentProgress()
    # A quiet run does without the library that draws.
    from rich.console import Console

    console = Console(stderr=True)
    if console.is_terminal:
        return BarProgress(console, doing.capitalize())
    return LineProgress(doing=doing, things=things)


def progress_note(spent_usd: float | None, failed: int) -> str:
    """`$0.0123, 2 failed`, with what is not there left out."""
    parts = []
    if spent_usd:
        parts.append(f"${spent_usd:.4f}")
    if failed:
        parts.append(f"{failed} failed")
    return ", ".join(parts)
