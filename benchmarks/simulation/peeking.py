"""One simulated pull request under the joint test, without looks and with them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from benchmarks.simulation.layouts import Layout
from benchmarks.simulation.regimes import REGIMES
from benchmarks.simulation.repeats import deltas
from gate.stats.arrays import TOLERANCE, FloatArray
from gate.stats.columns import TIE_BREAK
from gate.stats.course import Course, Plan, Table
from gate.stats.slices import BLOCKABLE_UNITS
from gate.stats.spending import Flags

_ROUNDING = 1e-5
"""Sums in single precision that differ by less are ties, and a tie counts against the test."""


_SPARE = 1 << 14
"""More columns of signs than units, so that each pull request gets a stretch of its own."""


@dataclass(slots=True)
class SharedSigns:
    """Signs in single precision that are drawn once: fast, and exact on average over the pull requests.

    Args:
        signs: float32[F / 2, `_SPARE`].
    """

    signs: npt.NDArray[np.float32]
    _start: int = 0
    _known: dict[bytes, FloatArray] = field(default_factory=dict)

    @classmethod
    def drawn(cls, flips: int, seed: int) -> "SharedSigns":
        rng = np.random.default_rng(seed)
        return cls((rng.integers(0, 2, (flips // 2, _SPARE), dtype=np.int8) * 2 - 1).astype(np.float32))

    def turn(self, rng: np.random.Generator) -> None:
        """Before the next pull request."""
        self._known.clear()
        self._start = int(rng.integers(_SPARE))

    def minima(self, weights: Sequence[FloatArray]) -> FloatArray:
        key = b"".join(one.tobytes() for one in weights)
        if key not in self._known:
            moved = np.any(weights[0] != 0.0, axis=0)
            self._known[key] = self._minima([one[:, moved].astype(np.float32) for one in weights])
        return self._known[key]

    def _minima(self, parts: Sequence[npt.NDArray[np.float32]]) -> FloatArray:
        units, slices = parts[0].shape
        if not slices:
            return np.zeros(2 * len(self.signs))
        flipped = np.zeros((len(self.signs), slices), dtype=np.float32)
        for number, part in enumerate(parts):
            start = (self._start + number * _SPARE // 3) % (_SPARE - units + 1)
            used = part.any(axis=0)
            flipped[:, used] += self.signs[:, start : start + units] @ part[:, used]
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
    """One pull request: the slices at each look, and who is in them.

    Args:
        tables: after 1, 2, … k samples of each case.
        members: bool[N, S], the first slice is the one that a fall hits.
    """

    tables: tuple[Table, ...]
    members: Flags


def trajectory(scene: Scene, rng: np.random.Generator) -> Trajectory:
    """Draw one pull request."""
    cases = scene.n * scene.layout.parts
    hit = cases if scene.everywhere else scene.n
    single = deltas(scene.regime, rng, (scene.k, hit), scene.fall)
    if cases > hit:
        single = np.concatenate([single, deltas(scene.regime, rng, (scene.k, cases - hit))], axis=1)
    slices = scene.layout.draw(rng, cases)
    members = np.zeros((cases, len(slices)), dtype=np.bool_)
    for column, positions in enumerate(slices.values()):
        members[positions, column] = True
    means = np.cumsum(single, axis=0) / np.arange(1, scene.k + 1)[:, None]
    variants = REGIMES[scene.regime].variants
    return Trajectory(tuple(_table(row, members, variants) for row in means), members)


def _table(means: FloatArray, members: Flags, variants: int) -> Table:
    """What `gate.stats.looks` makes of these deltas, all slices at once; consecutive cases are variants of a source."""
    x = np.add.reduceat(means[:, None] * members, np.arange(0, len(means), variants))
    x[np.abs(x) < TOLERANCE] = 0.0
    units = np.logical_or.reduceat(members, np.arange(0, len(means), variants)).sum(axis=0).astype(np.float64)
    scaled = x * (units / np.maximum(1, members.sum(axis=0)))
    squares = (scaled**2).sum(axis=0) - scaled.sum(axis=0) ** 2 / np.maximum(1, units)
    sd = np.sqrt(np.maximum(0.0, squares) / np.maximum(1, units - 1))
    return Table(np.sign(x) * np.abs(x) ** TIE_BREAK, units, sd, np.zeros(len(units)), units >= BLOCKABLE_UNITS)


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
    watched = np.arange(path.members.shape[1]) == 0 if plan.watched else np.zeros(path.members.shape[1], dtype=np.bool_)
    course = Course(plan, signs, watched)
    taken = cases = len(path.members)
    for table in path.tables[-plan.looks :]:
        if course.taken:
            taken += int(path.members[:, course.open].any(axis=1).sum()) if plan.drop else cases
        course.look(table)
        if not course.open.any():
            break
    first = path.tables[-plan.looks :][course.looked[0] - 1]
    return Outcome(
        blocks=bool(np.any(course.p <= plan.alpha)),
        holds=bool(np.any(course.p <= plan.suspect)),
        finds=bool(course.p[0] <= plan.alpha),
        rises=bool(first.able[0] and first.statistics()[0] > course.criticals[0] + TOLERANCE),
        calls=1.0 if plan.looks == 1 else taken / (plan.looks * cases),
    )
