"""Quantiles of what was measured, such as p50 and p95 of latency."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import finite_vector


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Median and 95th percentile, in the unit of the values."""

    p50: float
    p95: float


def quantile(values: npt.ArrayLike, q: float) -> float:
    """The q-quantile, interpolated linearly between neighbours (R. Hyndman and Y. Fan, 1996, type 7).

    Args:
        values: float[N], at least one.
        q: in [0, 1].

    Raises:
        ValueError: no values, NaN or infinite ones, q out of range.
    """
    numbers = finite_vector(values, "values")
    if len(numbers) == 0:
        raise ValueError("values must hold at least one number.")
    if not 0.0 <= q <= 1.0:
        raise ValueError(f"q must lie between 0 and 1, not {q}.")
    return float(np.quantile(numbers, q))


def quantiles(values: npt.ArrayLike) -> Quantiles:
    """p50 and p95 of float[N]. To be shown, not gated on: p95 needs about 1,000 values.

    Raises:
        ValueError: no values, NaN or infinite ones.
    """
    return Quantiles(quantile(values, 0.5), quantile(values, 0.95))
