"""A figure that the data do not give: it has a reason, and no number."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Undefined:
    """No number.

    Args:
        reason: why, in plain words, without a full stop.
    """

    reason: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its interval.

    Args:
        value: the estimate.
        lower, upper: its bounds; the ends of what the figure can be at all where the data give none.
        units: independent units that it rests on.
    """

    value: float
    lower: float
    upper: float
    units: int
