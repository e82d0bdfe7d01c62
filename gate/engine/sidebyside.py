"""Which answers may be compared in time and money: those that both arms gave to one case in the same sitting."""

import numpy as np

from gate.engine.grid import Bools, Grid

WANTED = 30
"""Pairs of answers of one sitting that latency, cost and cached tokens rest on, at least, where answers are reused."""


def side_by_side(grid: Grid) -> tuple[Bools, str]:
    """The replies that may be compared in time and money.

    A provider's cache is cold for the first call of each arm, which is left out. An answer that was reused is left
    out unless its counterpart was taken in the same sitting.

    Args:
        grid: samples of one suite.

    Returns:
        bool[2, N, k], which replies; and why they are too few to compare, or an empty text.
    """
    usable = grid.replied & ~grid.flags("warmup")
    mixed = np.any(usable & grid.flags("reused"), axis=(0, 2))
    sittings = grid.sittings
    # A number for each sitting of each case, so that one intersection serves them all.
    place = np.arange(mixed.size)[:, None] * (sittings.max(initial=0) + 1) + sittings
    common = np.intersect1d(place[0][usable[0]], place[1][usable[1]])
    kept = usable & (~mixed[:, None] | np.isin(place, common))
    pairs = pair_count(kept)
    if kept.sum() < usable.sum() and pairs < WANTED:
        return kept, f"answers were reused, and only {pairs} pairs were taken side by side; {WANTED} are needed"
    if not pairs and pair_count(grid.replied):
        return kept, "only the first call of each version has a counterpart, and it warms the provider's cache"
    return kept, ""


def pair_count(kept: Bools) -> int:
    """How many pairs of replies these are.

    Args:
        kept: from `side_by_side`.
    """
    return int(kept.sum(axis=2).min(axis=0).sum())
