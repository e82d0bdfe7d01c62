"""How far a run is: a bar on a terminal, now and then a plain line elsewhere."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from gate.domain.absence import Failed
from gate.domain.sample import Sample


@dataclass(slots=True)
class Silent:
    """Tells nothing."""

    def start(self, total: int) -> None:
        return

    def advance(self, sample: Sample, spent_usd: float | None) -> None:
        return

    def finish(self) -> None:
        return


@dataclass(slots=True)
class Bar:
    """A bar with samples, cost and time left.

    Args:
        console: a terminal, usually standard error.
    """

    console: Console
    _progress: Progress | None = field(default=None, init=False)
    _task: TaskID = field(default=TaskID(0), init=False)
    _failed: int = field(default=0, init=False)

    def start(self, total: int) -> None:
        self._progress = Progress(
            TextColumn("Sampling"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            TextColumn("left"),
            TimeRemainingColumn(compact=True),
            console=self.console,
            transient=True,
        )
        self._task = self._progress.add_task("samples", total=total, note="")
        self._progress.start()

    def advance(self, sample: Sample, spent_usd: float | None) -> None:
        self._failed += isinstance(sample.reply, Failed)
        if self._progress is not None:
            self._progress.update(self._task, advance=1, note=note(spent_usd, self._failed))

    def finish(self) -> None:
        if self._progress is not None:
            self._progress.stop()


@dataclass(slots=True)
class Lines:
    """A plain line at the start, then one every so many seconds, and one at the end.

    Args:
        write: writes one line.
        clock: monotonic seconds.
        every_s: seconds between lines.
    """

    write: Callable[[str], None]
    clock: Callable[[], float] = time.monotonic
    every_s: float = 10.0
    _total: int = field(default=0, init=False)
    _done: int = field(default=0, init=False)
    _failed: int = field(default=0, init=False)
    _last: float = field(default=0.0, init=False)
    _note: str = field(default="", init=False)

    def start(self, total: int) -> None:
        self._total, self._last = total, self.clock()
        self.write(f"sampling: {total} samples to take")

    def advance(self, sample: Sample, spent_usd: float | None) -> None:
        self._done += 1
        self._failed += isinstance(sample.reply, Failed)
        self._note = note(spent_usd, self._failed)
        if self.clock() - self._last >= self.every_s:
            self._tell()

    def finish(self) -> None:
        self._tell()

    def _tell(self) -> None:
        self._last = self.clock()
        self.write(f"sampling: {self._done} of {self._total}{', ' if self._note else ''}{self._note}")


def note(spent_usd: float | None, failed: int) -> str:
    """`$0.0123, 2 failed`, with what is not there left out."""
    parts = []
    if spent_usd:
        parts.append(f"${spent_usd:.4f}")
    if failed:
        parts.append(f"{failed} failed")
    return ", ".join(parts)
