"""The default test: one joint sign-flip max-T test over all slices, and the intervals dual to it.

If the change does nothing, each unit's deltas are symmetric given all others, so flipping the signs of whole units
draws from the joint null distribution of all slices, overlaps included: the level holds exactly, and for all slices
together.
(P. Westfall and S. Young, Resampling-Based Multiple Testing, 1993; J. Romano and M. Wolf, JASA 100, 2005, 94-108.)
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import TOLERANCE, FloatArray, IntArray, check_level, finite_vector, integer_vector, unit_labels
from gate.stats.flips import NullMinima, null_minima

BLOCKABLE_UNITS = 10
"""A slice with fewer independent units may warn, never block."""

_CHANGED_FOR_ZERO_WIDTH = 6  # 2^-6 is the first power of a half below 2.5 %: fewer signs that agree prove nothing
_TIE_BREAK = (
    0.99  # deltas are multiples of 1/k and tie; any odd transform keeps the test exact, this one parts the ties
)


@dataclass(frozen=True, slots=True)
class SliceResult:
    """What the test says about one slice.

    Args:
        n: cases.
        units: independent units, cases or clusters.
        mean: mean delta of the cases; None when there are none.
        lower, upper: interval on the scale of `mean`; infinite where the data cannot bound it.
        p: joint one-sided p-value of a fall below the margin; None where the slice is too small to block.
        blockable: at least 10 units, so that the slice belongs to the family.
    """

    n: int
    units: int
    mean: float | None
    lower: float
    upper: float
    p: float | None
    blockable: bool


@dataclass(frozen=True, slots=True)
class JointResult:
    """Every slice, in the order given.

    Args:
        slices: name to result.
        critical: c; a slice falls below its margin when its statistic lies below -c. Infinite when no statistic could
            reach the level, and when no slice of the family changed anywhere.
        flips: sign flips behind the p-values; 0 when there was nothing to flip.
        family: how many slices were tested together.
    """

    slices: Mapping[str, SliceResult]
    critical: float
    flips: int
    family: int

    def __getitem__(self, name: str) -> SliceResult:
        return self.slices[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.slices)

    def __len__(self) -> int:
        return len(self.slices)


def joint_test(  # noqa: PLR0913
    deltas: npt.ArrayLike,
    slices: Mapping[str, npt.ArrayLike],
    *,
    alpha: float = 0.025,
    clusters: npt.ArrayLike | None = None,
    margin: float | Mapping[str, float] = 0.0,
    flips: int = 4999,
    seed: int = 0,
) -> JointResult:
    """Test all slices together for a fall of the mean delta.

    The upper bound of a blockable slice lies below -margin exactly when its p <= alpha (to 1e-9). Slices with fewer
    than 10 units stand outside the family; their intervals come from all sign flips of their own units. Without a
    margin, swapping the arms (negating the deltas) mirrors the intervals exactly; permuting the cases, renaming or
    repeating slices, and cases outside every slice change nothing but the last digits. A slice without any change has
    p = 1 and infinite bounds: nothing was learnt about the size of a change.

    Args:
        deltas: float[N], candidate minus baseline, one for each case.
        slices: name to positions in `deltas`, int[n], each at most once. An empty slice is outside the family.
        alpha: one-sided level for all slices together, in (0, 0.5).
        clusters: int[N], cases with equal labels are one unit; None when every case is its own.
        margin: tolerated fall, at least 0, on the scale of the deltas; one for all slices, or by name (others 0). Both
            bounds then come from the test of deltas + margin.
        flips: sign flips at least, rounded up to pairs of opposites; below 13 units all 2^units are used.
        seed: of the flips.

    Raises:
        ValueError: NaN or infinite deltas, positions that are out of range or repeated, no slices at all, an option
            outside its range.
    """
    check_level(alpha)
    values = finite_vector(deltas, "deltas")
    units = unit_labels(len(values), clusters)
    margins = _margins(slices, margin)
    chosen = {name: _positions(name, positions, len(values)) for name, positions in slices.items()}
    columns = {name: _column(values, units, positions, margins[name]) for name, positions in chosen.items()}
    family = [column for column in columns.values() if column.blockable]
    null = null_minima(_stack(family), flips, seed)
    results = {}
    for name, column in columns.items():
        own = null if column.blockable else null_minima(column.y[:, None], flips, seed)
        results[name] = _result(column, own, alpha)
    return JointResult(results, null.critical(alpha), null.flips, len(family))


@dataclass(frozen=True, slots=True)
class _Column:
    """One slice, summed over its g units.

    Args:
        units: int[g], which units, ascending.
        n: cases.
        margin: tolerated fall of their mean delta.
        total: sum of the deltas.
        changed: units whose deltas do not cancel to 0.
        x: float[g], sums of delta + margin.
        y: float[g], x after the transform that parts ties.
    """

    units: IntArray
    n: int
    margin: float
    total: float
    changed: int
    x: FloatArray
    y: FloatArray

    @property
    def blockable(self) -> bool:
        return len(self.units) >= BLOCKABLE_UNITS


def _column(deltas: FloatArray, units: IntArray, positions: IntArray, margin: float) -> _Column:
    own, index, sizes = np.unique(units[positions], return_inverse=True, return_counts=True)
    sums = np.bincount(index, weights=deltas[positions], minlength=len(own))
    x = sums + margin * sizes
    x[np.abs(x) < TOLERANCE] = 0.0
    y = np.sign(x) * np.abs(x) ** _TIE_BREAK
    changed = int(np.count_nonzero(np.abs(sums) >= TOLERANCE))
    return _Column(own, len(positions), margin, float(sums.sum()), changed, x, y)


def _stack(family: Sequence[_Column]) -> FloatArray:
    """float[U, S] over the units that are in some slice of the family."""
    if not family:
        return np.empty((0, 0))
    units = np.unique(np.concatenate([column.units for column in family]))
    y = np.zeros((len(units), len(family)))
    for position, column in enumerate(family):
        y[np.searchsorted(units, column.units), position] = column.y
    return y


def _result(column: _Column, null: NullMinima, alpha: float) -> SliceResult:
    if column.n == 0:
        return SliceResult(0, 0, None, -math.inf, math.inf, None, False)
    mean = column.total / column.n
    p = None
    if column.blockable:
        norm = math.sqrt(np.sum(column.y**2))
        p = null.p_value(float(column.y.sum()) / norm) if norm else 1.0
    lower, upper = _interval(column, null.critical(alpha))
    mean = 0.0 if abs(mean) < TOLERANCE else mean
    return SliceResult(column.n, len(column.units), mean, lower, upper, p, column.blockable)


def _interval(column: _Column, critical: float) -> tuple[float, float]:
    """Bounds of the mean delta: computed on y, whose sign the test decides on, and carried back."""
    g = len(column.units)
    reach = critical + TOLERANCE  # a tie with the critical value is no rejection
    if reach * reach >= g or not column.y.any():
        return -math.inf, math.inf
    centre = float(column.y.mean())
    half = reach * math.sqrt((g - 1) / (g - reach * reach)) * float(column.y.std(ddof=1)) / math.sqrt(g)
    if half < TOLERANCE and column.changed < _CHANGED_FOR_ZERO_WIDTH:
        return -math.inf, math.inf
    mean = float(column.x.sum()) / column.n
    # Units per case, and the stretch of the transform: y times this is x again, on average.
    scale = float(np.abs(column.x).sum() / np.abs(column.y).sum()) * g / column.n
    return (
        _carry_back(centre - half, centre, mean, scale) - column.margin,
        _carry_back(centre + half, centre, mean, scale) - column.margin,
    )


def _carry_back(bound: float, centre: float, mean: float, scale: float) -> float:
    """Measure a bound on y from the mean delta, unless that would move it across zero, where the verdict lies."""
    carried = mean + scale * (bound - centre)
    return carried if carried * bound > 0.0 else scale * bound


def _positions(name: str, positions: npt.ArrayLike, n: int) -> IntArray:
    chosen = integer_vector(positions, f"slice {name!r}")
    outside = chosen[(chosen < 0) | (chosen >= n)]
    if len(outside):
        raise ValueError(f"slice {name!r} names case {outside[0]}, but there are {n} cases, counted from 0.")
    if len(np.unique(chosen)) != len(chosen):
        raise ValueError(f"slice {name!r} names a case twice.")
    return chosen


def _margins(slices: Mapping[str, npt.ArrayLike], margin: float | Mapping[str, float]) -> dict[str, float]:
    if not slices:
        raise ValueError("There must be at least one slice to test.")
    if not isinstance(margin, Mapping):
        margin = dict.fromkeys(slices, margin)
    if strangers := sorted(margin.keys() - slices.keys()):
        raise ValueError(f"margin names {strangers[0]!r}, which is not a slice.")
    if bad := sorted(name for name, value in margin.items() if not 0.0 <= value < math.inf):
        raise ValueError(f"the margin of slice {bad[0]!r} must be finite and at least 0, not {margin[bad[0]]}.")
    return {name: float(margin.get(name, 0.0)) for name in slices}
