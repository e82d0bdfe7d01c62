"""Intervals of rates: Wilson, McNemar, Newcombe; the test of a rate against a wanted one."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import TOLERANCE, UnitSums, check_level, unit_labels
from gate.stats.distributions import beta_quantile, incomplete_beta, normal_quantile


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate and its bounds, all in [0, 1].

    Args:
        rate: the estimate; None when there are no cases.
        lower, upper: 0 and 1 when there are no cases, for then the rate can be anything.
    """

    rate: float | None
    lower: float
    upper: float


def wilson(successes: float, n: int, *, alpha: float = 0.025) -> Rate:
    """Interval of a rate from independent cases (E. Wilson, JASA 22, 1927, 209-212).

    Args:
        successes: cases that passed, 0 to n. May be fractional, the sum over the cases of the share of samples that
            passed; the interval is then conservative, for shares vary less than single samples do.
        alpha: one-sided level of each bound.

    Raises:
        ValueError: a count or a level outside its range.
    """
    check_level(alpha)
    if n < 0:
        raise ValueError(f"n must be at least 0, not {n}.")
    if not -TOLERANCE <= successes <= n + TOLERANCE:
        raise ValueError(f"successes must lie between 0 and the {n} cases, not {successes}.")
    if n == 0:
        return Rate(None, 0.0, 1.0)
    rate = min(1.0, max(0.0, successes / n))
    z = normal_quantile(1.0 - alpha)
    shrink = 1.0 / (1.0 + z * z / n)
    centre = (rate + z * z / (2 * n)) * shrink
    half = z * math.sqrt(rate * (1.0 - rate) / n + z * z / (4.0 * n * n)) * shrink
    # At the ends the bound is the rate itself, but for rounding.
    lower = 0.0 if rate == 0.0 else max(0.0, centre - half)
    upper = 1.0 if rate == 1.0 else min(1.0, centre + half)
    return Rate(rate, lower, upper)


@dataclass(frozen=True, slots=True)
class Discordant:
    """The cases of a slice that changed between pass and fail.

    If the change does nothing, each is as likely to turn wrong as right: a binomial test (Q. McNemar, Psychometrika 12,
    1947, 153-157). The bounds are those of the share that turned wrong (C. Clopper and E. Pearson, Biometrika 26, 1934,
    404-413), carried to the mean: given how many cases turned, the mean delta is their share of all cases times (1 - 2
    share turned wrong).

    Args:
        wrong: cases with a delta of -1.
        right: cases with a delta of +1.
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


@dataclass(frozen=True, slots=True)
class Difference:
    """The first rate minus the second; 0.1 is 10 percentage points.

    Args:
        value: the estimate; None where a side has no cases.
        lower, upper: its bounds; -1 and 1 where a side has no cases, for then it can be anything.
    """

    value: float | None
    lower: float
    upper: float

    @property
    def shown(self) -> bool:
        """Does the interval leave 0 out?"""
        return self.lower > 0.0 or self.upper < 0.0


@dataclass(frozen=True, slots=True)
class Pairs:
    """Cases that were asked twice, by what became of them.

    Args:
        both: hits both times.
        first, second: hits only then.
        neither: hits at no time.
    """

    both: int
    first: int
    second: int
    neither: int

    @property
    def n(self) -> int:
        return self.both + self.first + self.second + self.neither

    @property
    def p(self) -> float:
        """Two-sided p of McNemar's exact test, that the cases which turned turned either way by chance."""
        if self.first + self.second == 0:
            return 1.0
        return min(1.0, 2.0 * Discordant(max(self.first, self.second), min(self.first, self.second), self.n).p)


def rate_difference(first: tuple[float, int], second: tuple[float, int], *, alpha: float = 0.025) -> Difference:
    """Interval from the Wilson intervals of both (R. Newcombe, Statistics in Medicine 17, 1998, 873-890, method 10).

    Args:
        first, second: hits and cases of each; hits may be fractional, as in `wilson`.
        alpha: one-sided level of each bound.

    Raises:
        ValueError: a count or a level outside its range.
    """
    return _apart(wilson(*first, alpha=alpha), wilson(*second, alpha=alpha), 0.0)


