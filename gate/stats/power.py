"""Planning: the smallest fall that a slice can show, and the cases it takes to show a given one."""

import math

from gate.stats.arrays import TOLERANCE
from gate.stats.maxt import BLOCKABLE_UNITS
from gate.stats.student import normal_quantile

WHOLE = 1.0
"""Whole cases break: a fall of the mean by e adds e (1 - e) to the variance of the deltas. The cautious assumption."""
DIFFUSE = 0.25
"""The change is spread thinly over the samples of many cases."""


def detectable(sd: float, n: int, critical: float, *, spread: float = WHOLE, power: float = 0.8) -> float:
    """The change e that solves e = (critical + z_power) sqrt((sd^2 + spread e (1 - e)) / n).

    Args:
        sd: standard deviation of the deltas when nothing changed, on the scale of scores.
        n: independent cases.
        critical: in standard errors, such as `JointResult.critical`.
        spread: what the change itself adds to the variance, `DIFFUSE` to `WHOLE`.
        power: probability to show the change.

    Returns:
        The change as a number above 0, or infinity where even a change of 1, the whole scale, would not show.

    Raises:
        ValueError: an argument outside its range.
    """
    _check(sd, critical, spread)
    if n < 1:
        raise ValueError(f"n must be at least 1, not {n}.")
    if critical == math.inf:
        return math.inf
    a = (critical + normal_quantile(power)) ** 2 / n
    linear = a * spread
    change = (linear + math.sqrt(linear * linear + 4.0 * (1.0 + linear) * a * sd * sd)) / (2.0 * (1.0 + linear))
    return change if change <= 1.0 else math.inf


def cases_needed(sd: float, effect: float, critical: float, *, spread: float = 0.0, power: float = 0.8) -> int | None:
    """Independent cases that would show a change of this size: the same equation, solved for n.

    Args:
        sd: standard deviation of the deltas. One that was measured together with the effect holds its spread already,
            hence the default; with one from an unchanged prompt give `spread`.
        effect: the change, of either sign, on the scale of scores.
        critical: in standard errors.
        spread: what the change itself adds to the variance, 0 to `WHOLE`.
        power: probability to show the change.

    Returns:
        At least 10, since a smaller slice never blocks; None when no number would do (no effect, infinite critical).

    Raises:
        ValueError: an argument outside its range.
    """
    _check(sd, critical, spread)
    change = abs(effect)
    if change < TOLERANCE or critical == math.inf:
        return None
    variance = sd * sd + spread * max(0.0, change * (1.0 - change))
    needed = ((critical + normal_quantile(power)) / change) ** 2 * variance
    return max(BLOCKABLE_UNITS, math.ceil(needed)) if math.isfinite(needed) else None


def _check(sd: float, critical: float, spread: float) -> None:
    if not 0.0 <= sd < math.inf:
        raise ValueError(f"sd must be finite and at least 0, not {sd}.")
    if not critical >= 0.0:
        raise ValueError(f"critical must be at least 0, not {critical}.")
    if not 0.0 <= spread <= WHOLE:
        raise ValueError(f"spread must lie between 0 and 1, not {spread}.")
