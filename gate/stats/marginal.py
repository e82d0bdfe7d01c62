"""The familiar tests: each slice is looked at alone, and a correction accounts for their number.

Corrections for any dependence pay for it with power: slices overlap, and the joint test in `maxt` makes use of that.
"""

import math
from collections.abc import Callable, Mapping
from typing import Literal, Protocol, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import TOLERANCE, check_level, finite_vector, unit_labels
from gate.stats.correction import Corrected, Correction, correct
from gate.stats.mcnemar import discordant
from gate.stats.results import EMPTY, JointResult, SliceResult
from gate.stats.slices import CHANGED_FOR_ZERO_WIDTH, UnitSums, sum_slices
from gate.stats.student import normal_quantile
from gate.stats.t_mean import t_mean
from gate.stats.tails import bootstrap_tails, resamples_for

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
        deltas: float[N], candidate minus baseline, one for each case.
        slices: name to positions in `deltas`, int[n], each at most once.
        method: "percentile", the bootstrap, its bounds order statistics of the resampled means; "t", Student's t with
            linearised units; "mcnemar", the exact test for deltas of -1, 0 and 1, that is binary scores of one sample.
        correction: "none" holds every slice to alpha, so that the family as a whole is wrong more often.
        alpha: one-sided level, in (0, 0.5).
        clusters: int[N], cases with equal labels are one unit; None when every case is its own.
        margin: tolerated fall, at least 0, on the scale of the deltas; one for all slices, or by name (others 0).
        seed: of the resamples.

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
