"""One evaluation to be carried out, as whoever asks for it says."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gate.bootstrap.memory import Remembering
from gate.flows.ports import Progress
from gate.flows.resolved import Resolved


@dataclass(frozen=True, slots=True)
class Plan:
    """One evaluation to be carried out.

    Args:
        resolved: what there is to evaluate.
        concurrency: calls in flight.
        seed: of the statistics; None derives it from base commit and exam.
        out: folder for `run.json`, `samples.jsonl` and the reports.
        progress: tells the user.
        apart: the arms are the same prompt, and their samples are to differ; see `Tools`.
        remember: what it may know beforehand.
        batch: have the answers prepared by the providers' batch interfaces.
        say: tells the user what should be known before anything is spent.
    """

    resolved: Resolved
    concurrency: int
    seed: int | None
    out: Path
    progress: Progress
    apart: bool = False
    remember: Remembering = Remembering()
    batch: bool = False
    say: Callable[[str], None] = lambda text: None  # noqa: E731
