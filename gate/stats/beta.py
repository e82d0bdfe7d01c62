"""The beta distribution, without scipy: what Student's t and the binomial are computed from."""

import math
from functools import lru_cache

_EPSILON = 1e-16
_PRECISION = 1e-14
_ITERATIONS = 1000  # about sqrt(a + b) are needed


def incomplete_beta(a: float, b: float, x: float, y: float) -> float:
    """Regularised I_x(a, b): probability that a beta(a, b) variable falls below `x`.

    Args:
        a, b: above 0.
        x: in [0, 1].
        y: 1 - x, given apart so that neither end loses digits.
    """
    if x <= 0.0 or y <= 0.0:
        return 0.0 if x <= 0.0 else 1.0
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(y)
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - math.exp(log_front) / (b * _fraction(b, a, y))
    return math.exp(log_front) / (a * _fraction(a, b, x))


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction 1 + d1/(1 + d2/(1 + …)) of DLMF 8.17.22, by the modified Lentz method."""
    value, c, d = 1.0, 1.0, 0.0
    for step in range(1, 2 * _ITERATIONS):
        m = step // 2
        if step % 2:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1.0 / (1.0 + term * d)
        c = 1.0 + term / c
        value *= c * d
        if abs(c * d - 1.0) < _EPSILON:
            break
    return value


@lru_cache(maxsize=4096)  # thousands of slices share a level and a few sizes
def beta_quantile(p: float, a: float, b: float) -> float:
    """The point below which a beta(a, b) variable falls with probability `p`, by bisection.

    Args:
        p: in (0, 1).
        a, b: above 0.
    """
    low, high = 0.0, 1.0
    while high - low > _PRECISION * high:
        middle = 0.5 * (low + high)
        if incomplete_beta(a, b, middle, 1.0 - middle) < p:
            low = middle
        else:
            high = middle
    return high
