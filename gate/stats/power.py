"""Planning: the smallest fall that a slice can show, the cases it takes to show a given one, the chance to show it.

All three solve one equation, e = K sqrt((sd^2 + spread e (1 - e)) / n), where sd is that of the deltas of an unchanged
prompt and spread e (1 - e) is what the change itself adds to their variance. K is the noncentrality that shows with
the wanted power: the test blocks when T = sqrt(n) mean / sqrt(mean of squares) < -c, which is the t statistic below
-c sqrt((n - 1) / (n - c^2)), and a shifted t statistic follows about a noncentral t distribution (N. Johnson and B.
Welch, Biometrika 31, 1940, 362-389; the approximation is Abramowitz and Stegun 26.7.10). With many cases K is the
familiar c + z_power; with 30 cases and 12 slices that sum promises some ten points of power too many.
"""

import math
from collections.abc import Mapping
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import TOLERANCE
from gate.stats.maxt import BLOCKABLE_UNITS, joint_test
from gate.stats.student import normal_quantile

WHOLE = 1.0
"""Whole cases break: a fall of the mean by e adds e (1 - e) to the variance of the deltas. The cautious assumption."""
DIFFUSE = 0.25
"""The change is spread thinly over the samples of many cases."""

_DRAWS = 4  # of deltas and flips behind an expected critical value, which then strays by about 0.03
_MOST_CASES = 1 << 60  # no suite is larger; beyond it floats no longer tell neighbouring counts apart


def detectable(sd: float, n: int, critical: float, *, spread: float = WHOLE, power: float = 0.8) -> float:
    """The smallest fall that shows with the wanted power.

    Args:
        sd: standard deviation of the deltas when nothing changed, on the scale of scores.
        n: independent cases.
        critical: of the joint test, such as `JointResult.critical` or `layout_critical`.
        spread: what the change itself adds to the variance, `DIFFUSE` to `WHOLE`.
        power: probability to show the change.

    Returns:
        The change as a number above 0, or infinity where even a change of 1, the whole scale, would not show.

    Raises:
        ValueError: an argument outside its range.
    """
    _check(sd, critical, spread)
    a = _noncentrality(_cases(n), critical, normal_quantile(power)) ** 2 / n
    if a == math.inf:
        return math.inf
    linear = a * spread
    change = (linear + math.sqrt(linear * linear + 4.0 * (1.0 + linear) * a * sd * sd)) / (2.0 * (1.0 + linear))
    return change if change <= 1.0 else math.inf


def power_of(sd: float, n: int, effect: float, critical: float, *, spread: float = WHOLE) -> float:
    """The probability to show a fall: its value at `WHOLE` and at `DIFFUSE` is the band that simulations stay in.

    Args:
        sd: standard deviation of the deltas when nothing changed, on the scale of scores.
        n: independent cases.
        effect: the fall, of either sign, at most 1.
        critical: of the joint test, such as `JointResult.critical` or `layout_critical`.
        spread: what the change itself adds to the variance, `DIFFUSE` to `WHOLE`.

    Returns:
        A probability; 0 where no result could show anything.

    Raises:
        ValueError: an argument outside its range.
    """
    _check(sd, critical, spread)
    change = abs(effect)
    if not change <= 1.0:
        raise ValueError(f"effect must lie between -1 and 1, not {effect}.")
    middle = _limit(_cases(n), critical)
    if middle == math.inf:
        return 0.0
    error = math.sqrt((sd * sd + spread * change * (1.0 - change)) / n)
    if error == 0.0:
        return 1.0 if change else 0.0
    return NormalDist().cdf((change / error - middle) / _width(n, critical))


