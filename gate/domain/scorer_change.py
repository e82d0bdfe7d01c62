"""What a single scorer says before and after a change."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ScorerChange:
    """One scorer, over the cases where it has scored answers of both arms; scorers of several cases share a name.

    Args:
        name: the scorer's.
        weight: its share in the score, in (0, 1]; None where cases are scored by different scorers.
        required: a 0 of it makes the answer 0, whatever the others say.
        n: cases.
        baseline, candidate: mean scores in [0, 1]; None where there are none.
        mean: of the cases' deltas, in [-1, 1].
        baseline_passed, candidate_passed: of one that is required, the share of the answers that it gave more than 0,
            averaged by case; None of others.
    """

    name: str
    weight: float | None
    required: bool
    n: int
    baseline: float | None
    candidate: float | None
    mean: float | None
    baseline_passed: float | None = None
    candidate_passed: float | None = None
