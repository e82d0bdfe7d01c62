"""Does a pairwise judge like one place better than the other, and how often does it turn with the order?"""

from dataclasses import dataclass

import numpy as np

from gate.domain.comparison import Estimate
from gate.domain.sample import ArmName
from gate.engine.axes import estimate
from gate.engine.grid import ARMS, Bools, Floats, Grid, Ints
from gate.scoring.pairwise import SHOWN_FIRST, SHOWN_SECOND
from gate.stats.share import Parts, share
from gate.stats.wilson import wilson

_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Position:
    """What the order of the answers did to the verdicts of one judge.

    Args:
        pairs: that were shown in both orders.
        first: share of the verdicts for the answer that was shown first, a tie being half a verdict; without a bias
            0.5, since each answer is shown first once.
        turned: share of the pairs where the two orders gave different verdicts.
        tied: share of the pairs that were a tie in both orders.
        won, lost: share of the pairs that the candidate won, or lost, over both orders together.
    """

    pairs: int
    first: Estimate
    turned: Estimate
    tied: Estimate
    won: Estimate
    lost: Estimate


def positions(grid: Grid, alpha: float = 0.025) -> dict[str, Position]:
    """The bias of each pairwise judge of a suite, by the scorer's name.

    Pairs of equal answers, which nobody was asked about, and pairs without a verdict are not among them.

    Args:
        grid: the samples of the suite.
        alpha: one-sided level of each bound.
    """
    found: dict[str, Position] = {}
    arm = ARMS.index(ArmName.CANDIDATE)
    for suite, scorer, kind, name, weight in grid.parts():
        if kind == "order" and name == SHOWN_FIRST:
            known, first = grid.part((suite, scorer, kind, name, weight))
            _, second = grid.part((suite, scorer, kind, SHOWN_SECOND, weight))
            cases, _ = np.nonzero(known[arm])
            if cases.size:
                found[scorer] = position(first[arm][known[arm]], second[arm][known[arm]], cases, alpha)
    return found


def position(first: Floats, second: Floats, cases: Ints, alpha: float = 0.025) -> Position:
    """Measure the bias of one judge.

    Args:
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
        return Estimate(found.value, span.lower, span.upper)

    disagree = np.abs(first - second) > _TOLERANCE
    tied = ~disagree & (np.abs(first - 0.5) <= _TOLERANCE)
    both = first + second
    won, lost = of(both > 1.0 + _TOLERANCE), of(both < 1.0 - _TOLERANCE)
    return Position(len(first), of((first + 1.0 - second) / 2.0), of(disagree), of(tied), won, lost)