def cases_needed(sd: float, effect: float, critical: float, *, spread: float = 0.0, power: float = 0.8) -> int | None:
    """The fewest independent cases that would show a change of this size.

    Args:
        sd: standard deviation of the deltas. One that was measured together with the effect holds its spread already,
            hence the default; with one from an unchanged prompt give `spread`.
        effect: the change, of either sign, on the scale of scores.
        critical: of the joint test; it is taken to stay what it is.
        spread: what the change itself adds to the variance, 0 to `WHOLE`.
        power: probability to show the change.

    Returns:
        At least 10, since a smaller slice never blocks; None when no number would do (no effect, infinite critical).

    Raises:
        ValueError: an argument outside its range.
    """
    _check(sd, critical, spread)
    change, z = abs(effect), normal_quantile(power)
    if change < TOLERANCE or critical == math.inf:
        return None
    error = math.sqrt(sd * sd + spread * max(0.0, change * (1.0 - change)))
    low, high = BLOCKABLE_UNITS - 1, BLOCKABLE_UNITS
    while _noncentrality(high, critical, z) * error > change * math.sqrt(high):
        low, high = high, 2 * high
        if high > _MOST_CASES:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        if _noncentrality(middle, critical, z) * error > change * math.sqrt(middle):
            low = middle
        else:
            high = middle
    return high


def layout_critical(  # noqa: PLR0913
    slices: Mapping[str, npt.ArrayLike],
    n: int,
    *,
    alpha: float = 0.025,
    clusters: npt.ArrayLike | None = None,
    ties: float = 0.0,
    flips: int = 1999,
    seed: int = 0,
) -> float:
    """The critical value to expect of the joint test over these slices, before there are data.

    The test is run on normally distributed deltas, of which a share is zero if `ties` says so. Ties lower the value: a
    slice where little moves cannot reach far. The slice that falls does move, hence never below the value of one slice.

    Args:
        slices: name to positions among the n cases, int[m] each; those with fewer than 10 units are outside the family.
        n: cases.
        alpha: one-sided level for all slices together, in (0, 0.5).
        clusters: int[n], cases with equal labels are one unit; None when every case is its own.
        ties: share of the deltas that are exactly 0 when nothing changed, as earlier runs show, in [0, 1].
        flips: sign flips at least.
        seed: of the deltas and the flips.

    Returns:
        About 1.96 for one slice, 2.8 for 12 and 2.95 for 20 that hardly overlap; infinity when no slice can block.

    Raises:
        ValueError: an argument outside its range, positions that are out of range or repeated, no slices at all.
    """
    if not 0.0 <= ties <= 1.0:
        raise ValueError(f"ties is a share and must lie between 0 and 1, not {ties}.")

    def expected(zeros: float) -> float:
        rng = np.random.default_rng(seed)
        draws = []
        for draw in range(_DRAWS):
            deltas = np.where(rng.random(n) < zeros, 0.0, rng.standard_normal(n))
            test = joint_test(deltas, slices, alpha=alpha, clusters=clusters, flips=flips, seed=seed + draw)
            draws.append(test.critical if test.flips else 0.0)
        return sum(draws) / _DRAWS

    _cases(n)
    dense = expected(0.0) or math.inf
    if ties == 0.0 or dense == math.inf:
        return dense
    return min(dense, max(normal_quantile(1.0 - alpha), expected(ties)))


def _noncentrality(n: int, critical: float, z: float) -> float:
    """K: how many standard errors from zero the truth must lie for the test to reject with probability Phi(z)."""
    return max(0.0, _limit(n, critical) + z * _width(n, critical))


def _limit(n: int, critical: float) -> float:
    """Where the power is one half: the critical value on the scale of t, less the bias of t."""
    t = _on_t(n, critical)
    return t * (1.0 - 1.0 / (4.0 * (n - 1))) if t < math.inf else math.inf


def _width(n: int, critical: float) -> float:
    """The spread of a shifted t statistic about that point."""
    t = _on_t(n, critical)
    return math.sqrt(1.0 + t * t / (2.0 * (n - 1))) if t < math.inf else 1.0


def _on_t(n: int, critical: float) -> float:
    """|T| is at most sqrt(n): beyond it nothing is ever rejected."""
    squared = critical * critical
    return critical * math.sqrt((n - 1) / (n - squared)) if n > 1 and squared < n else math.inf


def _cases(n: int) -> int:
    if n < 1:
        raise ValueError(f"n must be at least 1, not {n}.")
    return n


def _check(sd: float, critical: float, spread: float) -> None:
    if not 0.0 <= sd < math.inf:
        raise ValueError(f"sd must be finite and at least 0, not {sd}.")
    if not critical >= 0.0:
        raise ValueError(f"critical must be at least 0, not {critical}.")
    if not 0.0 <= spread <= WHOLE:
        raise ValueError(f"spread must lie between 0 and 1, not {spread}.")
