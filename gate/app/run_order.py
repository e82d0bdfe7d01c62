"""What is asked of a run: suites, folder, limits, and which known answers may be used."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gate.app.repository import own_folder
from gate.engine.run import Progress
from gate.resolve.resolved import Resolved
from gate.store.files import CACHE_FOLDER


@dataclass(frozen=True, slots=True)
class RunOrder:
    """One evaluation to carry out.

    Args:
        seed: of the statistics; None derives it from base commit and exam.
        out: folder for `run.json`, `samples.jsonl` and the reports.
        apart: the arms are the same prompt, and their samples are to differ; see `Tools`.
        cache: use answers of earlier runs; without it a run keeps a journal, so that it can be resumed after being
            killed.
        cache_folder: None for the repository's.
        refresh: ask for everything again, and replace what is known.
        beside: where a baseline is known and its candidate is not, ask some of it again beside the candidate, for cost,
            latency and drift; otherwise only quality is compared there.
        say: tells the user what to know before anything is spent.
    """

    resolved: Resolved
    concurrency: int
    seed: int | None
    out: Path
    progress: Progress
    apart: bool = False
    cache: bool = True
    cache_folder: Path | None = None
    refresh: bool = False
    beside: bool = True
    batch: bool = False
    say: Callable[[str], None] = lambda text: None  # noqa: E731

    @property
    def place(self) -> Path:
        """The folder of the cache."""
        return own_folder() / CACHE_FOLDER.name if self.cache_folder is None else self.cache_folder
