"""Samples become arrays: one delta per case, both arms with the same number of samples."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gate.domain.absence import Unscored
from gate.domain.sample import ArmName, Sample
from gate.domain.suite import Suite
from gate.engine.samples import Key as Key
from gate.engine.samples import SampleTable

Floats = NDArray[np.float64]


def by_case(samples: Iterable[Sample]) -> Mapping[Key, Sequence[Sample]]:
    """Samples of each suite, case and arm, in order of their index."""
    if isinstance(samples, SampleTable):
        return samples.by_case()
    table: dict[Key, list[Sample]] = {}
    for sample in samples:
        table.setdefault((sample.suite, sample.case_id, sample.arm), []).append(sample)
    for row in table.values():
        row.sort(key=lambda sample: sample.index)
    return table


@dataclass(frozen=True, slots=True)
class Scores:
    """Per-case mean scores of both arms, over the cases that both arms have a score for.

    Args:
        positions: int[n], which cases of the exam these are.
        baseline, candidate: float[n], mean scores over equally many samples.
        samples: float[n, k] of both arms; None unless every case of the exam has all of its samples.
    """

    positions: NDArray[np.int64]
    baseline: Floats
    candidate: Floats
    samples: tuple[Floats, Floats] | None = None

    @property
    def deltas(self) -> Floats:
        """float[n], candidate minus baseline."""
        return self.candidate - self.baseline


def scores(
    suite: Suite,
    table: Mapping[Key, Sequence[Sample]],
    missing: Mapping[ArmName, float] | None = None,
    asked: Mapping[str, int] | None = None,
) -> Scores:
    """The scores of one suite.

    A case counts as many samples as the poorer arm has, the first ones by index: unequal numbers would break the
    symmetry that the test rests on. Between cases they may differ.

    Args:
        suite: whose exam gives the cases and their order.
        table: from `by_case`.
        missing: what a missing score is taken for in each arm; None leaves missing samples out.
        asked: case id to the samples of each arm that count; None where all that were planned do.
    """
    rows: list[tuple[int, float, float]] = []
    whole: list[list[list[float]]] = []
    for position, case in enumerate(suite.exam.cases):
        most = suite.samples if asked is None else asked[case.id]
        fill = {arm: None if missing is None else missing[arm] for arm in ArmName}
        found = {arm: _values(table.get((suite.name, case.id, arm), ()), most, fill[arm]) for arm in ArmName}
        k = min(len(values) for values in found.values())
        if k:
            means = [float(np.mean(found[arm][:k])) for arm in (ArmName.BASELINE, ArmName.CANDIDATE)]
            rows.append((position, means[0], means[1]))
        if k == suite.samples:
            whole.append([found[ArmName.BASELINE], found[ArmName.CANDIDATE]])
    columns = np.array([row[1:] for row in rows], dtype=np.float64).reshape(-1, 2)
    positions = np.array([row[0] for row in rows], dtype=np.int64)
    return Scores(positions, columns[:, 0], columns[:, 1], _samples(suite, whole))


def _samples(suite: Suite, whole: Sequence[Sequence[Sequence[float]]]) -> tuple[Floats, Floats] | None:
    if len(whole) < len(suite.exam.cases):
        return None
    table = np.array(whole, dtype=np.float64).reshape(-1, 2, suite.samples)
    return table[:, 0], table[:, 1]


def _values(row: Sequence[Sample], most: int, fill: float | None) -> list[float]:
    known = {sample.index: sample.score for sample in row if not isinstance(sample.score, Unscored)}
    if fill is None:
        return [score for index, score in known.items() if index < most]
    return [known.get(index, fill) for index in range(most)]


def clusters(suite: Suite) -> NDArray[np.int64] | None:
    """int[N] unit of each case, or None when no case declares a cluster; an undeclared case is its own unit."""
    cases = suite.exam.cases
    if all(case.cluster is None for case in cases):
        return None
    names: dict[tuple[str, str], int] = {}
    keys = [("cluster", case.cluster) if case.cluster is not None else ("case", case.id) for case in cases]
    return np.array([names.setdefault(key, len(names)) for key in keys], dtype=np.int64)
