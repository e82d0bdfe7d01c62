"""The guarantees G1 to G8 as situations to simulate, each with its limit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from benchmarks.statistics.simulation.slice_layouts import ONE, SUITES, TAGS, TWELVE, Layout

_BINARY, _ALL = ("R1a", "R1b"), ("R1a", "R1b", "R2", "R3", "R4")
_QUICK = ("R1a", "R3", "R4")  # regimes of G1 and G2 in the quick run


class Question(StrEnum):
    """What is counted over the simulated pull requests."""

    BLOCK = "blocks"
    HOLD = "holds or blocks"
    FIND = "finds the fall"
    COVER = "interval holds the truth"
    FEIGN = "feigned certainty"


@dataclass(frozen=True, slots=True)
class Cell:
    """One row of the table.

    Args:
        regime: name in `REGIMES`.
        limit: the guaranteed rate; None if the figure is shown without a guarantee.
    """

    promise: str
    question: Question
    regime: str
    layout: Layout
    n: int
    limit: float | None
    fall: float = 0.0
    declared: bool = True
    quick: bool = True

    @property
    def at_most(self) -> bool:
        """Whether the limit is an upper limit."""
        return self.question in (Question.BLOCK, Question.HOLD, Question.FEIGN)


def all_cells() -> Sequence[Cell]:
    """Every row, in the order of the guarantees."""
    return [*_nothing_changed(), *_mean_neutral(), *_clusters(), *_power(), *_honesty()]


def _nothing_changed() -> Iterator[Cell]:
    for regime in _ALL:
        quick = regime in _QUICK
        for n in (1, 2, 5, 10, 30, 100):
            yield Cell("G1", Question.BLOCK, regime, ONE, n, 0.025, quick=quick and n in (5, 10, 30))
        yield Cell("G1", Question.BLOCK, regime, TWELVE, 30, 0.025, quick=quick)
        yield Cell("G1", Question.BLOCK, regime, TAGS, 60, 0.025, quick=quick)
    for regime in ("R1a", "R3"):
        yield Cell("G1", Question.BLOCK, regime, SUITES, 90, 0.025, quick=False)


def _mean_neutral() -> Iterator[Cell]:
    for regime in ("R6", "R6s", "R7", "R8"):
        yield Cell("G2", Question.BLOCK, regime, ONE, 30, 0.03, quick=False)
        yield Cell("G2", Question.BLOCK, regime, ONE, 100, 0.03)
        yield Cell("G2", Question.BLOCK, regime, TWELVE, 30, 0.03, quick=False)
        yield Cell("G2", Question.BLOCK, regime, TAGS, 60, 0.03)
    yield Cell("G2", Question.BLOCK, "R6x", ONE, 100, None, quick=False)
    yield Cell("G2", Question.BLOCK, "R6x", TWELVE, 30, None)


def _clusters() -> Iterator[Cell]:
    yield Cell("G3", Question.BLOCK, "R5", ONE, 25, 0.0)
    for n in (50, 150):
        yield Cell("G3", Question.BLOCK, "R5", ONE, n, 0.03)
        yield Cell("G3", Question.BLOCK, "R5", TAGS, n, 0.03, quick=n == 150)
    yield Cell("G3", Question.BLOCK, "R5", ONE, 150, None, declared=False)


def _power() -> Iterator[Cell]:
    for regime, limit in (("R1a", 0.80), ("R1b", 0.90), ("R4", 0.90), ("R2", 0.98), ("R3", 0.98)):
        yield Cell("G4", Question.FIND, regime, ONE, 100, limit, fall=0.10)
    yield Cell("G4", Question.FIND, "R1a", ONE, 30, None, fall=0.10)
    yield Cell("G5", Question.FIND, "R1a", TWELVE, 30, 0.50, fall=0.20)
    for regime, limit in (("R1a", 0.50), ("R4", 0.80), ("R3", 0.93)):
        yield Cell("G5", Question.FIND, regime, TWELVE, 100, limit, fall=0.10)


def _honesty() -> Iterator[Cell]:
    for n in (1, 3, 5, 10):
        yield Cell("G6", Question.FEIGN, "R7", ONE, n, 0.0, quick=n in (1, 5))
    for regime in _ALL:
        for n in (30, 100):
            limit = 0.85 if (regime, n) == ("R4", 30) else 0.93
            yield Cell("G7", Question.COVER, regime, ONE, n, limit, fall=0.10, quick=regime in _QUICK)
    for regime in ("R1a", "R3"):
        yield Cell("G8", Question.HOLD, regime, TAGS, 60, 0.10, quick=regime == "R1a")
