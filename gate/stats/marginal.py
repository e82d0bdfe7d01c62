"""The familiar tests: each slice is tested alone, and a correction accounts for their number.

Such corrections hold for any dependence and lose power: slices overlap, which the joint test in `maxt` uses.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import (
    CHANGED_FOR_ZERO_WIDTH,
    EMPTY,
    TOLERANCE,
    JointResult,
    SliceResult,
    UnitSums,
    check_level,
    finite_vector,
    sum_slices,
    unit_labels,
)
from gate.stats.bootstrap import Corrected, Correction, bootstrap_tails, correct, resamples_for
from gate.stats.intervals import discordant, normal_quantile, t_cdf, t_quantile


@dataclass(frozen=True, slots=True)
class TMean:
    """A mean delta with its standard error, from the linearised sums of the units.

    (W. Gosset, Biometrika 6, 1908, 1-25; clusters of unequal size: W. Cochran, Sampling Techniques, 1977, section 9A.)

    Args:
        error: its standard error; 0 when the units do not vary.
        units: g; the degrees of freedom are g - 1.
    """

    mean: float
    error: float
    units: int
    margin: float

    @property
    def p(self) -> float:
        """One-sided, of a fall below the margin; without variation 0 or 1."""
        above = self.mean + self.margin
        if self.units < 2:
            return 1.0
        if self.error == 0.0:
            return 0.0 if above < -TOLERANCE else 1.0
        return t_cdf(above / self.error, self.units - 1)

    def bounds(self, level: float) -> tuple[float, float]:
        if self.units < 2:
            return -math.inf, math.inf
        half = t_quantile(1.0 - level, self.units - 1) * self.error
        return self.mean - half, self.mean + half


def t_mean(sums: UnitSums) -> TMean:
    """Estimate the mean of a slice that has cases."""
    g, mean = len(sums.units), sums.mean
    residuals = sums.sums - mean * sums.sizes
    error = math.sqrt(g / (g - 1) * float(np.sum(residuals * residuals))) / sums.n if g > 1 else 0.0
    return TMean(mean, error if error >= TOLERANCE else 0.0, g, sums.margin)


Marginal: TypeAlias = Literal["percentile", "t", "mcnemar"]


class _Evidence(Protocol):
    """What one method says about one slice: bounds(level) puts the upper below -margin exactly when p <= level."""

    @property
    def p(self) -> float: ...

    def bounds(self, level: float) -> tuple[float, float]: ...


def marginal_test(  # noqa: PLR0913
    deltas: npt.ArrayLike,
    slices: Mapping[str, npt.ArrayLike],
    *,
    method: Marginal,
    correction: Correction = "none",
    alpha: float = 0.025,
    clusters: npt.ArrayLike | None = None,
    margin: float | Mapping[str, float] = 0.0,
    seed: int = 0,
) -> JointResult:
    """Test each slice alone for a fall of the mean delta.

    The upper bound of a blockable slice lies below -margin exactly when its adjusted p <= alpha (to 1e-9); both bounds
    are held to the level that the slice's own p-value is compared with. Slices with fewer than 10 units count in no
    family: they get an interval at alpha and no p. Fewer than 6 changed units never give an interval without width.
    Permuting the cases and adding empty slices change nothing but the last digits. Without a margin, swapping the arms
    mirrors the intervals, except with Holm's correction, whose levels follow the p-values of a fall.

    Args:
        deltas: float[N], candidate minus baseline.
        slices: name to positions in `deltas`, int[n], each at most once.
        method: "percentile", the bootstrap, its bounds order statistics of the resampled means; "t", Student's t with
            linearised units; "mcnemar", the exact test for deltas of -1, 0 and 1, that is binary scores of one sample.
        correction: "none" holds every slice to alpha, so that the family as a whole errs more often.
        alpha: one-sided level, in (0, 0.5).
        clusters: int[N], equal labels are one unit; None when every case is its own.
        margin: tolerated fall, at least 0, on the scale of the deltas; one for all slices, or by name (others 0).

    Raises:
        ValueError: as `joint_test`; an unknown method or correction; more resamples than can be drawn; for "mcnemar"
            other deltas, clusters of several cases, or a margin.
    """
    check_level(alpha)
    sums = sum_slices(deltas, slices, clusters, margin)
    if method == "mcnemar":
        _check_binary(deltas, clusters, sums)
    family = [name for name, piece in sums.items() if piece.blockable]
    weigh = _evidence(method, alpha, 1 if correction == "none" else len(family), seed)
    evidence = {name: weigh(piece) for name, piece in sums.items() if piece.n}
    corrected = dict(zip(family, correct([evidence[name].p for name in family], alpha, correction), strict=True))
    results = {
        name: _result(piece, evidence[name], corrected.get(name), alpha) if piece.n else EMPTY
        for name, piece in sums.items()
    }
    held_to = max((one.p, one.level) for one in corrected.values())[1] if corrected else alpha
    return JointResult(results, normal_quantile(1.0 - held_to), 0, len(family))


def _evidence(method: Marginal, alpha: float, share: int, seed: int) -> Callable[[UnitSums], _Evidence]:
    match method:
        case "percentile":
            resamples = resamples_for(alpha, share)
            return lambda sums: bootstrap_tails(sums, alpha, resamples, seed)
        case "t":
            return t_mean
        case "mcnemar":
            return discordant
        case _:
            raise ValueError(f"method must be one of {', '.join(get_args(Marginal))}, not {method!r}.")


def _result(sums: UnitSums, evidence: _Evidence, corrected: Corrected | None, alpha: float) -> SliceResult:
    lower, upper = evidence.bounds(corrected.level if corrected else alpha)
    if upper - lower < TOLERANCE and sums.changed < CHANGED_FOR_ZERO_WIDTH:
        lower, upper = -math.inf, math.inf
    lower = 0.0 if abs(lower) <= TOLERANCE else lower
    if corrected and abs(upper + sums.margin) <= TOLERANCE:
        # Within rounding of the margin the bound goes with p.
        upper = math.nextafter(-sums.margin, -math.inf) if corrected.rejected(alpha) else max(upper, -sums.margin)
    p = corrected.p if corrected else None
    return SliceResult(sums.n, len(sums.units), sums.mean, lower, upper, p, sums.blockable)


def _check_binary(deltas: npt.ArrayLike, clusters: npt.ArrayLike | None, sums: Mapping[str, UnitSums]) -> None:
    values = finite_vector(deltas, "deltas")
    other = values[(np.abs(values - np.rint(values)) > TOLERANCE) | (np.abs(values) > 1.0 + TOLERANCE)]
    if len(other):
        raise ValueError(
            f"McNemar's test takes deltas of -1, 0 and 1 (binary scores, one sample for each case), not {other[0]:g}."
        )
    labels = unit_labels(len(values), clusters)
    if len(np.unique(labels)) < len(labels):
        raise ValueError("McNemar's test takes independent cases, not clusters of several.")
    if any(piece.margin > 0.0 for piece in sums.values()):
        raise ValueError("McNemar's test takes no margin.")
