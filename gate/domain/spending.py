"""What runs without a pull request spent, each with the month in which it began."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Outlay:
    """What one run spent.

    Args:
        month: in UTC, `2026-11`.
        usd: dollars.
    """

    month: str
    usd: float


Ledger: TypeAlias = Mapping[str, Outlay]
"""By the run's number and attempt, such as `123456.1`, so that the same run never counts twice."""
