"""The difference of two rates: of cases that have nothing to do with each other, or of the same cases asked twice."""

import math
from dataclasses import dataclass

from gate.stats.mcnemar import Discordant
from gate.stats.wilson import Rate, wilson


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
        first, second: hits and cases of each; hits may be fractional, as in `gate.stats.wilson.wilson`.
        alpha: one-sided level of each bound.

    Raises:
        ValueError: a count or a level outside its range.
    """
    return _apart(wilson(*first, alpha=alpha), wilson(*second, alpha=alpha), 0.0)


def paired_difference(pairs: Pairs, *, alpha: float = 0.025) -> Difference:
    """The same for cases that were asked twice (R. Newcombe, Statistics in Medicine 17, 1998, 2635-2650, method 10).

    Args:
        pairs: counts.
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
