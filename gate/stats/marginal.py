"""The familiar tests: each slice is tested alone, and a correction accounts for their number.

Such corrections hold for any dependence and lose power: slices overlap, which the joint test in `maxt` uses.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import (
    CHANGED_FOR_ZERO_WIDTH,
    EMPTY,
    TOLERANCE,
    FloatArray,
    JointResult,
    SliceResult,
    UnitSums,
    finite_vector,
    sum_slices,
)
from gate.stats.intervals import (
    beta_quantile,
    distinct_units,
    incomplete_beta,
    normal_quantile,
    resampled_means,
    t_cdf,
    t_quantile,
)


@dataclass(frozen=True, slots=True)
class Discordant:
    """The cases of a slice that changed between pass and fail.

    If the change does nothing, each is as likely to turn wrong as right: a binomial test (Q. McNemar, Psychometrika 12,
    1947, 153-157). The bounds are those of the share that turned wrong (C. Clopper and E. Pearson, Biometrika 26, 1934,
    404-413), carried to the mean: given how many cases turned, the mean delta is their share of all cases times (1 - 2
    share turned wrong).
    """

    wrong: int
    right: int
    n: int

    @property
    def p(self) -> float:
        """Probability that at least as many turn wrong."""
        return incomplete_beta(self.wrong, self.right + 1, 0.5, 0.5) if self.wrong else 1.0

    def bounds(self, level: float) -> tuple[float, float]:
        if self.wrong + self.right == 0:
            return -math.inf, math.inf
        return -self._furthest(self.right, level), self._furthest(self.wrong, level)

    def _furthest(self, turned: int, level: float) -> float:
        """The bound of the mean away from the side that these cases turned to."""
        discordant = self.wrong + self.right
        share = beta_quantile(level, turned, discordant - turned + 1) if turned else 0.0
        return discordant / self.n * (1.0 - 2.0 * share)


def discordant(sums: UnitSums) -> Discordant:
    """Count the cases that turned, of a slice whose units are single cases with deltas -1, 0 or 1."""
    turned = np.rint(sums.sums)
    return Discordant(int(np.count_nonzero(turned < 0)), int(np.count_nonzero(turned > 0)), sums.n)


Correction: TypeAlias = Literal["none", "bonferroni", "holm"]


ROUNDING = 1e-12
"""A p-value that exceeds its level by less than this share is at the level."""


_TIE = 1e-9


@dataclass(frozen=True, slots=True)
class Corrected:
    """One slice after correction for the others.

    Args:
        level: what its own p-value is compared with, and so the level of each bound.
    """

    p: float
    level: float

    def rejected(self, alpha: float) -> bool:
        return self.p <= alpha * (1.0 + ROUNDING)


def correct(p_values: Sequence[float], alpha: float, correction: Correction) -> list[Corrected]:
    """Adjust the p-values of a family.

    Holm: the j-th smallest of S p-values is compared with alpha / (S - j + 1), and from the first that fails on all
    are held to that step's level. (C. Bonferroni, 1936; S. Holm, Scandinavian Journal of Statistics 6, 1979, 65-70.)
    """
    if correction == "holm":
        return _holm(p_values, alpha)
    share = len(p_values) if correction == "bonferroni" else 1
    return [Corrected(min(1.0, share * p), alpha / share) for p in p_values]


def _holm(p_values: Sequence[float], alpha: float) -> list[Corrected]:
    found: dict[int, Corrected] = {}
    largest, first, failed = 0.0, 0, 0.0  # first: where the current ties begin; failed: the level of the first failure
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for step, position in enumerate(order):
        p = p_values[position]
        if p > p_values[order[first]] * (1.0 + _TIE):
            first = step  # equal p-values share a level, so that their order does not matter
        remaining = len(order) - first
        largest = max(largest, min(1.0, remaining * p))
        one = Corrected(largest, failed or alpha / remaining)
        if not one.rejected(alpha):
            failed = one.level
        found[position] = one
    return [found[position] for position in range(len(order))]


_RESAMPLES = 2000


_TAIL = 50  # resamples beyond the bound of the strictest level


_MOST = 400_000


@dataclass(frozen=True, slots=True)
class BootstrapTails:
    """The evidence of a drop in the resampled means of one slice (B. Efron, Annals of Statistics 7, 1979, 1-26).

    Args:
        lowest: float[K], the smallest resampled means, ascending; as many as the largest level needs.
        highest: float[K], the largest, descending.
    """

    p: float
    lowest: FloatArray
    highest: FloatArray
    resamples: int

    def bounds(self, level: float) -> tuple[float, float]:
        rank = _rank(level, self.resamples)
        return float(self.lowest[rank - 1]), float(self.highest[rank - 1])


def resamples_for(alpha: float, family: int) -> int:
    """How many resamples show the tail when `family` slices share alpha; raises ValueError for more than can be
    drawn."""
    wanted = max(_RESAMPLES, round(_TAIL * family / alpha))
    if wanted > _MOST:
        raise ValueError(
            f"The corrected percentile bootstrap of {family} slices at alpha {alpha:g} takes {wanted} resamples of "
            f"each, more than {_MOST}; use the joint test or the t test for so many slices."
        )
    return wanted


def bootstrap_tails(sums: UnitSums, alpha: float, resamples: int, seed: int) -> BootstrapTails:
    """Resample the units of a slice that has some.

    Args:
        resamples: R, at least 1 / alpha.
        seed: neither the order of the units nor, but for the sign, the names of the arms matter.
    """
    means = _means(sums, resamples, np.random.default_rng(seed))
    at_or_above = int(np.count_nonzero(means >= -sums.margin - TOLERANCE))
    kept = _rank(alpha, resamples)
    means.sort()
    return BootstrapTails(
        (1 + at_or_above) / (resamples + 1), means[:kept].copy(), means[::-1][:kept].copy(), resamples
    )


def _means(sums: UnitSums, resamples: int, rng: np.random.Generator) -> FloatArray:
    """Resample whichever of the deltas and their negatives comes first, so that swapped arms get mirrored means."""
    there = distinct_units(sums.sums, sums.sizes)
    back = _mirrored(*there)
    first = _first_difference(there, back)
    if first == 0.0:
        half = resampled_means(*there, (resamples + 1) // 2, rng)
        return np.concatenate([half, -half])[:resamples]
    return resampled_means(*there, resamples, rng) if first < 0.0 else -resampled_means(*back, resamples, rng)


def _mirrored(distinct: FloatArray, counts: npt.NDArray[np.intp]) -> tuple[FloatArray, npt.NDArray[np.intp]]:
    """The distinct pairs of the negatives, in ascending order too."""
    pairs = distinct * [-1.0, 1.0] + 0.0
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    return pairs[order], counts[order]


def _first_difference(
    one: tuple[FloatArray, npt.NDArray[np.intp]], other: tuple[FloatArray, npt.NDArray[np.intp]]
) -> float:
    """Below 0 when `one` comes first, above 0 when `other` does, 0 when they hold the same."""
    gap = (np.column_stack(one) - np.column_stack(other)).ravel()
    different = gap[gap != 0.0]
    return float(different[0]) if len(different) else 0.0


def _rank(level: float, resamples: int) -> int:
    return int(level * (1.0 + ROUNDING) * (resamples + 1))


@dataclass(frozen=True, slots=True)
class TMean:
    """A mean delta with its standard error, from the linearised sums of the units.

    (W. Gosset, Biometrika 6, 1908, 1-25; clusters of unequal size: W. Cochran, Sampling Techniques, 1977, section 9A.)

    Args:
        error: its standard error; 0 when the units do not vary.
    """

    mean: float
    error: float
    units: int
    margin: float

    @property
    def p(self) -> float:
        """One-sided, of a drop below the margin; without variation 0 or 1."""
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
    """The result of one method for one slice: bounds(level) puts the upper below -margin exactly when p <= level."""

    @property
    def p(self) -> float: ...

    def bounds(self, level: float) -> tuple[float, float]: ...


def marginal_test(
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
    """Test each slice separately for a drop of the mean delta.

    The upper bound of a blockable slice lies below -margin exactly when its adjusted p <= alpha (to 1e-9); both bounds
    are held to the level that the slice's own p-value is compared with. Slices with fewer than 10 units count in no
    family: they get an interval at alpha and no p. Fewer than 6 changed units never give an interval without width.
    Permuting the cases and adding empty slices change nothing but the last digits. Without a margin, swapping the arms
    mirrors the intervals, except with Holm's correction, whose levels follow the p-values of a drop.

    Args:
        deltas: float[N], candidate minus baseline.
        slices: name to positions in `deltas`, int[n], each at most once.
        method: "percentile", the bootstrap, its bounds order statistics of the resampled means; "t", Student's t with
            linearised units; "mcnemar", the exact test for deltas of -1, 0 and 1, that is binary scores of one sample.
        alpha: one-sided level, in (0, 0.5).
        clusters: int[N], equal labels are one unit; None when every case is its own.
        margin: tolerated drop, at least 0, on the scale of the deltas; one for all slices, or by name (others 0).
    """
    sums = sum_slices(deltas, slices, clusters, margin)
    if method == "mcnemar":
        _check_binary(deltas)
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


def _check_binary(deltas: npt.ArrayLike) -> None:
    values = finite_vector(deltas, "deltas")
    other = values[(np.abs(values - np.rint(values)) > TOLERANCE) | (np.abs(values) > 1.0 + TOLERANCE)]
    if len(other):
        raise ValueError(
            f"McNemar's test takes deltas of -1, 0 and 1 (binary scores, one sample for each case), not {other[0]:g}."
        )
