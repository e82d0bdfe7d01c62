"""Samples as arrays: by arm, case and index; one delta per case; all suites stacked for one joint test."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gate.cases.case import members
from gate.engine.samples import PartKey, SampleTable
from gate.record.transcript import ArmName, Outline, Sample
from gate.suite import Suite

ARMS = tuple(ArmName)
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class SampleArrays:
    """One suite of a table. Every array has the shape [2, N, k]: both arms, the cases, their samples.

    Where there is no sample, figures are 0 and flags are false.
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
    def talks(self) -> list[Outline]:
        """The different outlines of the suite's conversations."""
        numbers = np.unique(self.numbers("outline")[self.replied]).tolist() if self.outlines else []
        return [outline for outline in (self.outlines[number] for number in numbers) if outline is not None]

    @property
    def sittings(self) -> Ints:
        """A number for the process that took each reply; `replied` is true where there is a reply."""
        known = {sitting: number for number, sitting in enumerate({source[2] for source in self._table.sources})}
        numbers = np.array([known[source[2]] for source in self._table.sources] or [0], dtype=np.int64)
        return numbers[np.where(self.replied, self.numbers("source"), 0)]

    def within(self, most: int) -> Bools:
        """Which samples are among the first `most` of their case."""
        found: Bools = np.broadcast_to(np.arange(self.suite.samples) < most, self._rows.shape)
        return found

    def unscored(self, where: Bools) -> Counter[str]:
        """Why samples that were taken have no score, with the number of each reason; `where` is bool[2, N, k]."""
        return self._table.unscored(self._rows[where & self.taken & ~self.scored].tolist())

    def _looked_up(self, column: NDArray[Any]) -> NDArray[Any]:
        # The row -1, which is no sample, is the zero at the end.
        return np.append(column, np.zeros(1, dtype=column.dtype))[self._rows]


@dataclass(frozen=True, slots=True)
class Scores:
    """Per-case mean scores of both arms, over the cases that both arms have a score for.

    Args:
        positions: int[n], which cases of the eval set these are.
        baseline, candidate: float[n], mean scores over equally many samples.
        samples: float[n, k] of both arms; None unless every case has all of its samples.
    """

    positions: Ints
    baseline: Floats
    candidate: Floats
    samples: tuple[Floats, Floats] | None = None

    @property
    def deltas(self) -> Floats:
        """float[n], candidate minus baseline."""
        return self.candidate - self.baseline


def scores(grid: SampleArrays, missing: Mapping[ArmName, float] | None = None, most: int | None = None) -> Scores:
    """The scores of one suite.

    A case counts as many samples as the poorer arm has, the first ones by index: unequal numbers would break the
    symmetry that the test rests on. Between cases they may differ.

    Args:
        missing: the score that replaces a missing one, by arm; None leaves missing samples out.
        most: samples of each arm that count; None for all that were planned.
    """
    planned = grid.suite.samples
    counted = grid.within(planned if most is None else most)
    known = grid.scored & counted
    values = np.where(known, grid.figures("score"), 0.0)
    if missing is not None:
        fill = np.array([missing[arm] for arm in ARMS])[:, None, None]
        values, known = np.where(counted & ~known, fill, values), counted
    positions, means = paired(values, known)
    whole = bool(np.all(known.sum(axis=2).min(axis=0) == planned))
    return Scores(positions, means[0], means[1], (values[0], values[1]) if whole else None)


def paired(values: Floats, known: Bools) -> tuple[Ints, Floats]:
    """Per-case means of both arms, over as many samples as the poorer arm has, the first ones by index.

    Args:
        values: float[2, N, k].
        known: bool[2, N, k], which of them there are.

    Returns:
        int[n] positions of the cases that both arms have a value for, and float[2, n].
    """
    enough = known.sum(axis=2).min(axis=0)
    used = known & (np.cumsum(known, axis=2) <= enough[:, None])
    positions = np.flatnonzero(enough)
    means: Floats = np.where(used, values, 0.0).sum(axis=2)[:, positions] / enough[positions]
    return positions, means


def clusters(suite: Suite) -> Ints | None:
    """int[N] unit of each case, or None when no case declares a cluster; an undeclared case is its own unit."""
    return cluster_numbers([(case.id, case.cluster) for case in suite.exam.cases])


def cluster_numbers(cases: Sequence[tuple[str, str | None]]) -> Ints | None:
    """As `clusters`, for ids of cases with their clusters."""
    if all(cluster is None for _, cluster in cases):
        return None
    names: dict[tuple[str, str], int] = {}
    keys = [("case", case) if cluster is None else ("cluster", cluster) for case, cluster in cases]
    return np.array([names.setdefault(key, len(names)) for key in keys], dtype=np.int64)


def units_of(suite: Suite) -> Ints:
    """int[N] unit of each case: its cluster, or the case itself."""
    declared = clusters(suite)
    return np.arange(len(suite.exam.cases), dtype=np.int64) if declared is None else declared


@dataclass(frozen=True, slots=True)
class Slice:
    """One slice of one suite.

    Args:
        name: `overall` or `dimension=value`.
        full_name: `suite/name` in a run over several suites.
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
    """The scores of all suites in one array, with their slices; `overall` comes first in each suite.

    Args:
        baseline, candidate: float[N], per-case mean scores of all suites.
        units: int[N], independent unit of each case.
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
    """Stack the scores of all suites; `scored` has them by name."""
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


class Rows:
    """The samples of one suite, or of all where `suite` is None."""

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
        """A column of single scores, one entry for each score of these samples."""
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


WANTED = 30
"""Pairs of answers of one process that latency, cost and cached tokens need, where answers are reused."""


def side_by_side(grid: SampleArrays) -> tuple[Bools, str]:
    """The replies that may be compared in time and money.

    A provider's cache is cold for the first call of each arm, which is left out. An answer that was reused is left
    out unless its counterpart was taken by the same process.

    Returns:
        bool[2, N, k], which replies; and why they are too few to compare, or an empty text.
    """
    usable = grid.replied & ~grid.flags("warmup")
    mixed = np.any(usable & grid.flags("reused"), axis=(0, 2))
    sittings = grid.sittings
    # A number for each process of each case, so that one intersection serves them all.
    place = np.arange(mixed.size)[:, None] * (sittings.max(initial=0) + 1) + sittings
    common = np.intersect1d(place[0][usable[0]], place[1][usable[1]])
    kept = usable & (~mixed[:, None] | np.isin(place, common))
    pairs = pair_count(kept)
    if kept.sum() < usable.sum() and pairs < WANTED:
        return kept, f"answers were reused, and only {pairs} pairs were taken side by side; {WANTED} are needed"
    if not pairs and pair_count(grid.replied):
        return kept, "only the first call of each version has a counterpart, and it warms the provider's cache"
    return kept, ""


def pair_count(kept: Bools) -> int:
    """How many pairs of replies these are; `kept` comes from `side_by_side`."""
    return int(kept.sum(axis=2).min(axis=0).sum())
