"""How far a run is, as a bar on a terminal."""

from dataclasses import dataclass, field

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from gate.cli.progress import progress_note
from gate.record.sample import Sample
from gate.record.transcript import Failed


@dataclass(slots=True)
class BarProgress:
    """A bar with samples, cost and time left.

    Args:
        console: a terminal, usually standard error.
        doing: what stands before the bar.
    """

    console: Console
    doing: str = "Sampling"
    _progress: Progress | None = field(default=None, init=False)
    _task: TaskID = field(default=TaskID(0), init=False)
    _failed: int = field(default=0, init=False)

    def start(self, total: int) -> None:
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
        if self._progress is not None:
            self._progress.update(self._task, advance=1, note=progress_note(spent_usd, self._failed))

    def finish(self) -> None:
        if self._progress is not None:
            self._progress.stop()
