"""The two compared rules: the joint test, and a percentile bootstrap of each slice."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from benchmarks.statistics.simulation.slice_layouts import Slices
from gate.stats.arrays import TOLERANCE, FloatArray, IntArray
from gate.stats.intervals import percentile
from gate.stats.maxt import joint_test

ALPHA = 0.025
SUSPECT = 0.10

_FEW = 6  # with fewer changed cases, an interval without width is wrong


@dataclass(frozen=True, slots=True)
class PullRequest:
    """One simulated evaluation.

    Args:
        deltas: float[N].
        clusters: int[N] if they are declared.
    """

    deltas: FloatArray
    slices: Slices
    clusters: IntArray | None
    truth: float
    seed: int

    def changed(self) -> int:
        return int(np.count_nonzero(np.abs(self.deltas) >= TOLERANCE))


class Rule(Protocol):
    """A rule that decides about one pull request."""

    def blocks(self, pull: PullRequest, alpha: float = ALPHA) -> bool:
        """Some slice dropped, at the one-sided level alpha."""

    def finds(self, pull: PullRequest) -> bool:
        """The first slice dropped."""

    def covers(self, pull: PullRequest) -> bool:
        """The first slice's interval contains the true value."""

    def feigns(self, pull: PullRequest) -> bool:
        """The first slice's interval has no width although fewer than six cases changed."""


@dataclass(frozen=True, slots=True)
class Joint:
    """`gate.stats.maxt.joint_test` with this many flips; its level is exact for any number."""

    flips: int

    def blocks(self, pull: PullRequest, alpha: float = ALPHA) -> bool:
        found = joint_test(
            pull.deltas, pull.slices, alpha=alpha, clusters=pull.clusters, flips=self.flips, seed=pull.seed
        )
        return any(row.blockable and row.upper < 0.0 for row in found.slices.values())

    def finds(self, pull: PullRequest) -> bool:
        found = joint_test(pull.deltas, pull.slices, clusters=pull.clusters, flips=self.flips, seed=pull.seed)
        row = found[next(iter(pull.slices))]
        return row.blockable and row.upper < 0.0

    def covers(self, pull: PullRequest) -> bool:
        lower, upper = self._first(pull)
        return lower <= pull.truth <= upper

    def feigns(self, pull: PullRequest) -> bool:
        lower, upper = self._first(pull)
        return upper - lower < TOLERANCE and pull.changed() < _FEW

    def _first(self, pull: PullRequest) -> tuple[float, float]:
        found = joint_test(pull.deltas, pull.slices, clusters=pull.clusters, flips=self.flips, seed=pull.seed)
        row = found[next(iter(pull.slices))]
        return row.lower, row.upper


@dataclass(frozen=True, slots=True)
class Familiar:
    """`gate.stats.intervals.percentile` for each slice, without clusters and without a minimum size."""

    resamples: int

    def blocks(self, pull: PullRequest, alpha: float = ALPHA) -> bool:
        return any(self._falls(pull, positions, alpha) for positions in pull.slices.values())

    def finds(self, pull: PullRequest) -> bool:
        return self._falls(pull, next(iter(pull.slices.values())), ALPHA)

    def covers(self, pull: PullRequest) -> bool:
        lower, upper = self._first(pull)
        return lower - TOLERANCE <= pull.truth <= upper + TOLERANCE

    def feigns(self, pull: PullRequest) -> bool:
        lower, upper = self._first(pull)
        return upper - lower < TOLERANCE and pull.changed() < _FEW

    def _falls(self, pull: PullRequest, positions: Sequence[int] | IntArray, alpha: float) -> bool:
        deltas = pull.deltas[positions]
        if len(deltas) == 0 or deltas.mean() >= -TOLERANCE:  # spares a bootstrap whose upper bound cannot be negative
            return False
        return percentile(deltas, alpha=alpha, resamples=self.resamples, seed=pull.seed).upper < 0.0

    def _first(self, pull: PullRequest) -> tuple[float, float]:
        deltas = pull.deltas[next(iter(pull.slices.values()))]
        found = percentile(deltas, resamples=self.resamples, seed=pull.seed)
        return found.lower, found.upper
