"""Is a share of passes too low? What the exact test says, and how many independent trials correlated ones are worth."""

import math

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import TOLERANCE, unit_labels


def effective_units(units: npt.ArrayLike) -> int:
    """Independent trials that the cases are worth (L. Kish, Survey Sampling, 1965): (sum of sizes)^2 / sum of sizes^2.

    The number of clusters where all are of one size, and less where a few large ones make up the mean.

    Args:
        units: int[N], cases with equal labels belong to one cluster.
    """
    labels = np.asarray(units)
    sizes = np.bincount(unit_labels(labels.size, labels)).astype(np.float64)
    return math.floor(float(sizes.sum() ** 2 / (sizes**2).sum()) + TOLERANCE) if sizes.size else 0


def shortfall_p(successes: float, n: int, rate: float) -> float:
    """The chance of so few passes if the true share were `rate`: the exact binomial test, one-sided.

    Wilson's bound alone is no test at its level here: with 15 cases and a rate of 0.99 it would call 14 % of the
    prompts that keep the rate too bad, not 2.5 %. Where trials differ in their chance of passing, or are means of
    several samples, the test errs on the side of caution (W. Hoeffding, Annals of Mathematical Statistics 27, 1956).

    Args:
        successes: how many of the trials passed; rounded up where it is not whole.
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
