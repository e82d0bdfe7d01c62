"""Wilson's score interval of a share of passes."""

import math
from dataclasses import dataclass

from gate.stats.arrays import check_level
from gate.stats.student import normal_quantile


@dataclass(frozen=True, slots=True)
class Share:
    """A share of passes and its bounds, all in [0, 1]."""

    rate: float
    lower: float
    upper: float


def wilson(successes: float, n: int, *, alpha: float = 0.025) -> Share:
    """Wilson's interval (E. B. Wilson, Journal of the American Statistical Association 22, 1927, 209-212).

    Args:
        successes: how many of the trials passed; not whole where a trial is the mean of several samples.
        n: independent trials, 1 or more.
        alpha: one-sided level of each bound.

    Raises:
        ValueError: no trials, more successes than trials, a level outside (0, 0.5).
    """
    check_level(alpha)
    if n < 1:
        raise ValueError("n must be 1 or more.")
    if not 0 <= successes <= n:
        raise ValueError(f"successes must lie between 0 and n, {n}, not {successes}.")
    rate, z2 = successes / n, normal_quantile(1.0 - alpha) ** 2
    middle = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = math.sqrt(z2 * (rate * (1 - rate) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    # Rounding alone could leave a bound outside [0, 1], or on the wrong side of the rate.
    return Share(rate, max(0.0, min(rate, middle - half)), min(1.0, max(rate, middle + half)))
