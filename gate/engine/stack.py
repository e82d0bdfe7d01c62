"""All suites of a run laid on top of each other, for one joint test."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gate.domain.suite import Suite
from gate.engine.grid import Floats
from gate.engine.pairs import Scores, units_of
from gate.inputs.slices import members


@dataclass(frozen=True, slots=True)
class Slice:
    """One slice of one suite.

    Args:
        suite: the suite's name.
        name: `overall` or `dimension=value`.
        full_name: with the suite in front, in a run over several suites.
        advisory: shown, never blocks.
        margin: tolerated fall of its mean.
        rows: int[n], indices into the stacked arrays; cases without a scored pair are not among them.
    """

    suite: str
    name: str
    full_name: str
    advisory: bool
    margin: float
    rows: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Stack:
    """The stacked arrays.

    Args:
        baseline, candidate: float[N], per-case mean scores of all suites.
        units: int[N], independent unit of each case.
        slices: every slice of every suite, `overall` first in each suite.
        samples: float[N, k] of both arms, where every case has k scores in both; None otherwise.
        cases: int[N], which cases these are among those of all suites.
        everyone: int[M], unit of each case of all suites, scored or not.
    """

    baseline: Floats
    candidate: Floats
    units: NDArray[np.int64]
    slices: tuple[Slice, ...]
    samples: tuple[Floats, Floats] | None = None
    cases: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    everyone: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    @property
    def deltas(self) -> Floats:
        """float[N], candidate minus baseline."""
        return self.candidate - self.baseline

    def unit_count(self, rows: NDArray[np.int64]) -> int:
        """Independent units among some rows."""
        return int(np.unique(self.units[rows]).size)


def stack(suites: Sequence[Suite], scored: Mapping[str, Scores]) -> Stack:
    """Lay the suites on top of each other.

    Args:
        suites: all suites of the run.
        scored: scores of each suite, by its name.
    """
    baseline: list[Floats] = []
    candidate: list[Floats] = []
    cases: list[NDArray[np.int64]] = []
    everyone: list[NDArray[np.int64]] = []
    slices: list[Slice] = []
    offset = before = 0
    for suite in suites:
        scores = scored[suite.name]
        slices += _slices(suite, scores, offset, several=len(suites) > 1)
        baseline.append(scores.baseline)
        candidate.append(scores.candidate)
        cases.append(scores.positions + before)
        everyone.append(units_of(suite) + before)
        offset += scores.positions.size
        before += len(suite.exam.cases)
    samples = _samples([scored[suite.name].samples for suite in suites])
    rows, own = np.concatenate(cases), np.concatenate(everyone)
    return Stack(np.concatenate(baseline), np.concatenate(candidate), own[rows], tuple(slices), samples, rows, own)


def _samples(tables: Sequence[tuple[Floats, Floats] | None]) -> tuple[Floats, Floats] | None:
    """The suites' samples on top of each other, if all have equally many."""
    whole = [table for table in tables if table is not None]
    if len(whole) < len(tables) or len({table[0].shape[1] for table in whole}) != 1:
        return None
    return np.concatenate([table[0] for table in whole]), np.concatenate([table[1] for table in whole])


def _slices(suite: Suite, scores: Scores, offset: int, *, several: bool) -> list[Slice]:
    row_of = {int(position): offset + row for row, position in enumerate(scores.positions)}
    out = []
    for name, positions in members(suite.exam.cases, suite.exam.dimensions).items():
        rows = np.array([row_of[p] for p in positions if p in row_of], dtype=np.int64)
        full = f"{suite.name}/{name}" if several else name
        advisory = suite.trial or name in suite.exam.policy.advisory
        out.append(Slice(suite.name, name, full, advisory, suite.exam.policy.margin_of(name), rows))
    return out
