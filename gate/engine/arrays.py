"""Samples as arrays: by arm, case and index; one delta per case; all suites stacked for one joint test."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gate.cases.case import members
from gate.engine.samples import ARMS, SCORED, Bools, Floats, Ints, PartKey, SampleTable
from gate.record.transcript import ArmName, Outline, Sample
from gate.scoring.interface import sample_passes
from gate.suite import Suite


class SampleGrid:
    """The samples of one suite. Every array has the shape [2, N, k]: both arms, the cases, their samples.

    Where there is no sample, figures are 0 and flags are false.
    """

    def __init__(self, suite: Suite, table: SampleTable) -> None:
        self.suite = suite
        self._table = table
        self._rows = table.rows_of(suite.name, [case.id for case in suite.exam.cases], suite.samples)
        self.taken: Bools = self._rows >= 0
        self.replied: Bools = self.taken & ~self["failed"]
        self.scored: Bools = self.taken & (self["reason"] == SCORED)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A field of `SAMPLE`."""
        return self._of_rows(self._table.samples[name])

    def part_keys(self) -> list[PartKey]:
        """What parts the scores of this suite have."""
        return [key for key in self._table.part_keys if key[0] == self.suite.name]

    def part(self, key: PartKey) -> tuple[Bools, Floats]:
        """Which samples have this part, and its values."""
        known, values = map(self._of_rows, self._table.part(key))
        return known, values

    def scorer(self, name: str) -> tuple[Bools, Floats]:
        """Which samples this scorer gave a value, and the values."""
        known, values = map(self._of_rows, self._table.scorer(name))
        return known, values

    @cached_property
    def passed(self) -> Bools:
        """Which of the scored samples pass."""
        passed = np.zeros_like(self.scored)
        arms, cases, indices = np.nonzero(self.scored)
        values = self["score"]
        rows = self._rows[arms, cases, indices]
        for arm, case, index, scores in zip(arms, cases, indices, self._table.scores_of(rows), strict=True):
            value = float(values[arm, case, index])
            passed[arm, case, index] = sample_passes(value, scores, self.suite.exam.cases[case], self.suite.exam)
        return passed

    def whole(self, arm: int, case: int, index: int) -> Sample | None:
        """One sample with its texts; None where there is none, or it could not be written down."""
        row = int(self._rows[arm, case, index])
        return None if row < 0 else self._table.whole(row)

    def whole_case(self, arm: int, case: int) -> list[Sample]:
        """The samples of one case with their texts, in order."""
        read = (self.whole(arm, case, index) for index in range(self.suite.samples))
        return [sample for sample in read if sample is not None]

    @property
    def outlines(self) -> Sequence[Outline | None]:
        """What the field `outline` numbers; None where there was no conversation."""
        return self._table.outlines

    @property
    def talks(self) -> list[Outline]:
        """The different outlines of the suite's conversations."""
        numbers = np.unique(self["outline"][self.replied]).tolist()
        return [outline for outline in (self.outlines[number] for number in numbers) if outline is not None]

    @property
    def sittings(self) -> Ints:
        """A number for the process that took each reply; `replied` is true where there is a reply."""
        known = {sitting: number for number, sitting in enumerate({source[2] for source in self._table.sources})}
        numbers = np.array([known[source[2]] for source in self._table.sources] or [0], dtype=np.int64)
        return numbers[self["source"]]

    def within(self, most: int) -> Bools:
        """Which samples are among the first `most` of their case."""
        found: Bools = np.broadcast_to(np.arange(self.suite.samples) < most, self._rows.shape)
        return found

    def unscored(self, where: Bools) -> Counter[str]:
        """Why samples that were taken have no score, with the number of each reason; `where` is bool[2, N, k]."""
        return self._table.unscored(self._rows[where & self.taken & ~self.scored])

    def _of_rows(self, column: NDArray[Any]) -> NDArray[Any]:
        # The row -1, which is no sample, is the zero at the end.
        return np.append(column, np.zeros(1, dtype=column.dtype))[self._rows]


@dataclass(frozen=True, slots=True)
class CaseMeans:
    """Means of one figure, case by case, over the cases that both arms have a value for.

    Args:
        positions: int[n], which cases of the eval set these are.
        means: float[2, n], of both arms, over equally many samples.
        samples: float[2, n, k], where each case has all of its samples; else None.
        compared: there are two arms; else both rows are of the same one.
    """

    positions: Ints
    means: Floats
    samples: Floats | None = None
    compared: bool = True

    @property
    def deltas(self) -> Floats:
        """float[n], candidate minus baseline."""
        found: Floats = self.means[1] - self.means[0]
        return found

    def mean(self, arm: int) -> float | None:
        """Mean over the cases of one arm, 0 or 1, of values in [0, 1]; None where there is none."""
        known = self.positions.size and (arm == 1 or self.compared)
        return min(1.0, max(0.0, float(self.means[arm].mean()))) if known else None

    def of(self, rows: Ints) -> "CaseMeans":
        """Those of some cases."""
        samples = None if self.samples is None else self.samples[:, rows]
        return replace(self, positions=self.positions[rows], means=self.means[:, rows], samples=samples)

    @property
    def delta(self) -> float | None:
        """Mean of `deltas`; None where nothing is compared."""
        return float(self.deltas.mean()) if self.compared and self.positions.size else None


