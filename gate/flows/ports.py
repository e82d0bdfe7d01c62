"""What a flow needs of the world: somewhere to put samples, somebody to tell."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from gate.domain.record import RunRecord
from gate.domain.sample import Sample, Words
from gate.engine.plan import Job


class RunSink(Protocol):
    """Keeps the record of a run."""

    def sample(self, sample: Sample) -> int:
        """Keep one finished sample at once, so that nothing is lost when the run is killed.

        Returns:
            Where its texts can be found, for `words`.
        """
        ...

    def words(self, place: int) -> Words:
        """The texts of a sample that was kept."""
        ...

    def run(self, run: RunRecord) -> None:
        """Keep the finished run."""
        ...


class Progress(Protocol):
    """Tells the user how far the run is."""

    def start(self, total: int) -> None:
        """`total` samples will be taken."""
        ...

    def advance(self, sample: Sample, spent_usd: float | None) -> None:
        """One sample is finished; so much has been spent, in dollars, where that is known."""
        ...

    def finish(self) -> None:
        """No more samples will come."""
        ...


class Steps(Protocol):
    """Tells the user how far some work is that takes no samples."""

    def start(self, total: int) -> None:
        """About `total` steps will be taken."""
        ...

    def step(self, spent_usd: float | None, *, failed: bool = False) -> None:
        """One more is taken; so much has been spent, in dollars, where that is known."""
        ...

    def finish(self) -> None:
        """No more steps will come."""
        ...


class Tracing(Protocol):
    """Is told of each sample, for whoever follows a run from outside."""

    def sample(self, job: Job) -> AbstractContextManager[None]:
        """A sample is taken; what is asked within belongs to it."""
        ...

    def finished(self, sample: Sample) -> None:
        """What came of it, which may be known later than that."""
        ...


class Notes(Protocol):
    """Tells the user what should be known before anything is spent, and keeps it for the record."""

    def begin(self, known: int) -> None:
        """So many answers are known; the first call comes next."""
        ...

    def all(self, *, whole: bool) -> Sequence[str]:
        """Sentences for the record of a run that came to its end, or of one that did not."""
        ...
