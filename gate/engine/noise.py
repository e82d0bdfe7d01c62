"""How much deltas vary if nothing changes."""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gate.engine.samples import Floats
from gate.record.run import SuiteRecord
from gate.stats.arrays import TOLERANCE
from gate.stats.power import Noise, split_noise

ASSUMED_WITHIN = (0.08, 0.145)
"""Variance of one right-or-wrong answer within a case, at a mean of 0.8, where 0.16 is the whole. The first: half of it
lies between the cases, most of which are always right or always wrong (p ~ Beta(0.8, 0.2)). The second: nearly all of
it lies within them (p ~ Beta(8, 2)). Scores of a judge usually vary less than either."""


Basis: TypeAlias = Literal["measured", "assumed"]
"""`measured` in an earlier run, or `assumed`."""


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Scores of both arms on the cases that have all of their samples.

    Args:
        ids: int[n], positions in the record's list of cases.
        baseline, candidate: float[n, k].
    """

    ids: NDArray[np.int64]
    baseline: Floats
    candidate: Floats

    @property
    def n(self) -> int:
        return int(self.ids.size)

    @property
    def k(self) -> int:
        return int(self.baseline.shape[1])

    @property
    def deltas(self) -> Floats:
        """float[n], candidate minus baseline."""
        deltas = self.candidate.mean(axis=1) - self.baseline.mean(axis=1)
        return np.where(np.abs(deltas) < TOLERANCE, 0.0, deltas)


def table(suite: SuiteRecord) -> ScoreTable:
    """The scores in a record; cases with fewer scores than the best-answered ones are left out."""
    rows = []
    for position, case in enumerate(suite.cases):
        known = [[score for score in arm if score is not None] for arm in (case.baseline, case.candidate)]
        rows.append((position, known[0], known[1]))
    k = max((min(len(b), len(c)) for _, b, c in rows), default=0)
    whole = [(position, b[:k], c[:k]) for position, b, c in rows if k and min(len(b), len(c)) >= k]
    scores = np.array([(b, c) for _, b, c in whole], dtype=np.float64).reshape(len(whole), 2, k)
    return ScoreTable(np.array([row[0] for row in whole], dtype=np.int64), scores[:, 0], scores[:, 1])


@dataclass(frozen=True, slots=True)
class MeasuredNoise:
    """The noise measured in a run.

    Args:
        total: standard deviation of the deltas, at k samples.
        split: its parts; None with one sample.
        stretch: standard deviation of a unit's mean delta over that of a case's; 1 without clusters.
        varies: deltas differ between cases, or scores within one.
        ties: share of cases whose delta is 0.
    """

    n: int
    k: int
    total: float
    split: Noise | None
    stretch: float
    varies: bool
    ties: float

    def at(self, k: int) -> tuple[float, float]:
        """Range of the standard deviation of a unit's delta with k samples.

        Scores that never varied bound it by the rule of three: with 95 % confidence fewer than 3 cases in n move.
        """
        if not self.varies:
            return 0.0, min(1.0, math.sqrt(3.0 / self.n)) * self.stretch
        if self.split is not None:
            sd = math.sqrt(self.split.tau**2 + 2.0 * self.split.sigma**2 / k) * self.stretch
            return sd, sd
        thinner = self.total * math.sqrt(self.k / k)
        low, high = sorted((thinner, self.total))
        return low * self.stretch, high * self.stretch


def measured(scores: ScoreTable, clusters: NDArray[np.int64] | None = None) -> MeasuredNoise | None:
    """The noise of a run's scores; None with fewer than two cases.

    `clusters` is int[n], the unit of each case; None when each case is its own.
    """
    if scores.n < 2:
        return None
    deltas = scores.deltas
    total = float(deltas.std(ddof=1))
    stretch = 1.0
    if clusters is not None and total > TOLERANCE:
        _, unit, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
        if sizes.size > 1:
            stretch = float((np.bincount(unit, weights=deltas) / sizes).std(ddof=1)) / total
    split = split_noise(scores.baseline, scores.candidate)
    varies = total > TOLERANCE or (split is not None and split.sigma > TOLERANCE)
    return MeasuredNoise(scores.n, scores.k, total, split, stretch, varies, float(np.mean(deltas == 0.0)))


@dataclass(frozen=True, slots=True)
class Spread:
    """The standard deviation of a unit's delta if nothing changes, as a range, on the scale of scores.

    Args:
        tau, sigma: between cases and within a case; None where they cannot be separated.
        ties: share of cases whose delta is exactly 0; 0 where that is not known.
    """

    low: float
    high: float
    basis: Basis
    said: str
    tau: float | None = None
    sigma: float | None = None
    ties: float = 0.0


def spread(found: MeasuredNoise, k: int, source: str, *, same_arms: bool) -> Spread:
    """The noise of a planned run, from an earlier one."""
    low, high = found.at(k)
    ties = found.ties if k == found.k else 0.0
    of = f"{source} ({found.n:,} cases, k = {found.k})"
    if not found.varies:
        said = f"{of}: no score varied there, so at most 3 cases in {found.n:,} are taken to move"
        return Spread(low, high, "measured", said)
    if found.split is None:
        how = "" if k == found.k else ", which cannot say what more samples would change"
        return Spread(low, high, "measured", f"measured in {of}{how}", ties=ties)
    effect = "" if same_arms else "; it compared two versions, so tau holds the change, too"
    said = f"measured in {of}{effect}"
    return Spread(low, high, "measured", said, found.split.tau, found.split.sigma, ties)


def assumed(k: int) -> Spread:
    """The noise of right-or-wrong answers of which 80 % are right, as a range; see `ASSUMED_WITHIN`.

    Args:
        k: samples per case that differ from each other: 1 at temperature 0, however often a case is called.
    """
    low, high = (math.sqrt(2.0 * within / k) for within in ASSUMED_WITHIN)
    return Spread(low, high, "assumed", "assumed: right-or-wrong scores, 80 % of them right")


def compares_itself(suite: SuiteRecord) -> bool:
    """Were both arms the same prompt, model and parameters (an A/A run)?"""
    one, other = suite.baseline, suite.candidate
    return (one.digest, one.model, one.params) == (other.digest, other.model, other.params)
