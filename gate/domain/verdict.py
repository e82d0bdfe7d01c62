"""States of a comparison, verdicts of a run, and their exit codes."""

from dataclasses import dataclass
from enum import StrEnum

FEWEST_UNITS = 10
"""Independent cases from which on a slice can block; `gate.stats`, which knows only arrays, has the same."""


class State(StrEnum):
    """What one slice shows."""

    REGRESSION = "regression"
    SUSPECT = "suspect"
    IMPROVEMENT = "improvement"
    NOISE = "noise"
    TOO_FEW = "too_few"


class Verdict(StrEnum):
    """What the run says; the order of the table in the design decides which row applies."""

    BLOCK = "BLOCK"
    INCONCLUSIVE = "INCONCLUSIVE"
    HOLD = "HOLD"
    PASS = "PASS"  # noqa: S105
    SHIP = "SHIP"
    SKIPPED = "SKIPPED"


@dataclass(frozen=True, slots=True)
class Decision:
    """The verdict and why.

    Args:
        verdict: the first row of the verdict table that applies.
        exit_code: 0, 1 or 3.
        reasons: full sentences, most important first.
    """

    verdict: Verdict
    exit_code: int
    reasons: tuple[str, ...]
