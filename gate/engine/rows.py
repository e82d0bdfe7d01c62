"""Samples as arrays in order of completion."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gate.domain.sample import ArmName, Sample
from gate.engine.grid import ARMS, Bools, Floats, Ints
from gate.engine.samples import SampleTable


class Rows:
    """The samples of one suite, or of all.

    Args:
        table: samples of the run.
        suite: its name; None for all.
    """

    def __init__(self, table: SampleTable, suite: str | None = None) -> None:
        self._table = table
        wanted = np.array([suite is None or key[0] == suite for key in table.keys], dtype=np.bool_)
        self._numbers = np.flatnonzero(wanted[table.column("key")])

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[Sample]:
        return (self._table[number] for number in self._numbers.tolist())

    def figures(self, name: str) -> Floats:
        """A column of the table that holds seconds or dollars."""
        found: Floats = self._column(name)
        return found

    def numbers(self, name: str) -> Ints:
        """A column of the table that holds whole numbers."""
        found: Ints = self._column(name).astype(np.int64)
        return found

    def flags(self, name: str) -> Bools:
        """A column of the table that holds yes or no."""
        found: Bools = self._column(name) != 0
        return found

    def scores(self, name: str) -> NDArray[Any]:
        """A column of the scores of these samples, one entry for each score."""
        ends = self._table.column("scores").astype(np.int64)
        own = np.zeros(len(ends), dtype=np.bool_)
        own[self._numbers] = True
        return self._table.score_column(name)[np.repeat(own, np.diff(ends, prepend=0))]

    def of_arm(self, arm: ArmName) -> Bools:
        """Which of them are of this arm."""
        arms = np.array([ARMS.index(key[2]) for key in self._table.keys], dtype=np.int64)
        found: Bools = arms[self.numbers("key")] == ARMS.index(arm)
        return found

    def endings(self, arm: ArmName) -> Counter[tuple[str, str, bool]]:
        """Model id, the provider's word for the end, and whether the text is blank, of all replies of an arm."""
        replied = self.of_arm(arm) & ~self.flags("failed")
        sources, blanks = self.numbers("source")[replied].tolist(), self.flags("blank")[replied].tolist()
        out: Counter[tuple[str, str, bool]] = Counter()
        for (source, blank), count in Counter(zip(sources, blanks, strict=True)).items():
            model_id, stop_reason, _ = self._table.sources[source]
            out[model_id, stop_reason, blank] += count
        return out

    def _column(self, name: str) -> NDArray[Any]:
        return self._table.column(name)[self._numbers]
