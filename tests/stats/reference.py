"""What the statistics are compared with: slow definitions, and the special functions of scipy.

`scipy.stats` has all of it, and takes longer to load than these tests take to run.
"""

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
from scipy import special

from gate.stats.arrays import FloatArray


def p_values(
    deltas: Sequence[float], slices: Mapping[str, Sequence[int]], clusters: Sequence[int], margin: float
) -> dict[str, float]:
    """Joint p-values by enumeration of all sign vectors."""
    units = sorted({clusters[case] for cases in slices.values() for case in cases})
    z = {name: _studentised(deltas, cases, clusters, units, margin) for name, cases in slices.items()}
    minima = [
        min(sum(sign * value for sign, value in zip(signs, row, strict=True)) for row in z.values())
        for signs in itertools.product((1, -1), repeat=len(units))
    ]
    observed = {name: sum(row) for name, row in z.items()}
    return {name: (1 + sum(m <= total + 1e-9 for m in minima)) / (len(minima) + 1) for name, total in observed.items()}


def _studentised(
    deltas: Sequence[float], cases: Sequence[int], clusters: Sequence[int], units: Sequence[int], margin: float
) -> list[float]:
    sums = [math.fsum(deltas[case] + margin for case in cases if clusters[case] == unit) for unit in units]
    y = [math.copysign(abs(x) ** 0.99, x) if abs(x) >= 1e-9 else 0.0 for x in sums]
    norm = math.sqrt(sum(value * value for value in y))
    return [value / norm for value in y]


def wilson_bounds(passed: float, n: float, alpha: float = 0.025) -> tuple[float, float]:
    """The rates from which the observed one is `z` standard errors away: the roots of that equation."""
    rate, ratio = passed / n, special.ndtri(1 - alpha) ** 2 / n
    low, high = np.sort(np.roots([1 + ratio, -(2 * rate + ratio), rate * rate]).real)
    return float(low), float(high)


def exact_bounds(passed: int, n: int, alpha: float = 0.025) -> tuple[float, float]:
    """Clopper and Pearson's interval of a rate."""
    low = special.betaincinv(passed, n - passed + 1, alpha) if passed else 0.0
    high = special.betaincinv(passed + 1, n - passed, 1 - alpha) if passed < n else 1.0
    return float(low), float(high)


def student_bounds(mean: float, error: float, df: int) -> tuple[float, float]:
    """95 % about a mean with this standard error."""
    half = float(special.stdtrit(df, 0.975)) * error
    return mean - half, mean + half


def standard_error(values: FloatArray) -> float:
    """Of the mean."""
    return float(np.std(values, ddof=1)) / math.sqrt(len(values))


def binomial(n: int, rate: float) -> FloatArray:
    """The chance of 0 to n passes."""
    chances: FloatArray = np.diff(special.bdtr(np.arange(n + 1.0), n, rate), prepend=0.0)
    return chances
