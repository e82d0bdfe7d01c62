"""Several scores of one sample become one."""

from collections.abc import Sequence
from math import fsum

from gate.domain.absence import Unscored
from gate.domain.sample import Score


def combine(scores: Sequence[Score]) -> float | Unscored:
    """The weighted mean, with two exceptions.

    Args:
        scores: one for each scorer of the case.

    Returns:
        `Unscored` when any scorer could not be applied; 0 when a required scorer gave 0; else the weighted mean in
        [0, 1].
    """
    if not scores:
        return Unscored("no scorer")
    weighted, vetoed = [], False
    for score in scores:
        if isinstance(score.value, Unscored):
            return Unscored(f"{score.scorer}: {score.value.reason}")
        vetoed = vetoed or (score.required and score.value <= 0.0)
        weighted.append(score.weight * score.value)
    return 0.0 if vetoed else fsum(weighted) / fsum(score.weight for score in scores)
