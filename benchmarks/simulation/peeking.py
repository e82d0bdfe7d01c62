"""One simulated pull request under the joint test, without looks and with them."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from benchmarks.simulation.layouts import Layout, Slices
from benchmarks.simulation.regimes import REGIMES
from benchmarks.simulation.repeats import deltas
from gate.stats.arrays import FloatArray, IntArray
from gate.stats.looks import Look, Looks, Plan, Standing, joint_looks

_ROUNDING = 1e-5
"""Sums in single precision that differ by less are ties, and a tie counts against the test."""


@dataclass(slots=True)
class SharedSigns:
    """The same signs for all simulated pull requests, in single precision: fast, and exact on average over them.

    Args:
        signs: float32[F / 2, U], at least as many columns as there are units.
    """

    signs: npt.NDArray[np.float32]
    _known: dict[bytes, FloatArray] = field(default_factory=dict)

    @classmethod
    def drawn(cls, flips: int, units: int, seed: int) -> "SharedSigns":
        rng = np.random.default_rng(seed)
        return cls((rng.integers(0, 2, (flips // 2, units), dtype=np.int8) * 2 - 1).astype(np.float32))

    def forget(self) -> None:
        """Before the next pull request."""
        self._known.clear()

    def minima(self, y: FloatArray) -> FloatArray:
        key = y.tobytes()
        if key not in self._known:
            self._known[key] = self._minima(y[:, np.any(y != 0.0, axis=0)])
        return self._known[key]

    def _minima(self, y: FloatArray) -> FloatArray:
        if y.shape[1] == 0:
            return np.zeros(2 * len(self.signs))
        z = (y / np.sqrt(np.sum(y * y, axis=0))).astype(np.float32)
        flipped = self.signs[:, : len(z)] @ z
        return np.concatenate([flipped.min(axis=1), -flipped.max(axis=1)]).astype(np.float64) - _ROUNDING


@dataclass(frozen=True, slots=True)
class Scene:
    """A kind of pull request.

    Args:
        regime: R1a to R6.
        layout: of the slices.
        n: cases of the slice that matters; of the whole suite where slices overlap.
        k: samples per case and arm, and looks.
        fall: of the mean score, of all cases or of the first slice; below 0 for a rise.
        everywhere: all cases fall.
    """

    regime: str
    layout: Layout
    n: int
    k: int
    fall: float = 0.0
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Trajectory:
    """Mean deltas after 1, 2, … k samples, float[k, N], with the slices and clusters of the cases."""

    means: FloatArray
    slices: Slices
    clusters: IntArray | None

    @property
    def looks(self) -> list[Look]:
        return [Look(row, self.slices) for row in self.means]


def trajectory(scene: Scene, rng: np.random.Generator) -> Trajectory:
    """Draw one pull request."""
    cases = scene.n * scene.layout.parts
    hit = cases if scene.everywhere else scene.n
    single = deltas(scene.regime, rng, (scene.k, hit), scene.fall)
    if cases > hit:
        single = np.concatenate([single, deltas(scene.regime, rng, (scene.k, cases - hit))], axis=1)
    variants = REGIMES[scene.regime].variants
    clusters = np.arange(cases) // variants if variants > 1 else None
    means = np.cumsum(single, axis=0) / np.arange(1, scene.k + 1)[:, None]
    return Trajectory(means, scene.layout.draw(rng, cases), clusters)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a rule said.

    Args:
        blocks: some slice is a regression.
        holds: some slice is a regression or suspect.
        finds: the first slice is a regression.
        rises: the first slice is an improvement.
        calls: share of the planned samples that were taken.
    """

    blocks: bool
    holds: bool
    finds: bool
    rises: bool
    calls: float


def judged(path: Trajectory, plan: Plan, signs: SharedSigns) -> Outcome:
    """Apply a rule; a plan of one look sees the last samples only."""
    looks = path.looks[-1:] if plan.looks == 1 else path.looks
    found = joint_looks(looks, plan, clusters=path.clusters, draw=signs)
    rows = [row for row in found.joint.slices.values() if row.p is not None]
    first = found.joint[next(iter(path.slices))]
    return Outcome(
        blocks=any((row.p or 0.0) <= plan.alpha for row in rows),
        holds=any((row.p or 0.0) <= plan.suspect for row in rows),
        finds=first.p is not None and first.p <= plan.alpha,
        rises=first.p is not None and first.lower > 0.0,
        calls=_calls(path, plan, found),
    )


def _calls(path: Trajectory, plan: Plan, found: Looks) -> float:
    """The share of the samples that the looks asked for."""
    if plan.looks == 1:
        return 1.0
    able = {name: look for name, look in found.looked.items() if found.standing[name] is not Standing.OUTSIDE}
    cases = path.means.shape[1]
    taken = cases
    for look in range(1, plan.looks):
        going_on = [path.slices[name] for name, last in able.items() if last > look]
        if going_on:
            taken += len(np.unique(np.concatenate(going_on))) if plan.drop else cases
    return taken / (plan.looks * cases)
