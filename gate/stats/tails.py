"""The percentile bootstrap as a test: a p-value, and bounds that are order statistics so that both agree."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import TOLERANCE, FloatArray
from gate.stats.bootstrap import distinct_units, resampled_means
from gate.stats.correction import ROUNDING
from gate.stats.slices import UnitSums

_RESAMPLES = 2000
_TAIL = 50  # resamples beyond the bound of the strictest level
_MOST = 400_000


@dataclass(frozen=True, slots=True)
class BootstrapTails:
    """What the resampled means of one slice say about a fall (B. Efron, Annals of Statistics 7, 1979, 1-26).

    Args:
        p: (1 + resampled means at or above -margin) / (R + 1).
        lowest: float[K], the smallest resampled means, ascending; as many as the largest level needs.
        highest: float[K], the largest, descending.
        resamples: R.
    """

    p: float
    lowest: FloatArray
    highest: FloatArray
    resamples: int

    def bounds(self, level: float) -> tuple[float, float]:
        rank = _rank(level, self.resamples)
        return float(self.lowest[rank - 1]), float(self.highest[rank - 1])


def resamples_for(alpha: float, family: int) -> int:
    """How many resamples it takes to see the tail when `family` slices share alpha.

    Raises:
        ValueError: more than can be drawn in reasonable time.
    """
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
        sums: the slice.
        alpha: the largest level that bounds will be asked for.
        resamples: R, at least 1 / alpha.
        seed: of the resamples. Neither the order of the units nor, but for the sign, the names of the arms matter.
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