def scores(grid: SampleGrid, missing: Mapping[ArmName, float] | None = None, most: int | None = None) -> CaseMeans:
    """The scores of one suite.

    Args:
        missing: the score that replaces a missing one, by arm; None leaves missing samples out.
        most: samples of each arm that count; None for all that were planned.
    """
    planned = grid.suite.samples
    counted = grid.within(planned if most is None else most)
    known = grid.scored & counted
    values = np.where(known, grid["score"], 0.0)
    if missing is not None:
        fill = np.array([missing[arm] for arm in ARMS])[:, None, None]
        values, known = np.where(counted & ~known, fill, values), counted
    found = paired(values, known)
    return replace(found, samples=values) if np.all(known.sum(axis=2) == planned) else found


def paired(values: Floats, known: Bools) -> CaseMeans:
    """Per-case means of both arms.

    A case counts as many samples as the poorer arm has, the first ones by index: unequal numbers would break the
    symmetry that the test rests on. Between cases they may differ.

    Args:
        values: float[2, N, k].
        known: bool[2, N, k], which of them there are.
    """
    enough = known.sum(axis=2).min(axis=0)
    used = known & (np.cumsum(known, axis=2) <= enough[:, None])
    positions = np.flatnonzero(enough)
    means: Floats = np.where(used, values, 0.0).sum(axis=2)[:, positions] / enough[positions]
    return CaseMeans(positions, means)


def case_figures(values: Floats, known: Bools, *, geometric: bool = False) -> CaseMeans:
    """Per-case means of both arms over all samples that have a figure, arithmetic or geometric.

    Args:
        values: float[2, N, k]; above 0 where known, if the means are geometric.
        known: bool[2, N, k].
    """
    terms = np.where(known, values, 1.0)
    terms = np.where(known, np.log(terms) if geometric else terms, 0.0)
    counts = known.sum(axis=2)
    positions = np.flatnonzero(counts.min(axis=0))
    means: Floats = terms.sum(axis=2)[:, positions] / counts[:, positions]
    return CaseMeans(positions, np.exp(means) if geometric else means)


def case_means(suite: Suite, known: Bools, values: Floats) -> CaseMeans:
    """As `paired`; where there is one arm, it is paired with itself."""
    if suite.baseline is not None:
        return paired(values, known)
    return replace(paired(np.stack([values[1], values[1]]), np.stack([known[1], known[1]])), compared=False)


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
    rows: Ints


@dataclass(frozen=True, slots=True)
class Stack:
    """The scores of all suites on top of each other, with their slices; `overall` comes first in each suite.

    Args:
        scores: their positions are those among the cases of all suites.
        units: int[n], independent unit of each case that has scores.
        everyone: int[M], unit of each case of all suites, scored or not.
    """

    scores: CaseMeans
    units: Ints
    slices: tuple[Slice, ...]
    everyone: Ints

    def unit_count(self, rows: Ints) -> int:
        """Independent units among some rows."""
        return int(np.unique(self.units[rows]).size)


def stack(suites: Sequence[Suite], scores: Mapping[str, CaseMeans]) -> Stack:
    """Stack the scores of all suites; `scores` has them by name. Samples are kept if all have equally many."""
    slices: list[Slice] = []
    offset = 0
    for suite in suites:
        slices += _slices(suite, scores[suite.name], offset, several=len(suites) > 1)
        offset += scores[suite.name].positions.size
    starts = np.cumsum([0, *(len(suite.exam.cases) for suite in suites)]).tolist()
    own = [scores[suite.name] for suite in suites]
    samples = [one.samples for one in own if one.samples is not None]
    alike = len(samples) == len(own) and len({each.shape[2] for each in samples}) == 1
    stacked = CaseMeans(
        np.concatenate([one.positions + start for one, start in zip(own, starts, strict=False)]),
        np.concatenate([one.means for one in own], axis=1),
        np.concatenate(samples, axis=1) if alike else None,
    )
    everyone = np.concatenate([units_of(suite) + start for suite, start in zip(suites, starts, strict=False)])
    return Stack(stacked, everyone[stacked.positions], tuple(slices), everyone)


def _slices(suite: Suite, scores: CaseMeans, offset: int, *, several: bool) -> list[Slice]:
    row_of = {int(position): offset + row for row, position in enumerate(scores.positions)}
    out = []
    for name, positions in members(suite.exam.cases, suite.exam.dimensions).items():
        rows = np.array([row_of[p] for p in positions if p in row_of], dtype=np.int64)
        full = f"{suite.name}/{name}" if several else name
        advisory = suite.trial or name in suite.exam.policy.advisory
        out.append(Slice(suite.name, name, full, advisory, suite.exam.policy.margin_of(name), rows))
    return out


WANTED = 30
"""Pairs of answers of one process that latency, cost and cached tokens need, where answers are reused."""


def side_by_side(grid: SampleGrid) -> tuple[Bools, str]:
    """The replies that may be compared in time and money.

    A provider's cache is cold for the first call of each arm, which is left out. An answer that was reused is left
    out unless its counterpart was taken by the same process.

    Returns:
        bool[2, N, k], which replies; and why they are too few to compare, or an empty text.
    """
    usable = grid.replied & ~grid["warmup"]
    mixed = np.any(usable & grid["reused"], axis=(0, 2))
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
