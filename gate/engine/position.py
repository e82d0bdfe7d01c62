"""Does a pairwise judge like one place better than the other, and how often does it turn with the order?"""

import numpy as np

from gate.domain.comparison import Estimate
from gate.domain.judged import PositionBias
from gate.domain.sample import ArmName
from gate.engine.axes import estimate
from gate.engine.grid import ARMS, Bools, Floats, Grid, Ints
from gate.scoring.pairwise import SHOWN_FIRST, SHOWN_SECOND
from gate.stats.share import Parts, share
from gate.stats.wilson import wilson

_TOLERANCE = 1e-9


def positions(grid: Grid, alpha: float = 0.025) -> list[PositionBias]:
    """The bias of each pairwise judge of a suite.

    Pairs of equal answers, which nobody was asked about, and pairs without a verdict are not among them.

    Args:
        grid: the samples of the suite.
        alpha: one-sided level of each bound.
    """
    found = []
    arm = ARMS.index(ArmName.CANDIDATE)
    for suite, scorer, kind, name, weight in grid.parts():
        if kind == "order" and name == SHOWN_FIRST:
            known, first = grid.part((suite, scorer, kind, name, weight))
            _, second = grid.part((suite, scorer, kind, SHOWN_SECOND, weight))
            cases, _ = np.nonzero(known[arm])
            if cases.size:
                found.append(position(scorer, first[arm][known[arm]], second[arm][known[arm]], cases, alpha))
    return found


def position(scorer: str, first: Floats, second: Floats, cases: Ints, alpha: float = 0.025) -> PositionBias:
    """Measure the bias of one judge.

    Args:
        scorer: the judge.
        first, second: float[N], what the candidate's answer was worth where it was shown first, and where second.
        cases: int[N], which case each pair belongs to; pairs of one case are one unit.
        alpha: one-sided level of each bound.

    Raises:
        ValueError: no pairs.
    """
    pairs = np.bincount(cases)
    known = np.flatnonzero(pairs)

    def of(hits: Floats | Bools) -> Estimate:
        parts = np.bincount(cases, weights=hits)[known]
        found = share(Parts(np.minimum(parts, pairs[known]), pairs[known].astype(np.float64)), alpha=alpha)
        if found.upper - found.lower > _TOLERANCE:
            # From one case nothing can be said: neither bound is finite.
            return estimate(found)
        # The same in every case is no proof that it is the same in all.
        span = wilson(found.value * len(known), len(known), alpha=alpha)
        return Estimate(value=found.value, lower=span.lower, upper=span.upper)

    disagree = np.abs(first - second) > _TOLERANCE
    tied = ~disagree & (np.abs(first - 0.5) <= _TOLERANCE)
    both = first + second
    won, lost = of(both > 1.0 + _TOLERANCE), of(both < 1.0 - _TOLERANCE)
    return PositionBias(
        scorer=scorer,
        pairs=len(first),
        first=of((first + 1.0 - second) / 2.0),
        turned=of(disagree),
        tied=of(tied),
        won=won,
        lost=lost,
    )
