"""Beta and Student's t distributions, and the normal quantile."""

import math
from functools import lru_cache
from statistics import NormalDist

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
    """The point below which a beta(a, b) variable, a and b above 0, falls with probability `p` in (0, 1), by
    bisection."""
    low, high = 0.0, 1.0
    while high - low > _PRECISION * high:
        middle = 0.5 * (low + high)
        if incomplete_beta(a, b, middle, 1.0 - middle) < p:
            low = middle
        else:
            high = middle
    return high


_LARGE_DF = 1e5
_QUANTILE_PRECISION = 1e-14


def normal_quantile(p: float) -> float:
    """The point below which a standard normal falls with probability `p`; raises ValueError outside (0, 1)."""
    _check_probability(p)
    return NormalDist().inv_cdf(p)


def t_cdf(t: float, df: float) -> float:
    """Probability that Student's t falls below `t`.

    Args:
        df: degrees of freedom, above 0.

    Raises:
        ValueError: df is not above 0, or t is not a number.
    """
    _check_df(df)
    if math.isnan(t):
        raise ValueError("t must be a number, not NaN.")
    tail = _upper_tail(abs(t), df)
    return 1.0 - tail if t > 0 else tail


@lru_cache(maxsize=4096)  # thousands of slices share a level and a few sizes
def t_quantile(p: float, df: float) -> float:
    """The point below which Student's t falls with probability `p`; raises ValueError for `p` or `df` out of range."""
    _check_df(df)
    _check_probability(p)
    if p == 0.5:
        return 0.0
    wanted = min(p, 1.0 - p)
    low, high = 0.0, 1.0
    while _upper_tail(high, df) > wanted and high < math.inf:
        low, high = high, 2.0 * high
    while high - low > _QUANTILE_PRECISION * high:
        middle = 0.5 * (low + high)
        if _upper_tail(middle, df) > wanted:
            low = middle
        else:
            high = middle
    return high if p > 0.5 else -high


def _upper_tail(t: float, df: float) -> float:
    """P(T > t) for t >= 0."""
    if t == math.inf:
        return 0.0
    if df > _LARGE_DF:
        # Abramowitz and Stegun 26.7.8; the error is about 0.1 / df^2.
        z = t * (1.0 - 0.25 / df) / math.sqrt(1.0 + t * t / (2.0 * df))
        return 0.5 * math.erfc(z / math.sqrt(2.0))
    return 0.5 * incomplete_beta(df / 2.0, 0.5, df / (df + t * t), t * t / (df + t * t))


def _check_df(df: float) -> None:
    if not df > 0.0:
        raise ValueError(f"The degrees of freedom must be above 0, not {df}.")


def _check_probability(p: float) -> None:
    if not 0.0 < p < 1.0:
        raise ValueError(f"A probability must lie between 0 and 1, not {p}.")