def paired_difference(pairs: Pairs, *, alpha: float = 0.025) -> Difference:
    """The same for cases asked twice (R. Newcombe, Statistics in Medicine 17, 1998, 2635-2650, method 10).

    Args:
        alpha: one-sided level of each bound.

    Raises:
        ValueError: a count or a level outside its range.
    """
    n = pairs.n
    first = wilson(pairs.both + pairs.first, n, alpha=alpha)
    second = wilson(pairs.both + pairs.second, n, alpha=alpha)
    return _apart(first, second, _correlation(pairs))


def _apart(first: Rate, second: Rate, correlation: float) -> Difference:
    if first.rate is None or second.rate is None:
        return Difference(None, -1.0, 1.0)
    value = first.rate - second.rate
    down = _length(first.rate - first.lower, second.upper - second.rate, correlation)
    up = _length(first.upper - first.rate, second.rate - second.lower, correlation)
    return Difference(value, max(-1.0, value - down), min(1.0, value + up))


def _length(one: float, other: float, correlation: float) -> float:
    # Of two that are fully correlated it is 0, but for rounding.
    return math.sqrt(max(0.0, one * one - 2.0 * correlation * one * other + other * other))


def _correlation(pairs: Pairs) -> float:
    """Phi of the four counts, with half the cases taken off where it is above 0."""
    both, first, second, neither = pairs.both, pairs.first, pairs.second, pairs.neither
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    if margins == 0:
        return 0.0
    cross = both * neither - first * second
    return (max(0.0, cross - pairs.n / 2.0) if cross > 0 else cross) / math.sqrt(margins)


def effective_units(units: npt.ArrayLike) -> int:
    """Independent trials that the cases are worth (L. Kish, Survey Sampling, 1965): (sum of sizes)^2 / sum of sizes^2.

    It is the number of clusters where all are of one size, and less where a few large ones dominate the mean.

    Args:
        units: int[N], equal labels are one cluster.
    """
    labels = np.asarray(units)
    sizes = np.bincount(unit_labels(labels.size, labels)).astype(np.float64)
    return math.floor(float(sizes.sum() ** 2 / (sizes**2).sum()) + TOLERANCE) if sizes.size else 0


def shortfall_p(successes: float, n: int, rate: float) -> float:
    """The chance of so few passes if the true share were `rate`: the exact one-sided binomial test.

    Wilson's bound alone is no test at its level here: with 15 cases and a rate of 0.99 it would reject 14 % of the
    prompts that keep the rate, not 2.5 %. Where trials differ in their chance of passing, or are means of several
    samples, the test is conservative (W. Hoeffding, Annals of Mathematical Statistics 27, 1956).

    Args:
        successes: trials that passed; rounded up where it is not whole.
        n: independent trials, 1 or more.
        rate: in (0, 1).

    Raises:
        ValueError: an argument outside its range.
    """
    if n < 1 or not 0 <= successes <= n:
        raise ValueError(f"successes must lie between 0 and n, with n 1 or more, not {successes} and {n}.")
    if not 0 < rate < 1:
        raise ValueError(f"rate must lie between 0 and 1, not {rate}.")
    most = min(n, math.ceil(successes - TOLERANCE))
    # Summed on the side where the terms shrink, each from the one before, so that none is lost to underflow.
    if most < n * rate:
        return min(1.0, _lower_tail(most, n, rate))
    return 1.0 - _lower_tail(n - most - 1, n, 1.0 - rate)


def _lower_tail(most: int, n: int, rate: float) -> float:
    """The probability of at most so many passes; 0 for -1."""
    if most < 0:
        return 0.0
    choose = math.lgamma(n + 1) - math.lgamma(most + 1) - math.lgamma(n - most + 1)
    term = math.exp(choose + most * math.log(rate) + (n - most) * math.log1p(-rate))
    total = 0.0
    for passed in range(most, -1, -1):
        total += term
        term *= passed * (1 - rate) / ((n - passed + 1) * rate)
    return total
