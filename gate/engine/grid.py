"""The samples of one suite as arrays: by arm, case and index."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gate.domain.sample import ArmName
from gate.domain.suite import Suite
from gate.domain.transcript import Outline
from gate.engine.samples import PartKey, SampleTable

ARMS = tuple(ArmName)
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Grid:
    """One suite of a table. Every array has the shape [2, N, k]: both arms, the cases of the exam, their samples.

    Where there is no sample, figures are 0 and flags are false.

    Args:
        suite: whose exam gives the cases and their order; a suite without a baseline has an empty first arm.
        table: samples of the run.
    """

    def __init__(self, suite: Suite, table: SampleTable) -> None:
        self.suite = suite
        self._table = table
        self._positions = {case.id: position for position, case in enumerate(suite.exam.cases)}
        arms, cases = np.zeros((2, len(table.keys) + 1), dtype=np.int64)
        cases -= 1
        for number, (name, case_id, arm) in enumerate(table.keys):
            if name == suite.name:
                arms[number], cases[number] = ARMS.index(arm), self._positions.get(case_id, -1)
        keys, indices = table.column("key"), table.column("index")
        own = np.flatnonzero((cases[keys] >= 0) & (indices < suite.samples))
        self._rows = np.full((len(ARMS), len(suite.exam.cases), suite.samples), -1, dtype=np.int64)
        self._rows[arms[keys[own]], cases[keys[own]], indices[own]] = own
        self.taken: Bools = self._rows >= 0
        self.replied: Bools = self.taken & ~self.flags("failed")
        self.scored: Bools = self.taken & self._looked_up(table.scored)

    def figures(self, name: str) -> Floats:
        """A column of the table that holds seconds, dollars or scores."""
        found: Floats = self._looked_up(self._table.column(name))
        return found

    def numbers(self, name: str) -> Ints:
        """A column of the table that holds tokens or other whole numbers."""
        found: Ints = self._looked_up(self._table.column(name)).astype(np.int64)
        return found

    def flags(self, name: str) -> Bools:
        """A column of the table that holds yes or no."""
        found: Bools = self._looked_up(self._table.column(name)) != 0
        return found

    def parts(self) -> list[PartKey]:
        """What parts the scores of this suite have."""
        return [key for key in self._table.parts if key[0] == self.suite.name]

    def part(self, key: PartKey) -> tuple[Bools, Floats]:
        """Which samples have this part, and its values."""
        known, values = self._table.part(key)
        found: Bools = self.taken & self._looked_up(known)
        shown: Floats = self._looked_up(values)
        return found, shown

    def scorer(self, name: str) -> tuple[Bools, Floats]:
        """Which samples this scorer gave a value, and the values."""
        known, values = self._table.scorer(name)
        found: Bools = self.taken & self._looked_up(known)
        shown: Floats = self._looked_up(values)
        return found, shown

    @property
    def outlines(self) -> Sequence[Outline | None]:
        """What the column `outline` numbers; None where there was no conversation."""
        return self._table.outlines

    @property
    def sittings(self) -> Ints:
        """A number for the sitting of each reply; `replied` says where there is one."""
        known = {sitting: number for number, sitting in enumerate({source[2] for source in self._table.sources})}
        numbers = np.array([known[source[2]] for source in self._table.sources] or [0], dtype=np.int64)
        return numbers[np.where(self.replied, self.numbers("source"), 0)]

    def within(self, most: int) -> Bools:
        """Which samples are among the first of their case.

        Args:
            most: how many of each case.
        """
        found: Bools = np.broadcast_to(np.arange(self.suite.samples) < most, self._rows.shape)
        return found

    def unscored(self, where: Bools) -> Counter[str]:
        """Why samples that were taken have no score, with the number of each reason.

        Args:
            where: bool[2, N, k], which samples are looked at.
        """
        return self._table.unscored(self._rows[where & self.taken & ~self.scored].tolist())

    def _looked_up(self, column: NDArray[Any]) -> NDArray[Any]:
        # The row -1, which is no sample, is the zero at the end.
        return np.append(column, np.zeros(1, dtype=column.dtype))[self._rows]
