"""Where the noise of the deltas comes from: between the cases, or within a case."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gate.stats.arrays import FloatArray


@dataclass(frozen=True, slots=True)
class Noise:
    """Var(mean delta) = (tau^2 + 2 sigma^2 / k) / n.

    Args:
        tau: standard deviation of the true deltas between cases; 0 when the spread within cases explains it all.
        sigma: standard deviation of one sample's score within a case.
    """

    tau: float
    sigma: float


def split_noise(baseline: npt.ArrayLike, candidate: npt.ArrayLike) -> Noise | None:
    """Split the variance of the deltas by one-way analysis of variance (moment estimates, tau^2 cut off at 0).

    Args:
        baseline, candidate: float[N, k], scores of k samples for each case.

    Returns:
        The two parts; None with fewer than 2 cases or fewer than 2 samples, which cannot tell them apart.

    Raises:
        ValueError: arrays of another or of unequal shape, NaN or infinite scores.
    """
    a, b = _scores(baseline, "baseline"), _scores(candidate, "candidate")
    if a.shape != b.shape:
        raise ValueError(f"Both arms must have the same cases and samples, not {a.shape} and {b.shape}.")
    n, k = a.shape
    if n < 2 or k < 2:
        return None
    within = float(a.var(axis=1, ddof=1).mean() + b.var(axis=1, ddof=1).mean()) / 2.0
    between = float((b.mean(axis=1) - a.mean(axis=1)).var(ddof=1)) - 2.0 * within / k
    return Noise(math.sqrt(max(0.0, between)), math.sqrt(within))


def _scores(values: npt.ArrayLike, name: str) -> FloatArray:
    scores = np.asarray(values, dtype=np.float64)
    if scores.ndim != 2:
        raise ValueError(f"{name} must be a table of cases and samples, not an array of {scores.ndim} dimensions.")
    if not np.isfinite(scores).all():
        raise ValueError(f"{name} must hold finite scores.")
    return scores
