"""The Wilson interval of a rate: for a prompt that is judged alone, against an absolute threshold."""

import math
from dataclasses import dataclass

from gate.stats.arrays import TOLERANCE, check_level
from gate.stats.student import normal_quantile


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
            passed; the interval is then on the safe side, for shares vary less than single samples do.
        n: cases.
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
