"""What a flow needs of the world: somewhere to put samples, somebody to tell."""

from typing import Protocol

from gate.domain.record import RunRecord
from gate.domain.sample import Sample
from gate.engine.samples import Words


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
